import { join } from "../paths/path.ts";
import { isAt, tryLock } from "./file_lock.ts";

/** A temporary file beside the file that it will replace. */
export interface TempFile {
  /** Absolute path. */
  readonly path: string;
  /** Open for writing and, where the file system can, locked as a sign of life. */
  readonly file: Deno.FsFile;
}

/** Process id, then random digits. */
const TEMP_NAME_REGEXP = /^\.alisio-\d+-[0-9a-f]{16}\.tmp$/;

const MAX_ATTEMPTS = 20;

/** Leftovers that one sweep removes at most. */
const MAX_REMOVED = 100;

/** Age at which a leftover is stale on a file system without locks. */
const STALE_AFTER_MS = 3_600_000;

/**
 * Creates a temporary file with a name of its own, exclusively, and locks it: as long as the lock
 * is held, {@linkcode removeStaleTempFiles} of another process leaves it alone.
 *
 * @param folder Where to create it.
 * @param mode Its permission bits before the umask.
 */
export async function createTempFile(folder: string, mode: number): Promise<TempFile> {
  for (let attempt = 1;; attempt++) {
    const path = join(folder, `.alisio-${Deno.pid}-${randomDigits()}.tmp`);
    const file = await Deno.open(path, { read: true, write: true, createNew: true, mode });
    try {
      // A sweep may have taken the file between its creation and the lock.
      if (await tryLock(file) !== "held" && await isAt(file, path)) return { path, file };
    } catch (error) {
      file.close();
      await removeQuietly(path);
      throw error;
    }
    file.close();
    await removeQuietly(path);
    if (attempt >= MAX_ATTEMPTS) {
      throw new Deno.errors.Busy("Cannot keep a temporary file: another program removes it");
    }
  }
}

/**
 * Removes the temporary files that killed processes left in a folder. Only such are removed that
 * no living process holds: the lock tells, on every machine that shares the folder. What cannot be
 * removed stays, without an error.
 *
 * @param folder Where to look.
 */
export async function removeStaleTempFiles(folder: string): Promise<void> {
  let removed = 0;
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (!entry.isFile || !TEMP_NAME_REGEXP.test(entry.name)) continue;
      await removeIfStale(join(folder, entry.name));
      if (++removed >= MAX_REMOVED) return;
    }
  } catch {
    // A folder that cannot be listed can still be written to; the leftovers wait.
  }
}

/**
 * Removes a file that may be gone already.
 *
 * @param path Its path.
 */
export async function removeQuietly(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch {
    // It is gone, or the disk is; the error that led here says more.
  }
}

async function removeIfStale(path: string): Promise<void> {
  try {
    using file = await Deno.open(path, { read: true, write: true });
    const lock = await tryLock(file);
    if (lock === "held" || !(await isAt(file, path))) return;
    if (lock === "unsupported") {
      const { mtime } = await file.stat();
      if (mtime === null || Date.now() - mtime.getTime() < STALE_AFTER_MS) return;
    }
    await Deno.remove(path);
  } catch {
    // It belongs to another user, or another sweep was quicker.
  }
}

function randomDigits(): string {
  return crypto.getRandomValues(new Uint8Array(8)).toHex();
}
