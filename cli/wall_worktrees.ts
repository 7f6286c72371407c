import { isInside } from "../core/paths/is_inside.ts";
import { join } from "../core/paths/path.ts";

/**
 * The folder for worktrees of agents that configuration names, where a run that may change files
 * may write to it: one that is there and holds worktrees or nothing. Any other one is left alone,
 * whoever names it.
 *
 * @param path Absolute path of the folder.
 * @param homes Paths of the homes of Alisio. The state home is open already, and configuration never.
 * @returns The path as named and where it really leads; nothing for what is not opened.
 */
export async function worktreeFolders(
  path: string,
  homes: { readonly config: string; readonly state: string },
): Promise<readonly string[]> {
  try {
    const real = await Deno.realPath(path);
    const overlaps = [homes.config, homes.state].some((home) =>
      isInside(real, home) || isInside(home, real)
    );
    return overlaps || !await holdsOnlyWorktrees(real) ? [] : [...new Set([path, real])];
  } catch {
    return [];
  }
}

/** A worktree has a file `.git`, which says where its repository is. */
async function holdsOnlyWorktrees(folder: string): Promise<boolean> {
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.isDirectory) return false;
    if (!(await Deno.lstat(join(folder, entry.name, ".git"))).isFile) return false;
  }
  return true;
}
