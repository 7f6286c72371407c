import { basename, dirname, join } from "../paths/path.ts";
import { tryLockFile } from "./lock_file.ts";

/** Endings of the files that make up one database; the main file is first. */
const ENDINGS = ["", "-wal", "-shm"] as const;
const LOCK_WAIT_MS = 5_000;
const LOCK_POLL_MS = 20;

/** Which file a connection has open. */
export interface FileIdentity {
  /** Number of the file on its device; null where there is none. */
  readonly ino: number | null;
  /** The device. */
  readonly dev: number;
}

/**
 * Reads which file a path leads to.
 *
 * @param path The file.
 * @throws {Deno.errors.NotFound} If there is none.
 */
export function fileIdentity(path: string): FileIdentity {
  const { ino, dev } = Deno.statSync(path);
  return { ino, dev };
}

/**
 * Moves a damaged database to `<name>.damaged-<time>`, with its log, so that nothing writes to it
 * again and a tool can still try to save what is in it.
 *
 * The connection must still be open: SQLite writes its log into the file when the last connection
 * closes, unless the file is no longer where it was opened.
 *
 * @param path The database file.
 * @param identity Which file was found damaged. When the path leads to another one, somebody else
 * was faster and nothing is moved.
 * @returns The new path of the file, or undefined when nothing was moved.
 */
export function moveAside(path: string, identity: FileIdentity): string | undefined {
  const lock = waitForLock(join(dirname(path), "locks", `${basename(path)}.lock`));
  try {
    if (!isSame(path, identity)) return undefined;
    const target = freeName(path);
    for (const ending of ENDINGS) {
      try {
        Deno.renameSync(path + ending, target + ending);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    return target;
  } finally {
    lock?.release();
  }
}

function isSame(path: string, identity: FileIdentity): boolean {
  try {
    const found = fileIdentity(path);
    return found.ino === identity.ino && found.dev === identity.dev;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function freeName(path: string): string {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  for (let count = 1;; count++) {
    const name = `${path}.damaged-${time}${count === 1 ? "" : `-${count}`}`;
    try {
      Deno.lstatSync(name);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return name;
      throw error;
    }
  }
}

/** Moving takes a moment, so whoever holds the lock is about to release it. */
function waitForLock(path: string): ReturnType<typeof tryLockFile> {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < LOCK_WAIT_MS; waitedMs += LOCK_POLL_MS) {
    const lock = tryLockFile(path);
    if (lock !== null) return lock;
    Atomics.wait(clock, 0, 0, LOCK_POLL_MS);
  }
  throw new Error(`Cannot move "${path}" aside: another process is doing it`);
}
