import { literalArgument } from "./_argument.ts";
import { CommandGrader } from "./_command_grader.ts";
import { gradeCmdCommand } from "./_grade_cmd.ts";
import { gradePowerShellCommand } from "./_grade_powershell.ts";
import { type CommandGrade, createGrade } from "./command_grade.ts";
import { parseShell } from "./parse_shell.ts";
import type { ParsedShell, ShellDialect } from "./shell_syntax.ts";

/** Who reads a command line: a POSIX shell, one of Windows, or nobody. */
export type CommandDialect = ShellDialect | "cmd" | "powershell" | "none";

/** How a command line is graded. */
export interface GradeCommandOptions {
  /** The shell that will run it: `sh` where it is not known to be bash, `none` where there is none. */
  readonly dialect: CommandDialect;
}

const NO_SHELL = "there is no shell to run it";

/**
 * Finds out what a command line would do: which programs it starts, through whatever launcher, what
 * they can do, what it writes and where. Pure, and never throws.
 *
 * @param command A command line, or what {@linkcode parseShell} made of it.
 * @param options How it is graded; the dialect of a parsed command line stands.
 *
 * @example Grading a pipeline
 * ```ts
 * const grade = gradeCommand("ls | xargs rm", { dialect: "bash" });
 * grade.risk; // "high"
 * grade.runs.map((run) => run.name); // ["ls", "xargs", "rm"]
 * ```
 */
export function gradeCommand(
  command: string | ParsedShell,
  options: GradeCommandOptions,
): CommandGrade {
  const { dialect } = options;
  const text = typeof command === "string" ? command : command.source;
  if (dialect === "cmd") return gradeCmdCommand(text);
  if (dialect === "powershell") return gradePowerShellCommand(text);
  if (dialect === "none") return createGrade(text, { state: "not-understood", problem: NO_SHELL });
  const parsed = typeof command === "string" ? parseShell(command, { dialect }) : command;
  const grader = new CommandGrader(parsed.source);
  if (!parsed.ok) return grader.notUnderstood(parsed.reason);
  return grader.finish(() => grader.gradeText(parsed.source, parsed.script, parsed.dialect));
}

/**
 * Grades a program with its arguments, which no shell reads: there is no form to refuse, and the
 * arguments stay as they are.
 *
 * @param program The program.
 * @param args Its arguments.
 */
export function gradeProgramCall(program: string, args: readonly string[]): CommandGrade {
  const grader = new CommandGrader([program, ...args].map(quoteWord).join(" "));
  const grade = grader.finish(() => {
    grader.addDestructiveText([program, ...args].join(" "));
    grader.gradeArguments([program, ...args].map(literalArgument), {
      via: null,
      dialect: "sh",
      launches: 0,
    });
  });
  // Only in a command line is `tee` a redirection in disguise.
  return { ...grade, findings: grade.findings.filter(({ kind }) => kind !== "tee") };
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
