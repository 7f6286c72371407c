import { leadsTo } from "../paths/leads_to.ts";
import { dirname } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { createFolders } from "./create_folders.ts";
import { readOpenEditableFile } from "./editable_file.ts";
import { FileError, toFileError } from "./file_error.ts";
import { openLocked } from "./file_lock.ts";
import { pathChanged, statRegularFile } from "./regular_file.ts";
import { sha256Hex } from "./sha256.ts";
import { createTempFile, removeOwn, removeStaleTempFiles, type TempFile } from "./temp_file.ts";

/** Options of {@linkcode replaceFile}. */
export interface ReplaceFileOptions {
  /** SHA-256 that the file must have at the last moment; null when it must not exist. */
  readonly expectedHash: string | null;
  /** Aborts the write up to the moment of the replacement. */
  readonly signal: AbortSignal;
  /**
   * How long to wait for another writer.
   *
   * @default 10000
   */
  readonly lockTimeoutMs?: number;
}

/** What {@linkcode replaceFile} did. */
export interface ReplacedFile {
  /** SHA-256 of the new content. */
  readonly sha256: string;
}

const WRITE_CHUNK_BYTES = 1_048_576;
const PERMISSION_BITS = 0o7777;
const SET_ID_BITS = 0o6000;

/**
 * Gives a file new content, or creates it, in one step: whoever looks, and whatever fails, sees
 * the old content or the new one.
 *
 * The content goes into a temporary file in the same folder, which is synced and renamed over the
 * file. Mode, and owner where the system permits, stay; access lists and other hard links do not
 * follow. Two processes of Alisio cannot lose an update: the hash is compared under a lock on the
 * file itself, and a new file appears by an exclusive step. The temporary file is never more
 * readable than the file, is removed on every failure, and what a killed process left is removed
 * by the next write in the folder.
 *
 * The content is written only once it is certain that the temporary file lies in the folder that
 * was judged, and gets its name only if the folder was not exchanged up to that moment. That last
 * step is one call of the system, which looks up both names one after the other: an exchange that
 * falls in between is found out afterwards, and a new file is emptied and removed then.
 *
 * @param real Real path of the file. Missing folders of a new file are created.
 * @param bytes The new content.
 * @param options What must hold, and for how long to try.
 * @throws {FileError} If the file is not as expected, or the system refuses; nothing has changed.
 */
export async function replaceFile(
  real: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: ReplaceFileOptions,
): Promise<ReplacedFile> {
  try {
    if (options.expectedHash === null) await createFile(real, bytes, options);
    else await replaceExisting(real, bytes, { ...options, expectedHash: options.expectedHash });
  } catch (error) {
    throw toFileError(error, "write", real);
  }
  return { sha256: await sha256Hex(bytes) };
}

async function createFile(
  real: string,
  bytes: Uint8Array,
  { signal }: ReplaceFileOptions,
): Promise<void> {
  if (statRegularFile(real, "write") !== null) throw alreadyExists(real);
  signal.throwIfAborted();
  await createFolders(dirname(real), real);
  await removeStaleTempFiles(dirname(real));
  await withTempFile(await createTempFile(real, 0o666), async (temp) => {
    await writeContent(temp.file, bytes, signal);
    signal.throwIfAborted();
    assertInPlace(temp, real);
    await publish(temp, real);
  });
}

/** Unlike a rename, a link fails where something exists. */
async function publish({ path, file }: TempFile, real: string): Promise<void> {
  try {
    await Deno.link(path, real);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw alreadyExists(real);
    if (error instanceof Deno.errors.NotFound) throw pathChanged(real, "write");
    return await publishWithoutLink(path, real);
  }
  const place = leadsTo(real, file);
  // A file that has lost one of its two names was replaced by a writer that came after.
  const isStray = place === "replaced" && ((await file.stat()).nlink ?? 0) > 1;
  if (place !== "moved" && !isStray) return;
  await file.truncate(0);
  await removeOwn(real, file, 1);
  throw pathChanged(real, "write");
}

/** Where the file system knows no hard links, an empty file holds the place for an instant. */
async function publishWithoutLink(temp: string, real: string): Promise<void> {
  using holder = await Deno.open(real, { write: true, createNew: true }).catch((error) => {
    throw error instanceof Deno.errors.AlreadyExists ? alreadyExists(real) : error;
  });
  try {
    if (leadsTo(real, holder) !== "here") throw pathChanged(real, "write");
    await Deno.rename(temp, real);
  } catch (error) {
    await removeOwn(real, holder);
    throw error;
  }
}

function assertInPlace({ path, file }: TempFile, real: string): void {
  if (leadsTo(path, file) !== "here") throw pathChanged(real, "write");
}

async function replaceExisting(
  real: string,
  bytes: Uint8Array,
  options: ReplaceFileOptions & { readonly expectedHash: string },
): Promise<void> {
  const { signal, expectedHash } = options;
  const info = statRegularFile(real, "write");
  if (info === null) throw disappeared(real);
  assertWritable(info, real);
  using target = await openTarget(real, options);
  await assertHash(target, real, expectedHash);
  await removeStaleTempFiles(dirname(real));
  const mode = (info.mode ?? 0o666) & PERMISSION_BITS;
  await withTempFile(await createTempLike(info, real, mode), async (temp) => {
    await writeContent(temp.file, bytes, signal);
    assertInPlace(temp, real);
    if (!isAlike(temp, info, mode)) await copyOwnerAndMode(info, temp.path, mode);
    await assertHash(target, real, expectedHash);
    signal.throwIfAborted();
    await Deno.rename(temp.path, real);
    if (leadsTo(real, temp.file) === "moved") throw pathChanged(real, "write");
  });
}

/**
 * Refuses a file that its owner has protected from being written.
 *
 * @param info Facts about the file.
 * @param real Real path of the file.
 * @throws {FileError} `read_only`.
 */
export function assertWritable(info: Pick<Deno.FileInfo, "mode">, real: string): void {
  // The mode decides, not the attempt: root may write what its owner has protected.
  if (info.mode === null || (info.mode & 0o222) !== 0) return;
  throw new FileError(
    "read_only",
    `Cannot write file ${quotePath(real)}: it is read-only; a person has to change its mode first`,
  );
}

async function openTarget(real: string, options: ReplaceFileOptions): Promise<Deno.FsFile> {
  const { signal, lockTimeoutMs: timeoutMs } = options;
  try {
    return await openLocked(real, timeoutMs === undefined ? { signal } : { signal, timeoutMs });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw disappeared(real);
    throw error;
  }
}

/** Catches writers that write in place, and those that put another file there. */
async function assertHash(target: Deno.FsFile, real: string, expected: string): Promise<void> {
  await target.seek(0, Deno.SeekMode.Start);
  const current = await sha256Hex(await readOpenEditableFile(target, real));
  const place = leadsTo(real, target);
  if (place === "moved") throw pathChanged(real, "write");
  if (current === expected && place === "here") return;
  throw new FileError(
    "changed",
    `Cannot write file ${quotePath(real)}: its content is not the one that expectedHash names; ` +
      "read it again, then repeat the change with the new sha256",
  );
}

/**
 * Creates a temporary file with owner and mode of the file that it will replace, where the system
 * makes it so; else one that only its owner reads. A mode can be changed by name alone, and the name
 * may have become a link by then, so what needs no change is safer.
 */
async function createTempLike(
  info: Deno.FileInfo,
  real: string,
  mode: number,
): Promise<TempFile> {
  if ((mode & SET_ID_BITS) === 0) {
    const temp = await createTempFile(real, mode);
    if (isAlike(temp, info, mode)) return temp;
    await discard(temp);
  }
  return await createTempFile(real, mode & 0o600);
}

function isAlike({ file }: TempFile, info: Deno.FileInfo, mode: number): boolean {
  if (Deno.build.os === "windows") return true;
  const own = file.statSync();
  return own.uid === info.uid && own.gid === info.gid &&
    ((own.mode ?? 0) & PERMISSION_BITS) === mode;
}

async function discard({ path, file }: TempFile): Promise<void> {
  await removeOwn(path, file);
  file.close();
}

async function withTempFile(
  temp: TempFile,
  use: (temp: TempFile) => Promise<void>,
): Promise<void> {
  let keptNames = 0;
  try {
    await use(temp);
    keptNames = 1;
  } finally {
    // After a rename nothing has this name any more.
    await removeOwn(temp.path, temp.file, keptNames);
    temp.file.close();
  }
}

async function writeContent(
  file: Deno.FsFile,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    signal.throwIfAborted();
    written += await file.write(bytes.subarray(written, written + WRITE_CHUNK_BYTES));
  }
  await file.sync();
}

/** The owner first, since a change of owner clears bits of the mode. */
async function copyOwnerAndMode(info: Deno.FileInfo, path: string, mode: number): Promise<void> {
  const own = await Deno.lstat(path);
  const sameOwner = own.uid === info.uid && own.gid === info.gid;
  if (sameOwner || await tryChown(path, info.uid, info.gid)) return await Deno.chmod(path, mode);
  // Only root may give files away. The file is ours from now on, so its set-id bits must go.
  const plain = mode & ~SET_ID_BITS;
  if (await tryChown(path, null, info.gid)) return await Deno.chmod(path, plain);
  // Our group is not the one that the group's bits were meant for: it gets what everyone has.
  await Deno.chmod(path, (plain & 0o707) | ((plain & 0o007) << 3));
}

async function tryChown(path: string, uid: number | null, gid: number | null): Promise<boolean> {
  try {
    await Deno.chown(path, uid, gid);
    return true;
  } catch {
    return false;
  }
}

function alreadyExists(real: string): FileError {
  return new FileError(
    "already_exists",
    `Cannot create file ${quotePath(real)}: it exists already; read it with read_file, then pass ` +
      "its sha256 as expectedHash",
  );
}

function disappeared(real: string): FileError {
  return new FileError(
    "not_found",
    `Cannot write file ${quotePath(real)}: it does not exist any more; pass null as expectedHash ` +
      "to create it",
  );
}
