import { isMissing } from "../config/small_file.ts";
import { isInside } from "../paths/is_inside.ts";
import { basename, join } from "../paths/path.ts";
import type { SkillDiagnostic } from "./skill.ts";
import type { SkillRoot } from "./skill_roots.ts";

/** Name of the file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** Folders inside one another, counted from the root. */
export const MAX_SKILL_DEPTH = 5;

/** Folders that are looked into below one root. */
export const MAX_SKILL_FOLDERS = 2_000;

/** What is never a skill, however many folders it holds. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Files of skills, in order, and what could not be looked at. */
export interface FoundSkillFiles {
  readonly files: readonly string[];
  readonly diagnostics: readonly SkillDiagnostic[];
}

/**
 * Looks for `SKILL.md` in a folder and below it, within {@linkcode MAX_SKILL_DEPTH} and
 * {@linkcode MAX_SKILL_FOLDERS}. What lies below a skill belongs to it. Never throws.
 *
 * @param root The folder. One that nobody named may be missing.
 */
export async function findSkillFiles(root: SkillRoot): Promise<FoundSkillFiles> {
  const walk: Walk = { root, visited: new Set(), files: [], diagnostics: [], isCut: false };
  let level: readonly string[] = [root.path];
  for (let depth = 0; level.length > 0; depth++) {
    const deeper: string[] = [];
    for (const folder of level) deeper.push(...await lookInto(folder, depth, walk));
    level = deeper;
  }
  return walk;
}

interface Walk {
  readonly root: SkillRoot;
  /** Real paths, so that a circle of links ends. */
  readonly visited: Set<string>;
  readonly files: string[];
  readonly diagnostics: SkillDiagnostic[];
  isCut: boolean;
}

/** Answers the folders that are to be looked into next. */
async function lookInto(folder: string, depth: number, walk: Walk): Promise<readonly string[]> {
  const { root, visited, diagnostics } = walk;
  if (visited.size >= MAX_SKILL_FOLDERS) {
    sayCut(walk, `it has more than ${MAX_SKILL_FOLDERS} folders`);
    return [];
  }
  try {
    const real = await Deno.realPath(folder);
    if (visited.has(real)) return [];
    visited.add(real);
    if (root.within !== undefined && !isInside(real, root.within)) {
      diagnostics.push(warning(folder, "Skipped: its link leads out of the project"));
      return [];
    }
    const entries = await Array.fromAsync(Deno.readDir(folder));
    const names = entries.map(({ name }) => name);
    if (names.includes(SKILL_FILE)) {
      walk.files.push(join(folder, SKILL_FILE));
      return [];
    }
    sayMisnamed(folder, names, walk);
    const below = await foldersAmong(folder, entries);
    if (depth < MAX_SKILL_DEPTH) return below;
    if (below.length > 0) sayCut(walk, `its folders are nested deeper than ${MAX_SKILL_DEPTH}`);
    return [];
  } catch (error) {
    const isRoot = folder === root.path;
    if (isRoot && !root.isNamed && isAbsent(folder, error)) return [];
    diagnostics.push(isRoot ? problem(folder, error) : warning(folder, reasonOf(error)));
    return [];
  }
}

async function foldersAmong(
  folder: string,
  entries: readonly Deno.DirEntry[],
): Promise<readonly string[]> {
  const paths = await Promise.all(entries.map(async ({ name, isDirectory, isSymlink }) => {
    if (PASSED_OVER.has(name)) return [];
    const path = join(folder, name);
    if (isDirectory) return [path];
    if (!isSymlink) return [];
    const isFolder = await Deno.stat(path).then((info) => info.isDirectory, () => true);
    // Where a link leads nowhere, looking into it says so.
    return isFolder ? [path] : [];
  }));
  return paths.flat().sort();
}

function sayMisnamed(folder: string, names: readonly string[], { diagnostics }: Walk): void {
  const near = names.find((name) => name.toLowerCase() === SKILL_FILE.toLowerCase());
  if (near === undefined) return;
  diagnostics.push(
    warning(join(folder, near), `Skipped: its name must be written "${SKILL_FILE}"`),
  );
}

function sayCut(walk: Walk, reason: string): void {
  if (walk.isCut) return;
  walk.isCut = true;
  walk.diagnostics.push(warning(walk.root.path, `Not looked through to the end: ${reason}`));
}

function problem(path: string, error: unknown): SkillDiagnostic {
  return { path, severity: "error", message: reasonOf(error) };
}

function warning(path: string, message: string): SkillDiagnostic {
  return { path, severity: "warning", message };
}

/** What this run may not even look for was left out of it on purpose: it is not there. */
function isAbsent(path: string, error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || (isMissing(error) && !isBrokenLink(path));
}

function isBrokenLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotADirectory) return "Skipped: it is not a folder";
  if (isMissing(error)) return "Skipped: it is not there, or its link leads nowhere";
  if (error instanceof Deno.errors.PermissionDenied) return "Skipped: this user may not read it";
  if (error instanceof Deno.errors.NotCapable) return "Skipped: this run may not read it";
  if (error instanceof Deno.errors.FilesystemLoop) return "Skipped: its links lead in a circle";
  return `Skipped: ${error instanceof Error ? error.message : String(error)}`;
}

/**
 * Name of the folder that a skill lies in.
 *
 * @param file Its `SKILL.md`.
 */
export function folderName(file: string): string {
  return basename(file.slice(0, -SKILL_FILE.length - 1));
}
