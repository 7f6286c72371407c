import { AlisioError } from "../errors.ts";
import type { ConfigProblem } from "./check_config.ts";
import { quoted } from "./quoted.ts";

/** More problems than this are counted, not listed. */
const MAX_LISTED = 20;

/** A configuration file that cannot be used, with everything that is wrong in it. */
export class ConfigError extends AlisioError {
  /** The file. */
  readonly file: string;
  /** What is wrong, in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  /**
   * Builds the error.
   *
   * @param file The file.
   * @param problems What is wrong; at least one.
   */
  constructor(file: string, problems: readonly ConfigProblem[]) {
    super("config_invalid", formatProblems(file, problems));
    this.file = file;
    this.problems = problems;
  }
}

function formatProblems(file: string, problems: readonly ConfigProblem[]): string {
  const lines = problems.slice(0, MAX_LISTED).map((problem) => `  ${formatProblem(problem)}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more`);
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const start = `Cannot use configuration ${quoted(file, 1000)}: ${count}; correct the file:`;
  return [start, ...lines].join("\n");
}

/**
 * One problem as a line of text.
 *
 * @param problem What is wrong.
 */
export function formatProblem(problem: ConfigProblem): string {
  const subject = problem.key === "" ? "The file" : `"${problem.key}"`;
  const hint = problem.nearest === undefined ? "" : `; did you mean "${problem.nearest}"?`;
  return `${subject} ${problem.message}${hint}`;
}
