import { AlisioError } from "../errors.ts";
import type { SessionStore } from "../session/session_store.ts";

/** A rewind, as the record holds it. */
export interface RewindRecord {
  /** Its number. */
  readonly id: number;
  /** The message that the conversation was put back to before. */
  readonly message: number;
  /** Whether files were put back too. */
  readonly withFiles: boolean;
}

const SELECT_UNFINISHED = `
  SELECT * FROM rewinds WHERE session_id = ? AND before_seq = ? AND ended_at IS NULL
  ORDER BY id DESC LIMIT 1`;
const SELECT_LAST = `
  SELECT *, (SELECT max(seq) FROM messages WHERE session_id = ?1) AS newest FROM rewinds
  WHERE session_id = ?1 AND ended_at IS NOT NULL AND undone_at IS NULL ORDER BY id DESC LIMIT 1`;
const INSERT_REWIND = `
  INSERT INTO rewinds (session_id, before_seq, last_seq, with_files, begun_at)
  VALUES (?1, ?2, (SELECT coalesce(max(seq), 0) FROM messages WHERE session_id = ?1), ?3, ?4)`;
const NOTE_FILES = "UPDATE rewinds SET with_files = 1 WHERE id = ?";
const END_REWIND = `
  UPDATE rewinds SET ended_at = ?, with_files = ?,
    last_seq = (SELECT coalesce(max(seq), 0) FROM messages WHERE session_id = rewinds.session_id)
  WHERE id = ?`;
const PUT_ASIDE = `
  UPDATE messages SET compacted = compacted + 2, rewound_by = ?
  WHERE session_id = ? AND seq >= ? AND compacted < 2`;
// A checkpoint that came later stands for them no more.
const BRING_BACK = `
  UPDATE messages SET compacted = 0, restored_by = ?
  WHERE session_id = ? AND seq < ? AND compacted = 1 AND replaced_at >= ?`;
const TAKE_UP = `
  UPDATE messages SET compacted = compacted - 2, rewound_by = NULL
  WHERE session_id = ? AND rewound_by = ? AND compacted >= 2`;
const PUT_BEHIND = `
  UPDATE messages SET compacted = 1, restored_by = NULL
  WHERE session_id = ? AND restored_by = ? AND compacted = 0`;

/**
 * Begins a rewind, or takes up one to the same point that was cut short.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param rewind The message that the conversation is put back to before, and whether files are put
 * back too, which stays so where it is cut short and ended without them.
 * @param at Epoch milliseconds.
 */
export function beginRewind(
  store: SessionStore,
  sessionId: string,
  { message, withFiles }: Omit<RewindRecord, "id">,
  at: number,
): RewindRecord {
  const db = store.database;
  return store.transaction(() => {
    const row = db.get(SELECT_UNFINISHED, sessionId, message);
    const id = row === undefined
      ? db.insert(INSERT_REWIND, sessionId, message, 0, at)
      : Number(row.id);
    if (withFiles) db.run(NOTE_FILES, id);
    return { id, message, withFiles: withFiles || row?.with_files === 1 };
  });
}

/**
 * Puts the messages of a conversation aside from a point on, in the transaction of the caller. They
 * stay in the record; what a later checkpoint stood for is part of the conversation again.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param rewind The rewind, which ends with it.
 * @param at Epoch milliseconds.
 * @returns How many messages were put aside.
 */
export function endRewind(
  store: SessionStore,
  sessionId: string,
  { id, message, withFiles }: RewindRecord,
  at: number,
): number {
  const db = store.database;
  const count = db.run(PUT_ASIDE, id, sessionId, message);
  db.run(BRING_BACK, id, sessionId, message, message);
  db.run(END_REWIND, at, withFiles ? 1 : 0, id);
  return count;
}

/**
 * The rewind that can be undone: the last one, as long as nothing was said after it.
 *
 * @param store The record.
 * @param sessionId The session.
 * @throws {AlisioError} `usage` if there is none.
 */
export function undoableRewind(store: SessionStore, sessionId: string): RewindRecord {
  const row = store.database.get(SELECT_LAST, sessionId);
  if (row === undefined) {
    throw new AlisioError("usage", "Cannot undo a rewind: the session has none to undo");
  }
  if (Number(row.newest) > Number(row.last_seq)) {
    const message = "Cannot undo the rewind: the conversation went on after it. What was put " +
      'aside is still shown by "alisio sessions show"';
    throw new AlisioError("usage", message);
  }
  return {
    id: Number(row.id),
    message: Number(row.before_seq),
    withFiles: row.with_files === 1,
  };
}

/**
 * Takes up again what a rewind put aside, in the transaction of the caller.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param rewind The rewind.
 * @param at Epoch milliseconds.
 * @returns How many messages are part of the conversation again.
 */
export function undoRewind(
  store: SessionStore,
  sessionId: string,
  { id }: RewindRecord,
  at: number,
): number {
  const db = store.database;
  const count = db.run(TAKE_UP, sessionId, id);
  db.run(PUT_BEHIND, sessionId, id);
  db.run("UPDATE rewinds SET undone_at = ? WHERE id = ?", at, id);
  return count;
}
