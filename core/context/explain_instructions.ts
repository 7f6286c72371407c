import { isInside } from "../paths/is_inside.ts";
import { dirname } from "../paths/path.ts";
import {
  findProjectInstructions,
  type InstructionFile,
  type InstructionKind,
  type InstructionSources,
  readInstructionFiles,
  readLocated,
} from "./instruction_files.ts";
import { foldersBetween } from "./project_root.ts";
import { fitInstructions } from "./instruction_text.ts";
import type { AttachedInstructions } from "./nested_instructions.ts";

/** An instruction file that applies to a path. */
export interface AppliedInstructions {
  /** Absolute path. */
  readonly path: string;
  /** The person's, for every project, or the project's. */
  readonly scope: "global" | "project";
  /** Which of the names it has. */
  readonly kind: InstructionKind;
  /** Its size on disk. */
  readonly bytes: number;
  /** Whether the model has been given it. */
  readonly loaded: boolean;
  /** Why it is not loaded, or not all of it. */
  readonly note?: string;
}

/** The instruction files that apply to a path. */
export interface InstructionExplanation {
  /** The closest last. */
  readonly files: readonly AppliedInstructions[];
  /** What was left out and why, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Says which instruction files apply to a path, and which of them the model has. Of a project that
 * is not trusted the files are named, never shown.
 *
 * @param target Real path of a file or folder, existing or not.
 * @param sources Where instructions come from.
 * @param attached What the session has been given below its working directory.
 */
export async function explainInstructions(
  target: string,
  sources: InstructionSources,
  attached: Readonly<Pick<AttachedInstructions, "has">> = new Map(),
): Promise<InstructionExplanation> {
  const chain = foldersBetween(sources.root, target);
  const [session, located] = await Promise.all([
    readInstructionFiles({ ...sources, trusted: true }),
    findProjectInstructions(chain, sources),
  ]);
  const inPrompt = new Set(session.files.map(({ path }) => path));
  const others = await readLocated(located.filter(({ path }) => !inPrompt.has(path)), sources);
  const prompt = sources.trusted
    ? session.files
    : session.files.filter(({ scope }) => scope === "global");
  const fitted = new Map(
    fitInstructions(prompt, sources.maxBytes).map((part) => [part.file.path, part]),
  );
  const applying = session.files.filter(({ path, scope }) =>
    scope === "global" || chain.includes(dirname(path))
  );
  const files = [...applying, ...others.files];
  return {
    files: files.map((file) => ({ ...factsOf(file), ...stateOf(file) })),
    notices: [
      ...session.notices,
      ...others.notices.filter((one) => !session.notices.includes(one)),
    ],
  };

  function stateOf(file: InstructionFile): Pick<AppliedInstructions, "loaded" | "note"> {
    if (file.scope === "project" && !sources.trusted) {
      return { loaded: false, note: "the project is not trusted" };
    }
    const part = fitted.get(file.path);
    if (part?.text === null) return { loaded: false, note: "closer files fill the limit" };
    if (part !== undefined) return { loaded: true, ...(part.cut ? { note: "cut to fit" } : {}) };
    if (attached.has(file.path)) return { loaded: true };
    return isInside(file.path, sources.cwd)
      ? { loaded: false, note: "given when a tool first touches its folder" }
      : { loaded: false, note: "outside the working directory" };
  }
}

function factsOf(file: InstructionFile): Omit<AppliedInstructions, "loaded" | "note"> {
  const { path, scope, kind, bytes } = file;
  return { path, scope, kind, bytes };
}
