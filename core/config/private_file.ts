import { basename, dirname, join } from "../paths/path.ts";
import { type LockFile, tryLockFile } from "../session/lock_file.ts";
import { quoted } from "./quoted.ts";
import { readSmallFile, type SmallFile } from "./small_file.ts";

const LOCK_TIMEOUT_MS = 5_000;
const LOCK_POLL_MS = 20;

/** A private file's content, and what had to be put right about it. */
export interface PrivateFile {
  /** What was read. */
  readonly file: SmallFile;
  /** What the person should know. */
  readonly notices: readonly string[];
}

/**
 * Reads a file that is for its owner alone. If others may read it, its mode is set to 0600.
 *
 * @param path The file.
 * @param maxBytes Largest size that is read.
 */
export async function readPrivateFile(path: string, maxBytes: number): Promise<PrivateFile> {
  const file = await readSmallFile(path, maxBytes);
  const open = file.status === "read" && isOpenToOthers(file.mode);
  return { file, notices: open ? [await tighten(path)] : [] };
}

/**
 * Sets the mode of a file that is for its owner alone to 0600, if others may read it; for a process
 * that starts another, which may not change it.
 *
 * @param path The file.
 * @returns What the person should know.
 */
export async function closePrivateFile(path: string): Promise<readonly string[]> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    return isFile && isOpenToOthers(mode) ? [await tighten(path)] : [];
  } catch {
    // Missing, or nothing that may be looked at: reading it tells.
    return [];
  }
}

/**
 * Writes a file that is for its owner alone, mode 0600 in a folder of mode 0700, in one step: a
 * reader sees the old content or the new one, also after a crash. A link at the path stays a link.
 *
 * @param path The file; its folder is made if it is missing.
 * @param text The new content.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  // Every run reads such files, and hardly one writes any.
  const { createTempFile, removeOwn, removeStaleTempFiles } = await import(
    "../files/temp_file.ts"
  );
  const found = await targetOf(path);
  await makePrivateFolder(dirname(found));
  const folder = await Deno.realPath(dirname(found));
  const target = join(folder, basename(found));
  await removeStaleTempFiles(folder);
  const temporary = await createTempFile(target, 0o600);
  try {
    await writeAll(temporary.file, new TextEncoder().encode(text));
    await temporary.file.syncData();
    await Deno.rename(temporary.path, target);
  } catch (error) {
    await removeOwn(temporary.path, temporary.file);
    throw error;
  } finally {
    temporary.file.close();
  }
}

/**
 * Reads, changes and writes a file while no other process of Alisio does the same.
 *
 * @param path The file; the lock is a file beside it.
 * @param change Reads and writes the file.
 * @throws {Deno.errors.Busy} If another process keeps the lock for five seconds.
 */
export async function whileLocked<T>(path: string, change: () => Promise<T>): Promise<T> {
  await makePrivateFolder(dirname(path));
  const lock = await waitForLock(`${path}.lock`);
  try {
    return await change();
  } finally {
    lock.release();
  }
}

/**
 * Makes a folder that is for its owner alone, or makes an existing one so.
 *
 * @param folder The folder.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  if (Deno.build.os === "windows") return;
  const { mode } = await Deno.stat(folder);
  if (mode !== null && (mode & 0o077) !== 0) await Deno.chmod(folder, 0o700);
}

async function waitForLock(path: string): Promise<LockFile> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const lock = tryLockFile(path);
    if (lock !== null) return lock;
    if (performance.now() > deadline) {
      throw new Deno.errors.Busy(`Cannot lock ${quoted(path, 1000)}: another process holds it`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

function isOpenToOthers(mode: number | null): boolean {
  return Deno.build.os !== "windows" && mode !== null && (mode & 0o077) !== 0;
}

async function tighten(path: string): Promise<string> {
  const name = quoted(path, 1000);
  try {
    await Deno.chmod(path, 0o600);
    return `Other users could read ${name}; its mode is now 0600`;
  } catch {
    return `Other users can read ${name}, and its mode cannot be changed; run chmod 600 on it`;
  }
}

async function targetOf(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return path;
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await file.write(bytes.subarray(written));
}
