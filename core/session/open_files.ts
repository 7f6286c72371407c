import type { FileIdentity } from "./move_aside.ts";

/**
 * The files that a connection has open, and whether their paths still lead to them.
 *
 * The operating system lets an open file be deleted, moved, replaced or cut, and SQLite goes on
 * writing to what it has open, where nobody finds it again once the program ends.
 */
export class OpenFiles {
  readonly #path: string;
  readonly #file: FileIdentity;
  readonly #log: FileIdentity | null;
  #bytes: number;

  /**
   * Takes note of the log and the size.
   *
   * @param path The database file.
   * @param file Which file the connection opened.
   */
  constructor(path: string, file: FileIdentity) {
    this.#path = path;
    this.#file = file;
    this.#log = look(`${path}-wal`);
    this.#bytes = look(path)?.size ?? 0;
  }

  /**
   * Looks for what was lost since the last look; a few microseconds.
   *
   * @param neededBytes What the connection knows of the size that all of the database takes. Asked
   * only when the file has shrunk, which it also does when another program tidies it up.
   * @returns What happened, as the end of a sentence; undefined while everything is in place.
   */
  findLoss(neededBytes: () => number): string | undefined {
    const file = look(this.#path);
    if (file === null) return "the file was deleted or moved while it was in use";
    if (!isSame(file, this.#file)) return "another file took its place while it was in use";
    const before = this.#bytes;
    this.#bytes = file.size;
    if (file.size < before && (file.size === 0 || file.size < neededBytes())) {
      return `the file was cut from ${before} to ${file.size} bytes while it was in use`;
    }
    // Where the file system allows no log there is none to lose.
    if (this.#log === null) return undefined;
    const log = look(`${this.#path}-wal`);
    return log !== null && isSame(log, this.#log)
      ? undefined
      : "the file that ends in -wal beside it was deleted or replaced while it was in use";
  }
}

interface Look extends FileIdentity {
  readonly size: number;
}

function look(path: string): Look | null {
  try {
    const { ino, dev, size } = Deno.lstatSync(path);
    return { ino, dev, size };
  } catch (error) {
    // A folder of the path may be gone too, or be something else now.
    const isGone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isGone) return null;
    throw error;
  }
}

function isSame(found: FileIdentity, known: FileIdentity): boolean {
  return found.ino === known.ino && found.dev === known.dev;
}
