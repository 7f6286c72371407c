import { leadsTo } from "../paths/leads_to.ts";
import { dirname } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { FileError } from "./file_error.ts";
import { pathChanged } from "./regular_file.ts";

/** How long a folder is looked for whose parent is exchanged all the time. */
const SEARCH_LIMIT_MS = 1_000;

/** How far the clock of a file system may be behind. */
const CLOCK_LAG_MS = 20;

/**
 * Creates the folders that a new file needs, each below one that is certain to be where it was
 * judged. A folder that was created elsewhere, because its parent was exchanged for a link, is
 * removed again.
 *
 * @param folder Real path of the folder that has to exist.
 * @param real Real path of the file, for messages.
 * @throws {FileError} If something else has the name of a folder, or the path leads elsewhere by
 * now.
 */
export async function createFolders(folder: string, real: string): Promise<void> {
  const missing: string[] = [];
  let deepest = folder;
  for (; !await isPresent(deepest); deepest = dirname(deepest)) missing.unshift(deepest);
  if ((await Deno.realPath(deepest)) !== deepest) throw pathChanged(real, "write");
  if (missing.length === 0 && !(await Deno.lstat(folder)).isDirectory) {
    throw new FileError(
      "not_a_file",
      `Cannot create file ${quotePath(real)}: ${quotePath(folder)} is not a folder`,
    );
  }
  for (const path of missing) await createFolder(path, real);
}

async function createFolder(path: string, real: string): Promise<void> {
  const createdAt = Date.now() - CLOCK_LAG_MS;
  try {
    await Deno.mkdir(path);
  } catch (error) {
    // Another writer was quicker; where it leads is seen when the file is created.
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw error;
  }
  // Windows opens no folder, and lets nobody exchange one by a plain rename of a link.
  if (Deno.build.os === "windows") return;
  for (const deadline = performance.now() + SEARCH_LIMIT_MS; performance.now() < deadline;) {
    using folder = await openOrNull(path);
    if (folder !== null) {
      if (leadsTo(path, folder) === "here") return;
      if (await removeCreated(path, folder, createdAt)) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw pathChanged(real, "write");
}

/**
 * Removes an empty folder if it is so new that it must be the one that was created.
 *
 * @returns Whether it is gone.
 */
async function removeCreated(
  path: string,
  folder: Deno.FsFile,
  createdAt: number,
): Promise<boolean> {
  const { birthtime } = await folder.stat();
  if (birthtime === null || birthtime.getTime() < createdAt) return false;
  // Only an empty folder is removed so.
  await Deno.remove(path).catch(() => {});
  return (await folder.stat()).nlink === 0;
}

async function openOrNull(path: string): Promise<Deno.FsFile | null> {
  try {
    return await Deno.open(path, { read: true });
  } catch {
    return null;
  }
}

async function isPresent(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}
