import type { ModelToolCall } from "@alisio/sdk";
import {
  type StoredMessage,
  type StoredToolMessage,
  textOf,
} from "../../core/session/stored_message.ts";
import { mergesWith } from "./call_kind.ts";
import { callResult, hasOwnBlocks, imageFacts } from "./call_result.ts";
import type { Call, Entry, ToolEntry } from "./entry.ts";

const SUMMARISED = "What was said before this is summarised for the model";

/** Longer results are looked up where they are shown, so that a long session opens at once. */
const MAX_KEPT_CHARS = 2_000;

/**
 * What the conversation shows of stored messages. Pure, and linear in the number of messages; nothing
 * is laid out.
 *
 * @param messages Every message, in order.
 * @param firstId Id of the first entry.
 * @param sessionId The session that keeps long results; without it, they are taken from messages.
 */
export function entriesOfMessages(
  messages: readonly StoredMessage[],
  firstId: number,
  sessionId?: string,
): readonly Entry[] {
  const results = new Map<string, StoredToolMessage>();
  for (const message of messages) {
    if (message.role === "tool") results.set(message.callId, message);
  }
  const entries: Entry[] = [];
  const nextId = () => firstId + entries.length;
  for (const message of messages) {
    switch (message.role) {
      case "user": {
        if (message.summary === true) {
          entries.push({ kind: "notice", id: nextId(), tone: "info", text: SUMMARISED });
          break;
        }
        const text = message.display ?? textOf(message.content);
        const images = message.content.flatMap((part) =>
          part.type === "image" ? [imageFacts(part)] : []
        );
        entries.push({ kind: "prompt", id: nextId(), text, images });
        break;
      }
      case "assistant":
        if (message.reasoning !== undefined && message.reasoning.trim() !== "") {
          const { reasoning: text } = message;
          entries.push({ kind: "thought", id: nextId(), text, isLive: false, startedAt: 0 });
        }
        if (message.text !== "") {
          const { text } = message;
          const isFinal = message.calls.length === 0 && message.partial !== true;
          entries.push({ kind: "answer", id: nextId(), text, isLive: false, isFinal });
        }
        for (const call of message.calls) {
          addCall(entries, toCall(call, results, sessionId), nextId());
        }
        break;
      case "tool":
        break;
      default:
        message satisfies never;
    }
  }
  return entries;
}

function toCall(
  call: ModelToolCall,
  results: ReadonlyMap<string, StoredToolMessage>,
  sessionId: string | undefined,
): Call {
  const result = results.get(call.id);
  const { id, name, arguments: args } = call;
  if (result === undefined) return { id, name, arguments: args, status: "cancelled" };
  const { content, isError } = result;
  const status = isError ? "failed" : "done";
  const chars = content.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length : 0),
    0,
  );
  const hasNative = content.some(({ type }) => type !== "text");
  if (sessionId === undefined || (chars <= MAX_KEPT_CHARS && !hasNative)) {
    return { id, name, arguments: args, status, result: callResult(name, content) };
  }
  // The blocks of file and shell tools are no blocks of their own.
  return {
    id,
    name,
    arguments: args,
    status,
    storedIn: sessionId,
    hasNative: hasNative && hasOwnBlocks(name),
  };
}

function addCall(entries: Entry[], call: Call, id: number): void {
  const before = entries.at(-1);
  const last = before?.kind === "tool" ? before.calls[before.calls.length - 1] : undefined;
  if (before?.kind !== "tool" || last === undefined || !mergesWith(last, call)) {
    entries.push({ kind: "tool", id, calls: [call], startedAt: 0 });
    return;
  }
  const merged: ToolEntry = { ...before, calls: [...before.calls, call] };
  entries[entries.length - 1] = merged;
}
