import type { AssistantMessage, ModelMessage, ToolMessage, UserMessage } from "@alisio/sdk";

/** Neighbours that a server is sent as one turn. */
export type MessageGroup =
  | { readonly role: "user"; readonly messages: readonly UserMessage[] }
  | { readonly role: "assistant"; readonly messages: readonly AssistantMessage[] }
  | { readonly role: "tool"; readonly messages: readonly [ToolMessage] };

/**
 * Turns a history into wire JSON, once for each message.
 *
 * A history is sent again with every turn, so the JSON of a message is kept for as long as the
 * message lives and a turn costs its new messages and one join. It also keeps the bytes the same
 * from turn to turn, which is what a server's prompt cache goes by.
 *
 * Strict chat templates demand alternation: adjacent user messages become one, an assistant
 * message without text and calls is left out, and an assistant message that made no call is joined
 * with the one that follows it.
 */
export class WireMessages {
  readonly #format: (group: MessageGroup) => string;
  readonly #single = new WeakMap<ModelMessage, string>();
  /** Groups of several, by their first message. */
  readonly #groups = new WeakMap<ModelMessage, EncodedGroup>();

  /**
   * Starts with nothing encoded.
   *
   * @param format Renders a group as the JSON of one or more items, separated by commas.
   */
  constructor(format: (group: MessageGroup) => string) {
    this.#format = format;
  }

  /**
   * Renders a history as the inside of a JSON array.
   *
   * @param messages The history.
   */
  encode(messages: readonly ModelMessage[]): string {
    const kept = messages.filter((message) => !isEmpty(message));
    const parts: string[] = [];
    for (let start = 0; start < kept.length;) {
      let end = start + 1;
      while (end < kept.length && joins(kept[end - 1], kept[end])) end++;
      parts.push(end === start + 1 ? this.#one(kept[start]) : this.#many(kept.slice(start, end)));
      start = end;
    }
    return parts.join(",");
  }

  #one(message: ModelMessage | undefined): string {
    if (message === undefined) return "";
    let json = this.#single.get(message);
    if (json === undefined) {
      json = this.#format(toGroup([message]));
      this.#single.set(message, json);
    }
    return json;
  }

  #many(messages: readonly ModelMessage[]): string {
    const first = messages[0];
    const known = first && this.#groups.get(first);
    if (known && isSame(known.messages, messages)) return known.json;
    const json = this.#format(toGroup(messages));
    if (first) this.#groups.set(first, { messages, json });
    return json;
  }
}

interface EncodedGroup {
  readonly messages: readonly ModelMessage[];
  readonly json: string;
}

/** A retry may end in another notice than the request before it, so every member counts. */
function isSame(known: readonly ModelMessage[], messages: readonly ModelMessage[]): boolean {
  return known.length === messages.length && known.every((one, index) => one === messages[index]);
}

/**
 * Joins the texts of one group, skipping blank ones.
 *
 * @param texts What each message says.
 */
export function joinTexts(texts: readonly string[]): string {
  // A lone surrogate would be refused by the server, in this turn and in every later one.
  return texts.filter((text) => text.trim() !== "").join("\n\n").toWellFormed();
}

/**
 * The arguments of a call as JSON text that holds an object, whatever the model wrote.
 *
 * @param text The stored arguments.
 */
export function formatArguments(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? text.toWellFormed() : "{}";
  } catch {
    return "{}";
  }
}

/**
 * The name of a call in the characters that servers accept. A model can call a tool that does not
 * exist; its name must not spoil every later request.
 *
 * @param name The stored name.
 */
export function formatCallName(name: string): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  return name.replace(/[^\w-]+/g, "_").slice(0, 64) || "unknown_tool";
}

function isEmpty(message: ModelMessage): boolean {
  if (message.role === "tool") return false;
  if (message.role === "assistant") return message.calls.length === 0 && message.text.trim() === "";
  return message.content.every((part) => part.type === "text" && part.text.trim() === "");
}

function joins(before: ModelMessage | undefined, after: ModelMessage | undefined): boolean {
  if (before === undefined || after === undefined || before.role !== after.role) return false;
  return before.role === "user" || (before.role === "assistant" && before.calls.length === 0);
}

function toGroup(messages: readonly ModelMessage[]): MessageGroup {
  const first = messages[0];
  if (first?.role === "tool") return { role: "tool", messages: [first] };
  if (first?.role === "assistant") {
    return {
      role: "assistant",
      messages: messages.filter((message): message is AssistantMessage =>
        message.role === "assistant"
      ),
    };
  }
  return {
    role: "user",
    messages: messages.filter((message): message is UserMessage => message.role === "user"),
  };
}
