import { isInside } from "../core/paths/is_inside.ts";
import { basename, dirname, join } from "../core/paths/path.ts";
import { realOrPlanned } from "../core/workspace.ts";

/** How every database of SQLite begins. */
const HEADER = "SQLite format 3\0";
const ENDINGS = ["", "-wal", "-shm", "-journal"];

/**
 * What the memory may write outside the state home: the files of the database that configuration
 * names. A file that is there and is no database is
 * left alone, whoever names it.
 *
 * @param path Absolute path of the database.
 * @param stateHome Real path of the state home.
 */
export async function memoryFiles(path: string, stateHome: string): Promise<readonly string[]> {
  const real = await realOrPlanned(path);
  if (isInside(real, stateHome) || !await isDatabaseOrNew(real)) return [];
  const names = [
    ...new Set([path, real, join(await realOrPlanned(dirname(path)), basename(path))]),
  ];
  return names.flatMap((name) => ENDINGS.map((ending) => name + ending));
}

async function isDatabaseOrNew(path: string): Promise<boolean> {
  try {
    using file = await Deno.open(path);
    const { isFile } = await file.stat();
    const bytes = new Uint8Array(HEADER.length);
    const count = isFile ? await file.read(bytes) : null;
    return count !== null && new TextDecoder().decode(bytes.subarray(0, count)) === HEADER;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}
