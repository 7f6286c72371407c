import { ChildStore } from "../children/child_store.ts";
import { AlisioError } from "../errors.ts";
import { RunEvents } from "../run/run_events.ts";
import { acquireLease } from "../session/lease.ts";
import { assertRecovered, recoverSession } from "../session/recovery.ts";
import type { SessionStore } from "../session/session_store.ts";
import { isOwnerAlive } from "../tasks/task_owner.ts";
import { changesOfRewind, changesSince } from "./file_changes.ts";
import { type FileLeft, planRestore, type RestorePlan, type RestoreRules } from "./plan_restore.ts";
import { restoreFiles } from "./restore_files.ts";
import {
  beginRewind,
  endRewind,
  type RewindRecord,
  undoableRewind,
  undoRewind,
} from "./rewind_messages.ts";
import { findPoint, type SessionPoint } from "./session_points.ts";
import { putStateAside, takeStateUp } from "./session_state.ts";

/** What a rewind would do, or did. */
export interface RewindOutcome {
  /** The message that the conversation is put back to before. */
  readonly before: number;
  /** How many messages are put aside, or taken up again. */
  readonly messages: number;
  /** What becomes of files; undefined where they stay. */
  readonly files?: RestorePlan;
  /** Calls since that started programs or reached other systems: what they did is not taken back. */
  readonly outsideCalls: number;
  /** Whether an earlier rewind is undone. */
  readonly isUndo: boolean;
  /** The rewind that is undone. */
  readonly undoneId?: number;
}

/** How a rewind is made. */
export interface RewindOptions {
  /** What may be changed; without it, files stay. */
  readonly rules?: RestoreRules;
  /** What the person was shown: that is done, or nothing. Without it, whatever is found. */
  readonly shown?: RewindOutcome;
  /** Stops it between two files. */
  readonly signal: AbortSignal;
}

const COUNT_MESSAGES = `
  SELECT count(*) AS n FROM messages WHERE session_id = ? AND seq >= ? AND compacted < 2`;
const COUNT_ASIDE = "SELECT count(*) AS n FROM messages WHERE session_id = ? AND rewound_by = ?";
const COUNT_OUTSIDE = `
  WITH RECURSIVE tree(id) AS (
    SELECT ?1 UNION SELECT child.id FROM sessions child JOIN tree ON child.parent_id = tree.id)
  SELECT count(*) AS n FROM tool_calls
  WHERE session_id IN (SELECT id FROM tree) AND effect IN ('process', 'external') AND name IS NOT 'execute'
    AND started_at >= ?2`;
const SELECT_BELOW = `
  WITH RECURSIVE tree(id) AS (
    SELECT ?1 UNION SELECT child.id FROM sessions child JOIN tree ON child.parent_id = tree.id)
  SELECT id FROM tree WHERE id <> ?1`;
const MARK_REVERTED = `
  UPDATE file_changes SET reverted_by = ?2
  WHERE seq = ?1 AND (rewind_id IS NULL OR rewind_id <> ?2)`;
const UNMARK = "UPDATE file_changes SET reverted_by = NULL WHERE reverted_by = ?";
const MARK_UNDONE = `
  UPDATE file_changes SET reverted_by = ?2 WHERE session_id = ?1 AND rewind_id = ?2`;

/**
 * Finds out what putting a conversation back would do, and changes nothing.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param point The prompt before which it is put back, or `undo` for undoing the last rewind.
 * @param rules What may be changed; without it, files stay.
 * @throws {AlisioError} `usage` where there is nothing to undo.
 */
export async function planRewind(
  store: SessionStore,
  sessionId: string,
  point: SessionPoint | "undo",
  rules?: RestoreRules,
): Promise<RewindOutcome> {
  const db = store.database;
  if (point === "undo") {
    const rewind = undoableRewind(store, sessionId);
    const plan = rules === undefined || !rewind.withFiles
      ? {}
      : { files: await planRestore(store, changesOfRewind(store, sessionId, rewind.id), rules) };
    const messages = Number(db.get(COUNT_ASIDE, sessionId, rewind.id)?.n);
    const undone = { isUndo: true, undoneId: rewind.id };
    return { before: rewind.message, messages, ...plan, outsideCalls: 0, ...undone };
  }
  const { message, createdAt } = point;
  const plan = rules === undefined
    ? {}
    : { files: await planRestore(store, changesSince(store, sessionId, message), rules) };
  return {
    before: message,
    messages: Number(db.get(COUNT_MESSAGES, sessionId, message)?.n),
    ...plan,
    outsideCalls: Number(db.get(COUNT_OUTSIDE, sessionId, createdAt)?.n),
    isUndo: false,
  };
}

/**
 * Puts a conversation back to before a prompt, and with rules the files that Alisio itself changed
 * since; or undoes that. Everything is checked before anything is changed. Files come first: where
 * that is cut short, the conversation is as it was, and the same call goes on with the rest.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param point The prompt before which it is put back, or `undo`.
 * @param options How.
 * @throws {AlisioError} `session_locked` while the session is in use; `session_needs_recovery` while
 * it holds calls whose outcome is not known; `rewind_refused` where files were changed by other
 * hands, or may not be changed, or where something else would be done than was shown; `usage` where
 * there is nothing to undo, or the prompt is no longer part of the conversation.
 * @throws {FileError} If a file changed at the last moment, or the system refuses.
 */
export async function rewindSession(
  store: SessionStore,
  sessionId: string,
  point: SessionPoint | "undo",
  { rules, shown, signal }: RewindOptions,
): Promise<RewindOutcome> {
  const lease = await acquireLease(store, sessionId);
  try {
    const { uncertain } = recoverSession(store, sessionId, Date.now());
    assertRecovered(sessionId, uncertain);
    assertNobodyWorks(store, sessionId);
    // Since it was chosen, another process may have put it aside.
    if (point !== "undo") findPoint(store, sessionId, String(point.message));
    const outcome = await planRewind(store, sessionId, point, rules);
    const { files } = outcome;
    if (files !== undefined) assertFree(files.conflicts, outcome);
    if (shown !== undefined) assertAsShown(outcome, shown);
    const withFiles = files !== undefined;
    const rewind = point === "undo"
      ? undoableRewind(store, sessionId)
      : beginRewind(store, sessionId, { message: point.message, withFiles }, Date.now());
    if (files !== undefined && rules !== undefined) {
      const maker = { sessionId, ...(point === "undo" ? {} : { rewindId: rewind.id }) };
      await restoreFiles(store, maker, files, { rules, signal });
    }
    return record(store, sessionId, outcome, rewind);
  } finally {
    lease.release();
  }
}

/** Files must not be put back under the hands of a session that works for this one. */
function assertNobodyWorks(store: SessionStore, sessionId: string): void {
  const below = new Set(store.database.all(SELECT_BELOW, sessionId).map(({ id }) => String(id)));
  const working = new ChildStore(store.database).unfinished().find(({ id, ownerToken }) =>
    below.has(id) && ownerToken !== "" && isOwnerAlive(store.stateRoot, ownerToken)
  );
  if (working === undefined) return;
  const message = `Session is already in use: session "${working.id}" works for it. Wait until ` +
    "that has ended, or cancel it";
  throw new AlisioError("session_locked", message);
}

function record(
  store: SessionStore,
  sessionId: string,
  outcome: RewindOutcome,
  rewind: RewindRecord,
): RewindOutcome {
  const { files, isUndo, before } = outcome;
  const db = store.database;
  const at = Date.now();
  const events = new RunEvents({ runId: crypto.randomUUID(), sessionId, store, observers: [] });
  let messages = 0;
  events.batch(() => {
    if (isUndo) {
      messages = undoRewind(store, sessionId, rewind, at);
      takeStateUp(store, sessionId, rewind.id);
      if (files !== undefined) {
        db.run(UNMARK, rewind.id);
        db.run(MARK_UNDONE, sessionId, rewind.id);
      }
    } else {
      messages = endRewind(store, sessionId, rewind, at);
      for (const seq of files?.changes ?? []) db.run(MARK_REVERTED, seq, rewind.id);
      putStateAside(store, sessionId, rewind);
    }
    const { restored, removed } = touched(files);
    const undone = isUndo ? { undone: true as const } : {};
    events.emit("session_rewound", { before, messages, restored, removed, ...undone });
  });
  return { ...outcome, messages };
}

/**
 * The files that a plan puts back, and those that it removes: none where something is in the way,
 * since it is refused as a whole then.
 *
 * @param plan The plan, if there is one.
 */
export function touched(
  plan: RestorePlan | undefined,
): { readonly restored: readonly string[]; readonly removed: readonly string[] } {
  const files = plan === undefined || plan.conflicts.length > 0 ? [] : plan.files;
  return {
    restored: files.filter(({ target }) => target !== null).map(({ path }) => path),
    removed: files.filter(({ target }) => target === null).map(({ path }) => path),
  };
}

function assertAsShown(outcome: RewindOutcome, shown: RewindOutcome): void {
  if (essenceOf(outcome) === essenceOf(shown)) return;
  throw new AlisioError(
    "rewind_refused",
    "Cannot go back: what would be done changed since it was shown, so nothing was changed; look " +
      "at it again",
  );
}

/** What a person agrees to. What stays as it is, and what is not known, is no part of it. */
function essenceOf({ before, messages, files, undoneId }: RewindOutcome): string {
  const changes = files?.files.map(({ path, present, target }) => [path, present, target]);
  return JSON.stringify([before, messages, undoneId ?? null, changes ?? null]);
}

const MAX_NAMED = 20;

function assertFree(
  conflicts: readonly FileLeft[],
  { isUndo }: Pick<RewindOutcome, "isUndo">,
): void {
  if (conflicts.length === 0) return;
  const named = conflicts.slice(0, MAX_NAMED).map(({ path, reason }) =>
    `\n  ${JSON.stringify(path)}: ${reason}`
  );
  const more = conflicts.length - named.length;
  const rest = more > 0 ? `\n  and ${more} more` : "";
  const message = `Cannot put the files back, so nothing was changed:${named.join("")}${rest}\n` +
    `Bring them in order first${isUndo ? "" : ", or rewind the conversation alone"}`;
  throw new AlisioError("rewind_refused", message);
}
