import { leadsTo } from "../paths/leads_to.ts";
import { quotePath } from "../paths/quote_path.ts";
import { FileError } from "./file_error.ts";
import { pathChanged } from "./regular_file.ts";

/** Options of {@linkcode openLocked}. */
export interface OpenLockedOptions {
  /** Aborts the wait. */
  readonly signal: AbortSignal;
  /**
   * How long to wait for another writer.
   *
   * @default 10000
   */
  readonly timeoutMs?: number;
}

const POLL_MS = 20;

/** What file systems without locks answer. */
const NO_LOCK_CODES: readonly unknown[] = ["ENOLCK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EINVAL"];

/**
 * Opens an existing file for reading and writing under an exclusive advisory lock, which the
 * system releases when the file is closed or the process ends, however it ends.
 *
 * The lock is on the file itself, so that processes need share nothing but the file. A writer that
 * replaces the file leaves the lock of the next one on what is no longer there; so after the lock
 * is won, the file must still be the one that the path leads to, or the path is opened again.
 *
 * Where the file system knows no locks, the file is opened without one.
 *
 * @param real Real path of a regular file.
 * @param options How to wait.
 * @throws {FileError} If another writer holds the lock for too long, or the path leads elsewhere by
 * now.
 */
export async function openLocked(real: string, options: OpenLockedOptions): Promise<Deno.FsFile> {
  const deadline = performance.now() + (options.timeoutMs ?? 10_000);
  while (true) {
    options.signal.throwIfAborted();
    const file = await Deno.open(real, { read: true, write: true });
    try {
      if (await tryLock(file) !== "held") {
        const place = leadsTo(real, file);
        if (place === "here") return file;
        if (place === "moved") throw pathChanged(real, "write");
      }
      file.close();
    } catch (error) {
      file.close();
      throw error;
    }
    if (performance.now() >= deadline) {
      throw new FileError(
        "locked",
        `Cannot write file ${quotePath(real)}: another program holds a lock on it; try again later`,
      );
    }
    await wait(POLL_MS, options.signal);
  }
}

/**
 * Tries to take the exclusive lock of an open file, without waiting.
 *
 * @param file The open file.
 * @returns Whether it is ours, held elsewhere, or not to be had on this file system.
 */
export async function tryLock(file: Deno.FsFile): Promise<"locked" | "held" | "unsupported"> {
  try {
    return await file.tryLock(true) ? "locked" : "held";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (error instanceof Deno.errors.NotSupported || NO_LOCK_CODES.includes(code)) {
      return "unsupported";
    }
    throw error;
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    function onAbort(): void {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
