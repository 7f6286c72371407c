import { sha256Hex } from "../files/sha256.ts";
import { dirname } from "../paths/path.ts";
import { blobPath } from "../session/session_files.ts";
import type { SessionStore } from "../session/session_store.ts";

/** Bytes of files that are kept for one session. */
export const MAX_SESSION_BLOB_BYTES: number = 64 * 1024 * 1024;

/** Bytes of files that are kept for all sessions. */
export const MAX_BLOB_BYTES: number = 512 * 1024 * 1024;

/** Days that they are kept. */
export const BLOB_RETENTION_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** So many of the oldest changes give way at once. */
const OLDEST = 100;

const SUM_SESSION = `
  SELECT coalesce(sum(b.bytes), 0) AS bytes FROM session_blobs s JOIN blobs b ON b.hash = s.hash
  WHERE s.session_id = ?`;
const SUM_ALL = "SELECT coalesce(sum(bytes), 0) AS bytes FROM blobs";
const INSERT_BLOB = `
  INSERT OR IGNORE INTO blobs (hash, mime_type, bytes, created_at)
  VALUES (?, 'application/octet-stream', ?, ?)`;
const INSERT_USE = "INSERT OR IGNORE INTO session_blobs (session_id, hash) VALUES (?, ?)";
const SELECT_OLD = `
  SELECT DISTINCT session_id, before_hash FROM file_changes WHERE kept = 'blob' AND created_at <= ?`;
const EXPIRE_OLD = `
  UPDATE file_changes SET kept = 'expired' WHERE kept = 'blob' AND created_at <= ?`;
const DELETE_USE = `
  DELETE FROM session_blobs WHERE session_id = ?1 AND hash = ?2 AND NOT EXISTS (
    SELECT 1 FROM file_changes WHERE session_id = ?1 AND before_hash = ?2 AND kept = 'blob')`;
const DELETE_UNUSED = `
  DELETE FROM blobs WHERE hash = ?1
    AND NOT EXISTS (SELECT 1 FROM session_blobs WHERE hash = ?1)`;
const SELECT_OLDEST = `
  SELECT max(created_at) AS at FROM (
    SELECT created_at FROM file_changes WHERE kept = 'blob' ORDER BY created_at LIMIT ?)`;

/**
 * Keeps what a file held, in a file that only its owner may read. What is older than
 * {@linkcode BLOB_RETENTION_DAYS} goes first, and then whatever is oldest.
 *
 * @param store The record.
 * @param sessionId The session that needs it.
 * @param bytes What the file held.
 * @param hash Its SHA-256.
 * @param at Epoch milliseconds.
 * @returns Whether it is kept: not where there is no room for it, in the limits or on the disk.
 * @throws {AlisioError} With a `database_*` code.
 */
export async function keepBlob(
  store: SessionStore,
  sessionId: string,
  { bytes, hash, at }: { readonly bytes: Uint8Array; readonly hash: string; readonly at: number },
): Promise<boolean> {
  const db = store.database;
  await expireBlobs(store, at - BLOB_RETENTION_DAYS * DAY_MS);
  if (Number(db.get(SUM_SESSION, sessionId)?.bytes) + bytes.length > MAX_SESSION_BLOB_BYTES) {
    return false;
  }
  while (Number(db.get(SUM_ALL)?.bytes) + bytes.length > MAX_BLOB_BYTES) {
    const oldest = db.get(SELECT_OLDEST, OLDEST)?.at;
    if (typeof oldest !== "number") return false;
    await expireBlobs(store, oldest);
  }
  // First its use, so that nobody who removes what is unused removes the file.
  store.transaction(() => {
    db.run(INSERT_BLOB, hash, bytes.length, at);
    db.run(INSERT_USE, sessionId, hash);
  });
  const isWritten = await writeBlob(blobPath(store.stateRoot, hash), bytes);
  if (!isWritten) await dropBlob(store, sessionId, hash);
  return isWritten;
}

/**
 * Reads what was kept.
 *
 * @param store The record.
 * @param hash SHA-256 of the bytes.
 * @returns Undefined where it is gone or damaged.
 */
export async function readBlob(
  store: SessionStore,
  hash: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const bytes = await Deno.readFile(blobPath(store.stateRoot, hash));
    return await sha256Hex(bytes) === hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes what was kept for a session, unless another change or session needs it.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param hash SHA-256 of the bytes.
 * @throws {AlisioError} With a `database_*` code.
 */
export async function dropBlob(
  store: SessionStore,
  sessionId: string,
  hash: string,
): Promise<void> {
  const isUnused = store.transaction(() => {
    store.database.run(DELETE_USE, sessionId, hash);
    return store.database.run(DELETE_UNUSED, hash) > 0;
  });
  if (isUnused) await Deno.remove(blobPath(store.stateRoot, hash)).catch(() => {});
}

async function expireBlobs(store: SessionStore, through: number): Promise<void> {
  const db = store.database;
  const old = db.all(SELECT_OLD, through);
  if (old.length === 0) return;
  db.run(EXPIRE_OLD, through);
  for (const row of old) await dropBlob(store, String(row.session_id), String(row.before_hash));
}

async function writeBlob(path: string, bytes: Uint8Array): Promise<boolean> {
  const temp = `${path}.${crypto.randomUUID()}`;
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await Deno.writeFile(temp, bytes, { createNew: true, mode: 0o600 });
    await Deno.rename(temp, path);
    return true;
  } catch {
    await Deno.remove(temp).catch(() => {});
    return false;
  }
}
