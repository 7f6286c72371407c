import { join } from "../../paths/path.ts";

/**
 * Copies a file, a link or a folder with all that is in it. Links stay links; what is neither a
 * file nor a link nor a folder is left out.
 *
 * @param from What is copied.
 * @param to Its copy; must not exist.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  const { isDirectory, isFile, isSymlink, mode } = await Deno.lstat(from);
  if (isSymlink) return await Deno.symlink(await Deno.readLink(from), to);
  if (isFile) return await Deno.copyFile(from, to);
  if (!isDirectory) return;
  await Deno.mkdir(to, { mode: (mode ?? 0o777) | 0o700 });
  for await (const { name } of Deno.readDir(from)) await copyTree(join(from, name), join(to, name));
}

/**
 * Removes a file, a link or a folder with all that is in it, if it is there.
 *
 * @param path What is removed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Whether anything is at a path, a link that leads nowhere included.
 *
 * @param path The path.
 */
export async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false;
  }
}
