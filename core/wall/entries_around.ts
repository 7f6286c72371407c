import { isInside } from "../paths/is_inside.ts";
import { join } from "../paths/path.ts";

/** A folder with more than this is not looked through. */
const MAX_ENTRIES = 200;

/**
 * Names what lies in a folder beside what must stay open in it: its entries, and those of every
 * folder on the way to what stays open. For a list of what is closed, where the folder as a whole
 * cannot be.
 *
 * @param folder Absolute path of the folder.
 * @param open Absolute paths that must stay open.
 * @returns Empty if there is no such folder, or more in it than can be listed.
 */
export function entriesAround(folder: string, open: readonly string[]): readonly string[] {
  const found: string[] = [];
  const folders = [folder];
  for (const current of folders) {
    for (const path of entriesOf(current)) {
      if (open.includes(path)) continue;
      (open.some((each) => isInside(each, path)) ? folders : found).push(path);
      if (found.length > MAX_ENTRIES) return [];
    }
  }
  return found;
}

function* entriesOf(folder: string): Generator<string> {
  try {
    for (const { name } of Deno.readDirSync(folder)) yield join(folder, name);
  } catch {
    // Nothing is there, or it may not be looked into.
  }
}
