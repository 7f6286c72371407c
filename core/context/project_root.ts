import { isInside } from "../paths/is_inside.ts";
import { dirname, join, relative, sep } from "../paths/path.ts";

/**
 * Finds the project that a directory belongs to: its nearest ancestor, or itself, that holds
 * `.git`, else the directory itself.
 *
 * @param cwd Real path of the directory.
 */
export async function findProjectRoot(cwd: string): Promise<string> {
  const ancestors = [cwd];
  for (let parent = dirname(cwd); parent !== ancestors.at(-1); parent = dirname(parent)) {
    ancestors.push(parent);
  }
  const marked = await Promise.all(ancestors.map((folder) => isPresent(join(folder, ".git"))));
  return ancestors[marked.indexOf(true)] ?? cwd;
}

/**
 * The folders from one down to another, both included.
 *
 * @param outer Absolute path.
 * @param inner Absolute path, `outer` or below it; for any other there are none.
 */
export function foldersBetween(outer: string, inner: string): readonly string[] {
  if (!isInside(inner, outer)) return [];
  const folders = [outer];
  for (const name of relative(outer, inner).split(sep)) {
    if (name !== "") folders.push(join(folders.at(-1) ?? outer, name));
  }
  return folders;
}

/**
 * Whether something is there, as far as this run may look.
 *
 * @param path The path; a link at its end is not followed.
 */
export async function isPresent(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    // What this run may not even look for was left out of it on purpose: it is not there.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
      error instanceof Deno.errors.NotCapable);
  }
}
