import type { ModelMessage, ModelToolCall } from "@alisio/sdk";
import type { StoredMessage } from "../session/stored_message.ts";
import { replayableArguments } from "../tools/parse_arguments.ts";
import { resultText } from "../tools/result_text.ts";

/** A word that no path, no terminal and no server reads as anything else. */
const CALL_ID_REGEXP = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}$/;

/**
 * The conversation as a model is sent it: kept ready, only ever appended to, so that each request
 * repeats the one before it byte for byte and adds to it.
 */
export class Transcript {
  #messages: ModelMessage[] = [];
  readonly #callIds: Set<string>;
  #chars = 0;

  /**
   * Starts with what a session holds.
   *
   * @param stored Its messages, oldest first, with every call answered.
   * @param journaled Ids of every call that it ever recorded, also of those whose message is gone.
   */
  constructor(stored: readonly StoredMessage[], journaled: Iterable<string> = []) {
    this.#callIds = new Set(journaled);
    for (const message of stored) this.append(message);
  }

  /** The messages so far, oldest first. The same objects on every turn, in a list of their own. */
  snapshot(): readonly ModelMessage[] {
    return this.#messages.slice();
  }

  /** Characters of all messages, roughly what they take in a request. */
  get chars(): number {
    return this.#chars;
  }

  /**
   * Adds a message. An assistant message that says and calls nothing is left out: servers refuse
   * it.
   *
   * @param stored The message as it was stored.
   */
  append(stored: StoredMessage): void {
    const message = toModelMessage(stored);
    if (message === null) return;
    if (message.role === "assistant") {
      for (const call of message.calls) this.#callIds.add(call.id);
    }
    this.#messages.push(message);
    this.#chars += messageChars(message);
  }

  /**
   * Takes other messages in the place of all of them. Ids of calls that are gone stay taken.
   *
   * @param stored The messages, oldest first, with every call answered.
   */
  replace(stored: readonly StoredMessage[]): void {
    this.#messages = [];
    this.#chars = 0;
    for (const message of stored) this.append(message);
  }

  /**
   * Gives every call an id that no other call of the session has: the server's own where it is
   * usable, a fresh one where it is missing, was used before, or is no plain word that may be sent
   * back and may name a file. Names are made such that a server takes them back.
   *
   * @param calls Calls of one response.
   */
  identify(calls: readonly ModelToolCall[]): readonly ModelToolCall[] {
    const taken = new Set<string>();
    return calls.map((call) => {
      const usable = CALL_ID_REGEXP.test(call.id) && !this.#callIds.has(call.id) &&
        !taken.has(call.id);
      const id = usable ? call.id : `call_${crypto.randomUUID().replaceAll("-", "")}`;
      taken.add(id);
      return { id, name: replayableName(call.name), arguments: call.arguments };
    });
  }
}

/**
 * The form in which a model is sent a stored message, or null for one that is never sent.
 *
 * @param stored A message as it was stored.
 */
export function toModelMessage(stored: StoredMessage): ModelMessage | null {
  switch (stored.role) {
    case "user":
      return { role: "user", content: stored.content };
    case "tool":
      return {
        role: "tool",
        callId: stored.callId,
        name: stored.name,
        text: resultText(stored.content),
        isError: stored.isError,
      };
    case "assistant": {
      if (stored.text.trim() === "" && stored.calls.length === 0) return null;
      return {
        role: "assistant",
        text: stored.text,
        calls: stored.calls.map((call) => ({
          ...call,
          arguments: replayableArguments(call.arguments),
        })),
        ...(stored.reasoning === undefined ? {} : { reasoning: stored.reasoning }),
        ...(stored.continuation === undefined ? {} : { continuation: stored.continuation }),
      };
    }
  }
}

function replayableName(name: string): string {
  const safe = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return safe === "" ? "unnamed_tool" : safe;
}

/** What an image takes of a request, in characters, whatever its size in bytes. */
const IMAGE_CHARS = 6_000;

/**
 * How many characters of a request a message takes, roughly.
 *
 * @param message The message.
 */
export function messageChars(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return message.content.reduce(
        (sum, part) => sum + (part.type === "text" ? part.text.length : IMAGE_CHARS),
        0,
      );
    case "tool":
      return message.text.length;
    case "assistant": {
      const { continuation } = message;
      const opaque = continuation === undefined ? 0 : JSON.stringify(continuation.items).length;
      return message.calls.reduce(
        (sum, call) => sum + call.name.length + call.arguments.length,
        message.text.length + (message.reasoning?.length ?? 0) + opaque,
      );
    }
  }
}
