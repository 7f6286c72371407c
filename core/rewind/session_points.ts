import { AlisioError } from "../errors.ts";
import { parseStoredMessage, textOf } from "../session/stored_message.ts";
import type { SessionStore } from "../session/session_store.ts";

/** A prompt of a conversation, before which it can be put back. */
export interface SessionPoint {
  /** The number of its message, which never changes. */
  readonly message: number;
  /** What the person typed. */
  readonly text: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

const SELECT_PROMPTS = `
  SELECT seq, message, created_at FROM messages
  WHERE session_id = ? AND role = 'user' AND place IS NULL AND compacted < 2 ORDER BY seq`;

// The run that was begun last before the prompt is its own.
const SELECT_RUN = `
  SELECT request_id FROM runs WHERE session_id = ? AND started_at <= ?
  ORDER BY started_at DESC, rowid DESC LIMIT 1`;

const MAX_QUOTED_CHARS = 40;

/**
 * The prompts of a conversation as it is now, oldest first; those that a checkpoint stands for
 * included, those that were put aside by a rewind not.
 *
 * @param store The record.
 * @param sessionId The session.
 */
export function sessionPoints(store: SessionStore, sessionId: string): readonly SessionPoint[] {
  return store.database.all(SELECT_PROMPTS, sessionId).flatMap((row) => {
    const message = parseStoredMessage(String(row.message));
    if (message?.role !== "user" || message.summary === true) return [];
    const text = message.display ?? textOf(message.content);
    return [{ message: Number(row.seq), text, createdAt: Number(row.created_at) }];
  });
}

/**
 * Whether a prompt was a turn of a goal, which nobody typed.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param point The prompt.
 */
export function isGoalTurn(
  store: SessionStore,
  sessionId: string,
  { createdAt }: SessionPoint,
): boolean {
  const row = store.database.get(SELECT_RUN, sessionId, createdAt);
  return String(row?.request_id ?? "").startsWith("goal-");
}

/**
 * Finds the prompt that a person means.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param named The number of its message, or `last`.
 * @throws {AlisioError} `usage` if it is none of the conversation.
 */
export function findPoint(store: SessionStore, sessionId: string, named: string): SessionPoint {
  const points = sessionPoints(store, sessionId);
  const found = named === "last"
    ? points.at(-1)
    : points.find(({ message }) => String(message) === named);
  if (found !== undefined) return found;
  const quoted = JSON.stringify(named.slice(0, MAX_QUOTED_CHARS));
  const advice = points.length === 0
    ? "the conversation has no prompt"
    : `give the number of a prompt that "alisio sessions show" lists without "rewound", or "last"`;
  throw new AlisioError("usage", `Cannot find message ${quoted} of the session: ${advice}`);
}
