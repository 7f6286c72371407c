import { sha256Hex } from "../files/sha256.ts";
import { isInside } from "../paths/is_inside.ts";
import { relative, sep } from "../paths/path.ts";
import {
  findProjectInstructions,
  type InstructionFile,
  type InstructionLocation,
  type InstructionSources,
  readLocated,
} from "./instruction_files.ts";
import { foldersBetween } from "./project_root.ts";
import { formatInstructions, type InstructionText } from "./instruction_text.ts";

/**
 * What of the instructions below the working directory a session has been given: a fingerprint of
 * the file by its path. One map belongs to one session, whose owner may store or clear it.
 */
export type AttachedInstructions = Map<string, string>;

/**
 * Finds the instruction files that apply to paths below the working directory and that the session
 * has not been given, or not in their present form, and marks them as given. Two calls at once give
 * each file to one of them.
 *
 * @param paths Real paths that a call touches, files or folders, existing or not.
 * @param sources Where instructions come from. Of a project that is not trusted nothing is given.
 * @param attached What the session has been given; changed.
 */
export async function attachNestedInstructions(
  paths: readonly string[],
  sources: InstructionSources,
  attached: AttachedInstructions,
): Promise<InstructionText> {
  const folders = sources.trusted ? foldersBelow(paths, sources.cwd) : [];
  if (folders.length === 0) return { text: null, notices: [] };
  const located = await findProjectInstructions(folders, sources);
  const outcomes = await Promise.all(located.map((location) => inspect(location, sources)));
  // From here on nothing waits, so that two calls cannot both find the same file new.
  const fresh = outcomes.filter(({ path, fingerprint }) => attached.get(path) !== fingerprint);
  for (const { path, fingerprint } of fresh) attached.set(path, fingerprint);
  const { maxBytes, cwd } = sources;
  const files = fresh.flatMap(({ files }) => files);
  const { text, notices } = formatInstructions(files, { maxBytes, cwd, place: "call" });
  return { text, notices: [...fresh.flatMap((outcome) => outcome.notices), ...notices] };
}

interface Inspected {
  readonly path: string;
  readonly fingerprint: string;
  readonly files: readonly InstructionFile[];
  readonly notices: readonly string[];
}

async function inspect(
  location: InstructionLocation,
  sources: InstructionSources,
): Promise<Inspected> {
  const { files, notices } = await readLocated([location], sources);
  const seen = files.map(({ bytes, text }) => `${bytes}\n${text}`).join("\n");
  const fingerprint = await sha256Hex(new TextEncoder().encode(`${notices.join("\n")}\n${seen}`));
  return { path: location.path, fingerprint, files, notices };
}

/** The folders on the way from the working directory to the paths, the outermost first. */
function foldersBelow(paths: readonly string[], cwd: string): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    if (!isInside(path, cwd)) continue;
    // The path itself may be a folder; in a file nothing is found.
    for (const folder of foldersBetween(cwd, path)) folders.add(folder);
  }
  folders.delete(cwd);
  return [...folders].sort((left, right) => depthOf(left, cwd) - depthOf(right, cwd));
}

function depthOf(folder: string, cwd: string): number {
  return relative(cwd, folder).split(sep).length;
}
