import type { ImagePart, ModelToolCall, ToolResultPart } from "@alisio/sdk";
import { messageChars, toModelMessage } from "../run/transcript.ts";
import type {
  StoredAssistantMessage,
  StoredMessage,
  StoredUserMessage,
} from "../session/stored_message.ts";

/** Ends every text that was cut. */
export const CUT_MARK = "… [truncated by context budget]";

/** Caps of each round, for results of tools and for what the person and the model said. */
const CAPS: readonly (readonly [result: number, text: number])[] = [
  [8_000, 16_000],
  [4_096, 8_192],
  [2_048, 4_096],
  [1_024, 2_048],
  [512, 1_024],
];

/** Arguments of a call are cut only once texts are as short as they get. */
const MAX_ARGUMENT_CHARS = 200;

/** A conversation that was made to fit, as far as that goes. */
export interface Reduction {
  /** All messages; those that are as they were are the same objects. */
  readonly messages: readonly StoredMessage[];
  /** How many are not. */
  readonly changed: number;
  /** Characters of all of them. */
  readonly chars: number;
}

/**
 * Shortens messages until a conversation fits: the longest first, under caps that fall from round
 * to round. Only what is said changes. Ids, roles and order stay, and so do summaries; arguments of
 * calls, what only a provider can read and images are given up, in that order, when all texts are
 * as short as they get. Pure, and idempotent: what fits is not touched.
 *
 * @param messages The conversation, oldest first.
 * @param targetChars How long it may be.
 */
export function reduceMessages(
  messages: readonly StoredMessage[],
  targetChars: number,
): Reduction {
  const work = new Work(messages);
  for (const [result, text] of CAPS) {
    work.round(targetChars, (message) => cutTexts(message, { result, text }));
  }
  for (const cut of [cutArguments, withoutProviderData, withoutImages]) {
    work.round(targetChars, cut);
  }
  return work.result();
}

class Work {
  readonly #original: readonly StoredMessage[];
  readonly #messages: StoredMessage[];
  readonly #sizes: number[];
  #chars: number;

  constructor(messages: readonly StoredMessage[]) {
    this.#original = messages;
    this.#messages = [...messages];
    this.#sizes = messages.map(charsOf);
    this.#chars = this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Shortens message by message, the longest first, until what is there fits. */
  round(targetChars: number, shorten: (message: StoredMessage) => StoredMessage): void {
    if (this.#chars <= targetChars) return;
    const size = (index: number) => this.#sizes[index] ?? 0;
    const order = this.#messages.map((_, index) => index)
      .sort((a, b) => size(b) - size(a) || a - b);
    for (const index of order) {
      if (this.#chars <= targetChars) return;
      const message = this.#messages[index];
      if (message === undefined || isKept(message)) continue;
      const shorter = shorten(message);
      const chars = shorter === message ? size(index) : charsOf(shorter);
      if (chars >= size(index)) continue;
      this.#chars += chars - size(index);
      this.#sizes[index] = chars;
      this.#messages[index] = shorter;
    }
  }

  result(): Reduction {
    const changed = this.#messages.filter((message, index) => message !== this.#original[index]);
    return { messages: this.#messages, changed: changed.length, chars: this.#chars };
  }
}

function isKept(message: StoredMessage): boolean {
  return message.role === "user" && message.summary === true;
}

/**
 * Characters that a message takes of a request.
 *
 * @param message The message.
 */
export function charsOf(message: StoredMessage): number {
  const sent = toModelMessage(message);
  return sent === null ? 0 : messageChars(sent);
}

function cutTexts(
  message: StoredMessage,
  caps: { readonly result: number; readonly text: number },
): StoredMessage {
  switch (message.role) {
    case "user":
      return { ...message, content: cutParts(message.content, caps.text) };
    case "tool":
      return { ...message, content: cutParts(message.content, caps.result) };
    case "assistant": {
      const text = cutText(message.text, caps.text);
      // Opaque items repeat the text, so they cannot stay beside another one.
      return text === message.text ? message : { ...withoutItems(message), text };
    }
  }
}

/** Cuts the texts of a message, taken together. */
function cutParts<P extends ToolResultPart>(parts: readonly P[], maxChars: number): readonly P[] {
  const total = parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (total <= maxChars) return parts;
  let left = maxChars;
  return parts.flatMap((part) => {
    if (part.type !== "text") return [part];
    // Whatever follows the mark is what it is about.
    if (left <= 0) return [];
    const fits = part.text.length < left;
    const text = fits ? part.text : cutText(part.text + CUT_MARK, left);
    left -= text.length;
    return [fits ? part : { ...part, text }];
  });
}

function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.max(0, maxChars - CUT_MARK.length);
  // No half of a pair of surrogates stands before the mark.
  const splits = /^[\udc00-\udfff]/.test(text.charAt(end));
  return text.slice(0, splits ? end - 1 : end) + CUT_MARK;
}

function cutArguments(message: StoredMessage): StoredMessage {
  if (message.role !== "assistant") return message;
  if (message.calls.every((call) => call.arguments.length <= MAX_ARGUMENT_CHARS)) return message;
  return { ...withoutItems(message), calls: message.calls.map(withoutArguments) };
}

/** Half of the arguments would be another call, so what stands in their place says what it is. */
function withoutArguments(call: ModelToolCall): ModelToolCall {
  const { length } = call.arguments;
  if (length <= MAX_ARGUMENT_CHARS) return call;
  return { ...call, arguments: JSON.stringify({ note: `${length} characters ${CUT_MARK}` }) };
}

function withoutProviderData(message: StoredMessage): StoredMessage {
  if (message.role !== "assistant") return message;
  const { reasoning } = message;
  if (reasoning === undefined && message.continuation === undefined) return message;
  return {
    ...withoutItems(message),
    ...(reasoning === undefined ? {} : { reasoning: cutText(reasoning, MAX_ARGUMENT_CHARS) }),
  };
}

function withoutItems(
  { continuation: _, ...message }: StoredAssistantMessage,
): StoredAssistantMessage {
  return message;
}

function withoutImages(message: StoredMessage): StoredMessage {
  if (message.role !== "user" || message.content.every(({ type }) => type === "text")) {
    return message;
  }
  return { ...message, content: message.content.map(withoutImage) };
}

function withoutImage(part: StoredUserMessage["content"][number]) {
  return part.type === "text" ? part : { type: "text", text: imageText(part) } as const;
}

function imageText({ mimeType }: ImagePart): string {
  return `[image, ${mimeType}] ${CUT_MARK}`;
}
