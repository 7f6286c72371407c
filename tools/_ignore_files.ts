import { dirname, join } from "../core/paths/path.ts";

/** Files that ripgrep obeys in every folder that it visits. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore"]);

/** More than any ignore file that a person wrote. */
const MAX_IGNORE_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Looks for an ignore file that ripgrep would never come to the end of: ripgrep opens whatever has
 * the name, a pipe or a link to a device too, and reads it whole into memory.
 *
 * Meant to run beside ripgrep, which goes through the same folders. Never rejects.
 *
 * @param from Real path of what ripgrep looks through. The folders above it count as well.
 * @param signal Ends the search.
 * @returns Path of the first such file, or null once there is none or the search was ended.
 */
export async function findEndlessIgnoreFile(
  from: string,
  signal: AbortSignal,
): Promise<string | null> {
  for (let folder = from; folder !== dirname(folder);) {
    folder = dirname(folder);
    for (const name of IGNORE_FILES) {
      const path = join(folder, name);
      if (await isEndless(path)) return path;
    }
  }
  const folders = [from];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (signal.aborted) return null;
    const found = await lookInto(folder, folders, signal);
    if (found !== null) return found;
  }
  return null;
}

/** Looks at one folder and adds those in it. Hidden ones count: an ignore file may unhide them. */
async function lookInto(
  folder: string,
  folders: string[],
  signal: AbortSignal,
): Promise<string | null> {
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (signal.aborted) return null;
      const path = join(folder, entry.name);
      if (entry.isDirectory) folders.push(path);
      else if (IGNORE_FILES.has(entry.name) && await isEndless(path)) return path;
    }
  } catch {
    // A file, or a folder that cannot be read: ripgrep says what there is to say.
  }
  return null;
}

/**
 * Whether an ignore file may have no end, or none within reason. Never rejects.
 *
 * @param path Its path.
 */
export async function isEndless(path: string): Promise<boolean> {
  let isLink = false;
  try {
    isLink = (await Deno.lstat(path)).isSymlink;
    const info = await Deno.stat(path);
    if (info.isDirectory) return false;
    if (!info.isFile || info.size > MAX_IGNORE_FILE_BYTES) return true;
    // Files of the system claim to be empty, and some have no end.
    return isLink && info.size === 0;
  } catch (error) {
    // What is missing or denied ends at once for ripgrep, too. Where a link leads that only this
    // process may not follow is not known.
    return isLink && error instanceof Deno.errors.NotCapable;
  }
}
