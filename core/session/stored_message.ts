import type { AssistantMessage, ImagePart, TextPart, ToolResultPart } from "@alisio/sdk";

/** What the person, or the host on their behalf, said. */
export interface StoredUserMessage {
  /** Who it is from. */
  readonly role: "user";
  /** What was said. */
  readonly content: readonly (TextPart | ImagePart)[];
  /** What the person typed, where the content was made from it: `/name args` of a template. */
  readonly display?: string;
  /** The message stands for others, which are compacted: a summary of them, or what belongs to it. */
  readonly summary?: true;
  /** What the person said in what a summary stands for, shortened, oldest first. */
  readonly quotes?: readonly string[];
}

/** What the model said. */
export interface StoredAssistantMessage extends AssistantMessage {
  /** The response was cut by an interrupt; its text is what had arrived. */
  readonly partial?: true;
}

/** What a tool answered, with the parts that only front ends show. */
export interface StoredToolMessage {
  /** Who it is from. */
  readonly role: "tool";
  /** The call that it answers. */
  readonly callId: string;
  /** Name of the tool. */
  readonly name: string;
  /** What the tool answered. */
  readonly content: readonly ToolResultPart[];
  /** Whether the call failed. */
  readonly isError: boolean;
}

/** One message of a session, as its row holds it. */
export type StoredMessage = StoredUserMessage | StoredAssistantMessage | StoredToolMessage;

/**
 * Reads a message from the JSON text of its row. Fields that this version does not know are kept.
 *
 * @param json The text.
 * @returns Undefined when it is not a message: the row is damaged.
 */
export function parseStoredMessage(json: string): StoredMessage | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isStoredMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The text parts of a message's content, one paragraph each.
 *
 * @param content The content.
 */
export function textOf(content: readonly { readonly type: string }[]): string {
  const texts = content.map((part) => ("text" in part && part.type === "text" ? part.text : ""));
  return texts.filter((text) => text !== "").join("\n");
}

function isStoredMessage(value: unknown): value is StoredMessage {
  if (!isRecord(value)) return false;
  switch (value.role) {
    case "user":
      return isParts(value.content);
    case "assistant":
      return typeof value.text === "string" && Array.isArray(value.calls) &&
        value.calls.every(isCall);
    case "tool":
      return typeof value.callId === "string" && typeof value.name === "string" &&
        typeof value.isError === "boolean" && isParts(value.content);
    default:
      return false;
  }
}

function isParts(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((part) =>
      isRecord(part) && typeof part.type === "string" &&
      (part.type !== "text" || typeof part.text === "string")
    );
}

function isCall(value: unknown): boolean {
  return isRecord(value) && typeof value.id === "string" && typeof value.name === "string" &&
    typeof value.arguments === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
