import { PLAN_OPTION } from "../plan/plan_state.ts";
import { acquireLease } from "../session/lease.ts";
import { assertRecovered, recoverSession } from "../session/recovery.ts";
import type { SessionRecord } from "../session/session_records.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { SessionPoint } from "./session_points.ts";
import { REWOUND_OPTION } from "./session_state.ts";

// What a checkpoint of the later part stands for belongs to the conversation again.
const COPY_MESSAGES = `
  INSERT INTO messages (session_id, seq, role, message, created_at, compacted, place, replaced_at)
  SELECT ?1, seq, role, message, created_at,
    CASE WHEN compacted = 1 AND replaced_at >= ?3 THEN 0 ELSE compacted END, place,
    CASE WHEN replaced_at >= ?3 THEN NULL ELSE replaced_at END
  FROM messages WHERE session_id = ?2 AND seq < ?3 AND compacted < 2 ORDER BY seq`;
const COPY_CALLS = `
  INSERT INTO tool_calls (session_id, call_id, arguments, status, content, is_error, run_id, name,
    effect, started_at, ended_at)
  SELECT ?1, call_id, arguments, status, content, is_error, run_id, name, effect, started_at,
    ended_at
  FROM tool_calls WHERE session_id = ?2 AND status = 'completed'
    AND (started_at IS NULL OR started_at <= ?3) ORDER BY rowid`;
const COPY_CHANGES = `
  INSERT INTO file_changes (session_id, call_id, last_seq, path, before_hash, after_hash, mode,
    kept, bytes, status, created_at)
  SELECT ?1, call_id, last_seq, path, before_hash, after_hash, mode, kept, bytes, status, created_at
  FROM file_changes WHERE session_id = ?2 AND last_seq < ?3 AND rewind_id IS NULL
    AND reverted_by IS NULL ORDER BY seq`;
const COPY_BLOBS = `
  INSERT OR IGNORE INTO session_blobs (session_id, hash)
  SELECT session_id, before_hash FROM file_changes WHERE session_id = ? AND kept = 'blob'`;

const MAX_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * Copies a conversation, or its part before a prompt, into a new session. The one that it is copied
 * from stays as it is; what was used for it is counted there alone.
 *
 * @param store The record.
 * @param source The session that it is copied from.
 * @param before The prompt that it ends before; absent for all of it.
 * @param at Epoch milliseconds.
 * @throws {AlisioError} `session_locked` while the session is in use; `session_needs_recovery` while
 * it holds calls whose outcome is not known.
 */
export async function forkSession(
  store: SessionStore,
  source: SessionRecord,
  before: SessionPoint | undefined,
  at: number,
): Promise<SessionRecord> {
  const lease = await acquireLease(store, source.id);
  try {
    const { uncertain } = recoverSession(store, source.id, at);
    assertRecovered(source.id, uncertain);
    return store.transaction(() => copySession(store, source, before, at));
  } finally {
    lease.release();
  }
}

function copySession(
  store: SessionStore,
  source: SessionRecord,
  before: SessionPoint | undefined,
  createdAt: number,
): SessionRecord {
  const { workspace, model, provider, title } = source;
  const id = crypto.randomUUID();
  const named = title === undefined ? {} : { title };
  store.createSession({ id, workspace, model, provider, ...named, createdAt });
  const end = before?.message ?? MAX_SEQ;
  const db = store.database;
  db.run(COPY_MESSAGES, id, source.id, end);
  db.run(COPY_CALLS, id, source.id, before?.createdAt ?? MAX_SEQ);
  db.run(COPY_CHANGES, id, source.id, end);
  db.run(COPY_BLOBS, id);
  const origin = { session: source.id, ...before === undefined ? {} : { before: before.message } };
  // A plan is reviewed and implemented once, where it was proposed.
  const options = {
    ...source.options,
    [PLAN_OPTION]: null,
    [REWOUND_OPTION]: null,
    forkedFrom: origin,
  };
  return store.updateSession(id, { options });
}
