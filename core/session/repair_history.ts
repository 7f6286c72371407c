import type { ModelToolCall } from "@alisio/sdk";
import type { JournalCall } from "./session_records.ts";
import type { StoredAssistantMessage, StoredMessage, StoredToolMessage } from "./stored_message.ts";

/** A history that can be sent to a model, and what was wrong with the stored one. */
export interface HistoryRepair {
  /**
   * Every call has exactly one result, directly after its message and in the order of the calls;
   * ids are unique and no message is empty. Messages that needed no change are the same objects.
   */
  readonly messages: readonly StoredMessage[];
  /** Results that no row holds, of calls whose outcome is known, in order. */
  readonly missing: readonly StoredToolMessage[];
  /** Calls that may or may not have happened; a person has to look first. */
  readonly uncertain: readonly JournalCall[];
}

/** What a model reads of a call that a crash, a stop or a limit cut short and that changes nothing. */
export const INTERRUPTED_TEXT: string =
  "Interrupted: the call did not finish. It changes nothing; repeat it if its result is needed";

/** What a model reads of such a call that may have begun or kept something that Alisio owns. */
export const INTERRUPTED_INTERNAL_TEXT =
  "Interrupted: the call did not finish. What it kept or began by then is still there; look " +
  "before you repeat it";

/** What a model reads of a call that never began. */
export const NOT_RUN_TEXT = "Not run: Alisio ended before this call began";

/** What a model reads of a call whose outcome nobody knows. */
export const UNCERTAIN_TEXT: string =
  "Interrupted: Alisio ended while this call ran. It may or may not have happened, wholly or in " +
  "part. Check before repeating it";

/**
 * Makes a stored history fit to be sent, whatever cut it short.
 *
 * Pure and deterministic: the same rows give the same messages, so that the beginning of each
 * request stays the same from one resume to the next.
 *
 * @param messages The stored messages, in order.
 * @param journal Journal entries; those of calls without a result are enough.
 */
export function repairHistory(
  messages: readonly StoredMessage[],
  journal: readonly JournalCall[],
): HistoryRepair {
  const results = pairResults(messages);
  const entries = new Map(journal.map((entry) => [entry.callId, entry]));
  const ids = new UniqueIds();
  const repaired: StoredMessage[] = [];
  const missing: StoredToolMessage[] = [];
  const answered = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool" || isEmpty(message)) continue;
    if (message.role === "user" || message.calls.length === 0) {
      repaired.push(message);
      continue;
    }
    const calls = message.calls.map((call) => withUniqueId(call, ids));
    repaired.push(withCalls(message, calls));
    message.calls.forEach((call, index) => {
      const id = calls[index]?.id ?? call.id;
      const stored = results.get(message)?.[index];
      // The journal has one entry for an id, which is of the first call that bore it.
      const entry = id === call.id ? entries.get(call.id) : undefined;
      const result = stored ?? resultFromJournal(call, entry);
      if (stored !== undefined) answered.add(call.id);
      else if (!isUncertain(entry)) missing.push(result);
      repaired.push(result.callId === id ? result : { ...result, callId: id });
    });
  }
  const uncertain = journal.filter((entry) => isUncertain(entry) && !answered.has(entry.callId));
  return { messages: repaired, missing, uncertain };
}

/**
 * Ids of calls that have no result message.
 *
 * @param messages Stored messages, in order.
 */
export function unansweredCalls(messages: readonly StoredMessage[]): readonly string[] {
  const results = pairResults(messages);
  return messages.flatMap((message) =>
    message.role !== "assistant" ? [] : message.calls
      .filter((_, index) => results.get(message)?.[index] === undefined)
      .map((call) => call.id)
  );
}

/**
 * Whether a journal entry says neither that its call happened nor that it did not.
 *
 * @param entry The entry; undefined for a call that never began.
 */
export function isUncertain(entry: JournalCall | undefined): boolean {
  return entry?.status === "pending" && entry.effect !== "read" && entry.effect !== "internal";
}

type Results = ReadonlyMap<StoredAssistantMessage, readonly (StoredToolMessage | undefined)[]>;

/**
 * Finds the result of each call: of the latest call before it that bears its id and has none yet.
 * A result that belongs to no call is left out.
 */
function pairResults(messages: readonly StoredMessage[]): Results {
  const results = new Map<StoredAssistantMessage, (StoredToolMessage | undefined)[]>();
  const open = new Map<string, { list: (StoredToolMessage | undefined)[]; index: number }[]>();
  for (const message of messages) {
    if (message.role === "assistant" && message.calls.length > 0) {
      const list: (StoredToolMessage | undefined)[] = message.calls.map(() => undefined);
      results.set(message, list);
      // Backwards: of equal ids in one message, the first is answered first.
      for (let index = list.length - 1; index >= 0; index--) {
        const id = message.calls[index]?.id ?? "";
        open.set(id, [...open.get(id) ?? [], { list, index }]);
      }
    } else if (message.role === "tool") {
      const place = open.get(message.callId)?.pop();
      if (place !== undefined) place.list[place.index] = message;
    }
  }
  return results;
}

function resultFromJournal(
  call: ModelToolCall,
  entry: JournalCall | undefined,
): StoredToolMessage {
  const result = { role: "tool", callId: call.id, name: call.name } as const;
  if (entry?.status === "completed" && entry.content !== undefined) {
    return { ...result, content: entry.content, isError: entry.isError };
  }
  const text = entry === undefined
    ? NOT_RUN_TEXT
    : isUncertain(entry)
    ? UNCERTAIN_TEXT
    : interruptedText(entry);
  return { ...result, content: [{ type: "text", text }], isError: true };
}

/**
 * What a model reads of a call that did not finish and that nobody has to look at.
 *
 * @param entry Its journal entry.
 */
export function interruptedText({ effect }: Pick<JournalCall, "effect">): string {
  return effect === "internal" ? INTERRUPTED_INTERNAL_TEXT : INTERRUPTED_TEXT;
}

function isEmpty(message: StoredMessage): boolean {
  if (message.role === "assistant") return message.calls.length === 0 && message.text.trim() === "";
  return !message.content.some((part) => part.type !== "text" || part.text.trim() !== "");
}

function withUniqueId(call: ModelToolCall, ids: UniqueIds): ModelToolCall {
  const id = ids.take(call.id);
  return id === call.id ? call : { ...call, id };
}

function withCalls(
  message: StoredAssistantMessage,
  calls: readonly ModelToolCall[],
): StoredAssistantMessage {
  return calls.every((call, index) => call === message.calls[index])
    ? message
    : { ...message, calls };
}

class UniqueIds {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    const stem = wanted === "" ? "call" : wanted;
    let id = stem;
    for (let count = 2; this.#taken.has(id); count++) id = `${stem}_${count}`;
    this.#taken.add(id);
    return id;
  }
}
