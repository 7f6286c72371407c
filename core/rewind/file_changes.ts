import type { FileChange, RecordedChange } from "../files/file_change.ts";
import { sha256Hex } from "../files/sha256.ts";
import type { SessionStore } from "../session/session_store.ts";
import { dropBlob, keepBlob } from "./kept_blobs.ts";
import { mayHoldSecret } from "./secret_content.ts";

/**
 * What is kept of a file as it was before a change. `absent`: there was none. The others say why
 * nothing is kept.
 */
export type KeptBefore = "blob" | "absent" | "secret" | "no_room" | "unknown" | "expired";

/** A change of a file by Alisio itself, as the record holds it. */
export interface StoredFileChange {
  /** Its place among all changes of the database. */
  readonly seq: number;
  /** The rewind that made it; absent for a tool. */
  readonly rewindId?: number;
  /** The number of the last message of the session at that time. */
  readonly lastMessage: number;
  /** Real path. */
  readonly path: string;
  /** SHA-256 before it; null where there was no file. */
  readonly before: string | null;
  /** SHA-256 after it; null where it removed the file. */
  readonly after: string | null;
  /** Permission bits before it. */
  readonly mode?: number;
  readonly kept: KeptBefore;
  /** Whether it is certain that it happened. */
  readonly isDone: boolean;
}

/** Who makes a change. */
export interface FileChangeMaker {
  readonly sessionId: string;
  /** The call of a tool. */
  readonly callId?: string;
  /** The rewind. */
  readonly rewindId?: number;
}

const INSERT = `
  INSERT INTO file_changes (session_id, call_id, rewind_id, last_seq, path, before_hash, after_hash,
    mode, kept, bytes, status, created_at)
  VALUES (?1, ?2, ?3, (SELECT coalesce(max(seq), 0) FROM messages WHERE session_id = ?1),
    ?4, ?5, ?6, ?7, ?8, ?9, 'pending', ?10)`;
const UNFINISHED = `(rewind_id IS NULL
  OR rewind_id IN (SELECT id FROM rewinds WHERE session_id = ?1 AND ended_at IS NULL))`;
/** The session ?1 and those that work for it in its own folder. */
const WITH_TREE = `
  WITH RECURSIVE tree(id) AS (
    SELECT ?1 UNION SELECT child.id FROM sessions child JOIN tree ON child.parent_id = tree.id
    WHERE child.workspace = (SELECT workspace FROM sessions WHERE id = ?1))`;
// What was done for a session was done after the last of its own messages.
const SELECT_SINCE = `${WITH_TREE}
  SELECT *, CASE session_id WHEN ?1 THEN last_seq ELSE (
      SELECT coalesce(max(seq), 0) FROM messages m
      WHERE m.session_id = ?1 AND m.created_at <= file_changes.created_at
    ) END AS own_seq FROM file_changes
  WHERE session_id IN (SELECT id FROM tree) AND own_seq >= ?2 AND reverted_by IS NULL
    AND ${UNFINISHED} ORDER BY seq`;
const SELECT_OF_REWIND = `
  SELECT * FROM file_changes
  WHERE session_id = ? AND rewind_id = ? AND reverted_by IS NULL ORDER BY seq`;

/**
 * Records a change of a file before it is made, with what the file holds until then.
 *
 * @param store The record.
 * @param maker Who makes it.
 * @param change The change.
 * @returns What is told how it ended.
 * @throws {AlisioError} With a `database_*` code; the change must not be made then.
 */
export async function recordFileChange(
  store: SessionStore,
  maker: FileChangeMaker,
  change: FileChange,
): Promise<RecordedChange> {
  const at = Date.now();
  const { path, before, beforeHash, afterHash } = change;
  const kept = await keep(store, maker.sessionId, change, at);
  const mode = before === null ? null : modeOf(path);
  const size = before?.length ?? 0;
  const { sessionId, callId = null, rewindId = null } = maker;
  const values = [path, beforeHash, afterHash, mode, kept, size, at] as const;
  const db = store.database;
  const seq = db.insert(INSERT, sessionId, callId, rewindId, ...values);
  return {
    done: () => void db.run("UPDATE file_changes SET status = 'done' WHERE seq = ?", seq),
    failed: async () => {
      db.run("DELETE FROM file_changes WHERE seq = ?", seq);
      if (kept === "blob" && beforeHash !== null) await dropBlob(store, sessionId, beforeHash);
    },
  };
}

/**
 * Changes of files since a message that no rewind took back, oldest first; with those of sessions
 * that work for this one in the same folder.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param message The number of the message.
 */
export function changesSince(
  store: SessionStore,
  sessionId: string,
  message: number,
): readonly StoredFileChange[] {
  return store.database.all(SELECT_SINCE, sessionId, message).map(toChange);
}

/**
 * Changes of files that a rewind made, oldest first.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param rewindId The rewind.
 */
export function changesOfRewind(
  store: SessionStore,
  sessionId: string,
  rewindId: number,
): readonly StoredFileChange[] {
  return store.database.all(SELECT_OF_REWIND, sessionId, rewindId).map(toChange);
}

async function keep(
  store: SessionStore,
  sessionId: string,
  { path, before, beforeHash, isSecret }: FileChange,
  at: number,
): Promise<KeptBefore> {
  if (before === null || beforeHash === null) return "absent";
  // Somebody else was quicker: what was read is not what the change takes the place of.
  if (await sha256Hex(before) !== beforeHash) return "unknown";
  if (isSecret || mayHoldSecret(path, before, (text) => store.holdsSecret(text))) return "secret";
  const isKept = await keepBlob(store, sessionId, { bytes: before, hash: beforeHash, at });
  return isKept ? "blob" : "no_room";
}

function modeOf(path: string): number | null {
  try {
    const { mode } = Deno.lstatSync(path);
    return mode === null ? null : mode & 0o7777;
  } catch {
    return null;
  }
}

function toChange(row: Readonly<Record<string, unknown>>): StoredFileChange {
  const { seq, rewind_id: rewindId, path, before_hash: before, after_hash: after, mode } = row;
  return {
    seq: Number(seq),
    lastMessage: Number(row.own_seq ?? row.last_seq),
    path: String(path),
    before: typeof before === "string" ? before : null,
    after: typeof after === "string" ? after : null,
    kept: String(row.kept) as KeptBefore,
    isDone: row.status === "done",
    ...(typeof rewindId === "number" ? { rewindId } : {}),
    ...(typeof mode === "number" ? { mode } : {}),
  };
}
