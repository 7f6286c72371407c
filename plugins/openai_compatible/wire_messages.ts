import type { AssistantMessage, ModelMessage, ToolMessage, UserMessage } from "@alisio/sdk";

/** Neighbours that a server is sent as one turn. */
export type MessageGroup =
  | { readonly role: "user"; readonly messages: readonly UserMessage[] }
  | { readonly role: "assistant"; readonly messages: readonly AssistantMessage[] }
  | { readonly role: "tool"; readonly messages: readonly [ToolMessage] };

/** First size of a body's buffer. */
const INITIAL_BYTES = 65_536;

/**
 * Turns a history into the bytes of a request body, each message once.
 *
 * A history is sent again with every turn, so what was encoded is kept, as bytes, and a turn costs
 * its new messages and one copy. It also keeps the bytes the same from turn to turn, which is what
 * a server's prompt cache goes by.
 *
 * Strict chat templates demand alternation: adjacent user messages become one, an assistant
 * message without text and calls is left out, and an assistant message that made no call is joined
 * with the one that follows it. A last group that may still grow is encoded anew.
 */
export class WireMessages {
  readonly #format: (group: MessageGroup) => string;
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(INITIAL_BYTES);
  #head: string | undefined;
  /** How many messages have bytes that will not change, empty ones included. */
  #settled = 0;
  /** Messages that a history must begin with for those bytes to be right. */
  #known: ModelMessage[] = [];
  #settledBytes = 0;
  #hasItems = false;

  /**
   * Starts with nothing encoded.
   *
   * @param format Renders a group as the JSON of one or more items, separated by commas.
   */
  constructor(format: (group: MessageGroup) => string) {
    this.#format = format;
  }

  /**
   * Renders a body.
   *
   * @param body What stands before and after the history; `head` ends inside an array, and
   * `hasItems` says whether that array holds an item already.
   * @param messages The history.
   */
  render(
    body: { readonly head: string; readonly hasItems: boolean; readonly closing: string },
    messages: readonly ModelMessage[],
  ): Uint8Array<ArrayBuffer> {
    if (body.head !== this.#head || !startsWith(messages, this.#known)) this.#restart(body);
    let open: ModelMessage[] = [];
    for (let index = this.#settled; index < messages.length; index++) {
      const message = messages[index];
      if (message === undefined || isEmpty(message)) continue;
      if (open.length > 0 && !joins(open.at(-1), message)) {
        // The group ends because of the message behind it, which is therefore part of what is known.
        this.#settle(open, { settled: index, known: messages, knownCount: index + 1 });
        open = [];
      }
      open.push(message);
      if (!mayGrow(message)) {
        this.#settle(open, { settled: index + 1, known: messages, knownCount: index + 1 });
        open = [];
      }
    }
    const last = open.length === 0 ? "" : this.#item(open);
    const end = this.#write(last + body.closing, this.#settledBytes);
    return this.#bytes.slice(0, end);
  }

  #settle(
    group: readonly ModelMessage[],
    { settled, known, knownCount }: {
      readonly settled: number;
      readonly known: readonly ModelMessage[];
      readonly knownCount: number;
    },
  ): void {
    this.#settledBytes = this.#write(this.#item(group), this.#settledBytes);
    this.#settled = settled;
    // Added to, not copied: a long history is settled piece by piece.
    for (const message of known.slice(this.#known.length, knownCount)) this.#known.push(message);
    this.#hasItems = true;
  }

  #restart(body: { readonly head: string; readonly hasItems: boolean }): void {
    this.#head = body.head;
    this.#settled = 0;
    this.#known = [];
    this.#settledBytes = this.#write(body.head, 0);
    this.#hasItems = body.hasItems;
  }

  #item(messages: readonly ModelMessage[]): string {
    return (this.#hasItems ? "," : "") + this.#format(toGroup(messages));
  }

  /** Writes a text at a place and answers where it ends. */
  #write(text: string, at: number): number {
    // A UTF-16 unit takes at most three bytes.
    const needed = at + text.length * 3;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at + this.#encoder.encodeInto(text, this.#bytes.subarray(at)).written;
  }
}

function startsWith(messages: readonly ModelMessage[], start: readonly ModelMessage[]): boolean {
  return start.length <= messages.length && start.every((one, index) => one === messages[index]);
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

function joins(before: ModelMessage | undefined, after: ModelMessage): boolean {
  return before !== undefined && before.role === after.role && mayGrow(before);
}

/** Whether a message of the same role would be joined to this one. */
function mayGrow(message: ModelMessage): boolean {
  return message.role === "user" || (message.role === "assistant" && message.calls.length === 0);
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
