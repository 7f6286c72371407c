import { textResult, type ToolResult } from "@alisio/sdk";
import { isObject } from "../../../core/config/is_object.ts";
import { addPart } from "./content_parts.ts";
import { MAX_PARTS, ResultParts, type ResultPorts } from "./result_parts.ts";
import { shortName } from "./short_name.ts";

/**
 * Maps what a server answered to a request for a prompt: its messages, each behind who says it.
 *
 * @param value What the server answered, of which nothing is known.
 * @param ports What stores bytes.
 */
export async function mapPromptResult(
  value: unknown,
  ports: ResultPorts = {},
): Promise<ToolResult> {
  const { messages, description }: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  if (!Array.isArray(messages)) {
    return textResult("The server answered with something that is no prompt", true);
  }
  const parts = new ResultParts(ports);
  if (typeof description === "string" && description.trim() !== "") {
    parts.addText(shortName(description));
  }
  for (const message of messages.slice(0, MAX_PARTS)) await addMessage(parts, message);
  if (messages.length === 0) parts.addText("[no messages]");
  if (messages.length > MAX_PARTS) {
    parts.addText(`[${messages.length - MAX_PARTS} messages left out]`);
  }
  return { content: await parts.finish() };
}

async function addMessage(parts: ResultParts, message: unknown): Promise<void> {
  const { role, content }: Readonly<Record<string, unknown>> = isObject(message) ? message : {};
  const speaker = role === "assistant" ? "assistant" : "user";
  if (isObject(content) && content.type === "text" && typeof content.text === "string") {
    return parts.addText(`${speaker}: ${content.text}`);
  }
  parts.addText(`${speaker}:`);
  await addPart(parts, content);
}
