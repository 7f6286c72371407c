import type { AssistantMessage, ModelToolCall, ToolResultPart } from "@alisio/sdk";
import { boundText } from "../text/bound_text.ts";
import { resultText } from "../tools/result_text.ts";
import { messageChars } from "./transcript.ts";

/** What is kept of a response, and what the model is told of the rest. */
export interface BoundedResponse {
  /** The same object where all of it is kept. */
  readonly message: AssistantMessage;
  /** By id, of each call that is not to be run because its arguments are too large: why. */
  readonly refusals: ReadonlyMap<string, string>;
  /** Whether text or whole calls were left out, which nobody is told by a result. */
  readonly isCut: boolean;
}

/** However much room there is: what is kept is also held in memory and stored. */
export const MAX_RESPONSE_CHARS: number = 2 * 1024 * 1024;

/** What every result may take at least. */
const MIN_RESULT_CHARS = 300;

/** What every call takes at least: its name, what stands for its arguments, and its result. */
const MIN_CALL_CHARS = 600;

/** At most what stands for arguments that are left out. */
const NOTE_CHARS = 80;

/** At most the mark where text is left out. */
const MARK_CHARS = 64;

/**
 * How much of a response is kept: at most half of the room that the conversation has left. Each
 * response, and likewise the results of its calls, therefore leaves room for what follows, and no
 * answer of a model can make a session one that cannot go on.
 *
 * @param roomChars Characters that a request may still grow by.
 */
export function responseShare(roomChars: number): number {
  return Math.max(0, Math.min(MAX_RESPONSE_CHARS, Math.floor(roomChars / 2)));
}

/**
 * Bounds what is stored and replayed of a response. Calls come first, since they are what the model
 * wants done: one whose arguments do not fit is kept with a note in their place, to be answered
 * instead of run; half of the arguments would be another call. Then text and reasoning, whose
 * middle is left out with a mark; then what only the provider can read, whole or not at all.
 *
 * @param message The response, its calls with final ids and names.
 * @param maxChars How many characters of a request it may take.
 */
export function boundResponse(message: AssistantMessage, maxChars: number): BoundedResponse {
  const maxCalls = Math.floor(maxChars / MIN_CALL_CHARS);
  if (message.calls.length <= maxCalls && messageChars(message) <= maxChars) {
    return { message, refusals: new Map(), isCut: false };
  }
  const kept = message.calls.slice(0, maxCalls);
  let left = maxChars - kept.reduce((sum, call) => sum + call.name.length + NOTE_CHARS, 0);
  const refusals = new Map<string, string>();
  const calls = kept.map((call) => {
    const chars = call.arguments.length;
    const more = Math.max(0, chars - NOTE_CHARS);
    if (more > left) {
      refusals.set(call.id, refusalOf(chars, left + NOTE_CHARS));
      return { ...call, arguments: noteOf(chars) };
    }
    left -= more;
    return call;
  });
  const text = cutText(message.text, left, callsLeftOut(message.calls.length - kept.length));
  left -= text.length;
  const reasoning = message.reasoning === undefined ? undefined : cutText(message.reasoning, left);
  left -= reasoning?.length ?? 0;
  const { continuation } = message;
  const fits = continuation !== undefined && JSON.stringify(continuation.items).length <= left;
  return {
    message: {
      role: "assistant",
      text,
      calls,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(fits ? { continuation } : {}),
    },
    refusals,
    isCut: text !== message.text,
  };
}

/** Shares the room that is left among the results of the calls of one response. */
export class ResultBudget {
  #leftChars: number;
  #leftCalls: number;

  /**
   * Starts with half of the room.
   *
   * @param roomChars Characters that a request may still grow by, the response included.
   * @param calls How many results there will be.
   */
  constructor(roomChars: number, calls: number) {
    this.#leftChars = Math.max(0, Math.floor(roomChars / 2));
    this.#leftCalls = calls;
  }

  /**
   * Bounds the next result. It may take what is left, except for a little for each that follows.
   *
   * @param content What a tool answered.
   * @param reservedChars Characters that are added to it afterwards.
   */
  bound(content: readonly ToolResultPart[], reservedChars = 0): readonly ToolResultPart[] {
    this.#leftCalls -= 1;
    this.#leftChars -= reservedChars;
    const bounded = boundResult(content, this.#leftChars - this.#leftCalls * MIN_RESULT_CHARS);
    this.#leftChars -= resultText(bounded).length;
    return bounded;
  }
}

/** Parts that a model is not sent stay as they are. */
function boundResult(
  content: readonly ToolResultPart[],
  maxChars: number,
): readonly ToolResultPart[] {
  const text = resultText(content);
  if (text.length <= maxChars) return content;
  return [
    { type: "text", text: cutText(text, maxChars) },
    ...content.filter((part) => part.type !== "text"),
  ];
}

/**
 * Keeps the start and the end of a text.
 *
 * @param text Any text.
 * @param maxChars How long it may be, marks included.
 * @param note What is added to its end if there is room.
 */
export function cutText(text: string, maxChars: number, note = ""): string {
  const room = maxChars - note.length;
  if (text.length <= room) return text + note;
  if (room >= 2 * MARK_CHARS) return boundText(text, room - MARK_CHARS).text + note;
  return note.length <= maxChars ? note : "";
}

function callsLeftOut(count: number): string {
  return count === 0 ? "" : `\n[${count} further calls left out: too many]`;
}

function noteOf(chars: number): ModelToolCall["arguments"] {
  return JSON.stringify({ note: `${chars} characters, left out` });
}

function refusalOf(chars: number, maxChars: number): string {
  // Rounded, so that the same call has the same answer, which shows a model that repeats it.
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, maxChars)));
  const about = Math.floor(maxChars / unit) * unit;
  return `Not run: the arguments are too large: ${chars} characters, and about ${about} fit into ` +
    "what is left of this conversation. Write in several calls, each with a smaller part";
}
