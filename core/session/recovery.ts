import { AlisioError } from "../errors.ts";
import { previewText } from "../text/bound_text.ts";
import {
  type HistoryRepair,
  interruptedText,
  repairHistory,
  unansweredCalls,
  UNCERTAIN_TEXT,
} from "./repair_history.ts";
import type { JournalCall } from "./session_records.ts";
import type { SessionStore } from "./session_store.ts";
import type { StoredToolMessage } from "./stored_message.ts";

/** Characters of the input of a call that another one made. */
const MAX_MADE_CHARS = 120;

/**
 * Brings a session in order after whatever ended its last owner: runs that were under way are
 * interrupted, and calls whose outcome is known get their result stored.
 *
 * Called by the holder of the lease, before anything else is stored.
 *
 * @param store The store.
 * @param sessionId The session.
 * @param at Epoch milliseconds.
 * @returns The history to go on with. Its `missing` results are stored by then.
 */
export function recoverSession(store: SessionStore, sessionId: string, at: number): HistoryRepair {
  store.interruptRuns(sessionId, at);
  const messages = store.loadMessages(sessionId);
  const pending = store.pendingCalls(sessionId);
  const isWhole = pending.length === 0 && unansweredCalls(messages).length === 0;
  const repair = repairHistory(messages, isWhole ? [] : store.calls(sessionId));
  const known = pending.filter((call) => !repair.uncertain.some((other) => isSame(call, other)));
  if (known.length === 0 && repair.missing.length === 0) return repair;
  store.transaction(() => {
    for (const call of known) store.endCall({ ...call, ...resultOf(call, repair), endedAt: at });
    for (const result of repair.missing) store.appendMessage(sessionId, result, at);
  });
  return repair;
}

/**
 * Refuses to go on with a session while calls are uncertain.
 *
 * @param sessionId The session.
 * @param uncertain Its uncertain calls.
 * @throws {AlisioError} `session_needs_recovery`, if there are any.
 */
export function assertRecovered(sessionId: string, uncertain: readonly JournalCall[]): void {
  const [first] = uncertain;
  if (first === undefined) return;
  const what = uncertain.length === 1
    ? `a call of "${first.name ?? "a tool"}" was`
    : `${uncertain.length} calls were`;
  const message = `Session "${sessionId}" needs recovery: ${what} interrupted and may or may not ` +
    `have happened. Look with "alisio sessions recover ${sessionId}", then accept with ` +
    `"alisio sessions recover ${sessionId} --acknowledge"`;
  throw new AlisioError("session_needs_recovery", message);
}

/**
 * Accepts that it is not known whether calls happened: that becomes their result, which the model
 * reads next. Nothing is repeated or undone.
 *
 * Called by the holder of the lease.
 *
 * @param store The store.
 * @param sessionId The session.
 * @param calls The calls, each with what was found out about it.
 * @param at Epoch milliseconds.
 */
export function acknowledgeCalls(
  store: SessionStore,
  sessionId: string,
  calls: readonly { readonly call: JournalCall; readonly finding?: string }[],
  at: number,
): void {
  store.transaction(() => {
    const names = new Map(
      store.loadMessages(sessionId).flatMap((message) =>
        message.role === "assistant" ? message.calls.map((call) => [call.id, call.name]) : []
      ),
    );
    const journal = store.calls(sessionId);
    for (const { call, finding } of calls) {
      const known = [finding ?? [], describeMade(call, journal) ?? []].flat();
      const text = [UNCERTAIN_TEXT, ...known].join(". ");
      const name = call.name ?? names.get(call.callId) ?? "";
      const result = {
        role: "tool",
        callId: call.callId,
        name,
        content: [{ type: "text", text }],
        isError: true,
      } as const;
      store.endCall({ ...call, ...result, endedAt: at });
      if (names.has(call.callId)) store.appendMessage(sessionId, result, at);
    }
  });
}

/** The calls that an interrupted call had made: the model gets no result of their own. */
function describeMade(call: JournalCall, journal: readonly JournalCall[]): string | undefined {
  const made = journal.filter(({ callId }) => callId.startsWith(`${call.callId}/`));
  if (made.length === 0) return undefined;
  const told = made.map(({ name = "", arguments: input, status, isError }) => {
    const end = status === "pending" ? "not known" : isError === true ? "failed" : "done";
    return `${name} ${previewText(input, MAX_MADE_CHARS)}: ${end}`;
  });
  return `It had made these calls: ${told.join("; ")}`;
}

function isSame(a: JournalCall, b: JournalCall): boolean {
  return a.callId === b.callId;
}

function resultOf(
  call: JournalCall,
  repair: HistoryRepair,
): Pick<StoredToolMessage, "content" | "isError"> {
  for (const message of repair.messages) {
    if (message.role === "tool" && message.callId === call.callId) return message;
  }
  return { content: [{ type: "text", text: interruptedText(call) }], isError: true };
}
