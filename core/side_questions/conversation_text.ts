import type { ToolResultPart } from "@alisio/sdk";
import type { StoredMessage } from "../session/stored_message.ts";
import { boundText } from "../text/bound_text.ts";

/** How much of one message is told. */
const MAX_MESSAGE_CHARS = 4_000;

/**
 * Tells a conversation in a text, for a model that is asked about it. Pure.
 *
 * Long messages are cut, images are told by their type and size, and of what does not fit the oldest
 * is left out.
 *
 * @param messages The conversation, oldest first.
 * @param maxChars How long the text may be.
 */
export function conversationText(messages: readonly StoredMessage[], maxChars: number): string {
  const told: string[] = [];
  let room = maxChars;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    const text = message === undefined ? "" : boundText(tell(message), MAX_MESSAGE_CHARS).text;
    if (text === "") continue;
    if (text.length + 2 > room) {
      const mark = `[${at + 1} earlier ${at === 0 ? "message is" : "messages are"} left out]`;
      return [mark, ...told.reverse()].join("\n\n");
    }
    room -= text.length + 2;
    told.push(text);
  }
  return told.reverse().join("\n\n");
}

function tell(message: StoredMessage): string {
  switch (message.role) {
    case "user":
      return `## The person\n${message.content.map(tellPart).join("\n")}`;
    case "assistant": {
      const calls = message.calls.map(({ name, arguments: given }) => `[calls ${name} ${given}]`);
      const parts = [message.text.trim(), ...calls].filter((part) => part !== "");
      return parts.length === 0 ? "" : `## The assistant\n${parts.join("\n")}`;
    }
    case "tool": {
      const failed = message.isError ? " (failed)" : "";
      return `## Result of ${message.name}${failed}\n${message.content.map(tellPart).join("\n")}`;
    }
  }
}

function tellPart(part: ToolResultPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return `[image: ${part.mimeType}, ${Math.ceil(part.data.length * 3 / 4 / 1024)} KB]`;
    case "ui":
      return "";
  }
}
