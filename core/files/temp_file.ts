import { isNamed, leadsTo } from "../paths/leads_to.ts";
import { dirname, join } from "../paths/path.ts";
import { tryLock } from "./file_lock.ts";
import { pathChanged } from "./regular_file.ts";
import { TEMP_NAME_REGEXP } from "./temp_name.ts";

/** A temporary file beside the file that it will replace. */
export interface TempFile {
  /** Absolute path. */
  readonly path: string;
  /** Open for writing and, where the file system can, locked as a sign of life. */
  readonly file: Deno.FsFile;
}

const MAX_ATTEMPTS = 20;

/** Leftovers that one sweep removes at most. */
const MAX_REMOVED = 100;

/** How long a name is tried whose folder is exchanged all the time. */
const REMOVAL_LIMIT_MS = 1_000;

/** Age at which a leftover is stale on a file system without locks. */
const STALE_AFTER_MS = 3_600_000;

/**
 * Creates a temporary file beside a file, with a name of its own, exclusively, and locks it: as long
 * as the lock is held, {@linkcode removeStaleTempFiles} of another process leaves it alone. It is
 * certain that it lies in that folder before anything is written to it; one that was created
 * elsewhere, because the folder was exchanged, is removed again.
 *
 * @param real Real path of the file beside which it is created.
 * @param mode Its permission bits before the umask.
 * @throws {FileError} If the folder leads elsewhere by now.
 */
export async function createTempFile(real: string, mode: number): Promise<TempFile> {
  for (let attempt = 1;; attempt++) {
    const path = join(dirname(real), `.alisio-${Deno.pid}-${randomDigits()}.tmp`);
    const file = await Deno.open(path, { read: true, write: true, createNew: true, mode });
    try {
      const place = leadsTo(path, file);
      if (place === "moved") throw pathChanged(real, "write");
      // A sweep may have taken the file between its creation and the lock.
      if (await tryLock(file) !== "held" && place === "here") return { path, file };
    } catch (error) {
      await removeOwn(path, file);
      file.close();
      throw error;
    }
    await removeOwn(path, file);
    file.close();
    if (attempt >= MAX_ATTEMPTS) {
      throw new Deno.errors.Busy("Cannot keep a temporary file: another program removes it");
    }
  }
}

/**
 * Removes an own file by its path, also where that leads elsewhere from time to time: only what is
 * the open file is removed, and it is tried until it has no more names than it should. What cannot
 * be removed stays, without an error.
 *
 * @param path Path by which it was created.
 * @param file The open file.
 * @param keptNames How many other names it has that stay.
 */
export async function removeOwn(path: string, file: Deno.FsFile, keptNames = 0): Promise<void> {
  const deadline = performance.now() + REMOVAL_LIMIT_MS;
  do {
    if (isNamed(path, await file.stat())) await removeQuietly(path);
    if (((await file.stat()).nlink ?? 0) <= keptNames) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  } while (performance.now() < deadline);
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

async function removeQuietly(path: string): Promise<void> {
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
    if (lock === "held" || leadsTo(path, file) !== "here") return;
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
