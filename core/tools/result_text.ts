import type { ToolResult, ToolResultPart } from "@alisio/sdk";
import { previewText } from "../text/bound_text.ts";

const PREVIEW_CHARS = 400;

/** Parts that a result may have; each takes some room, however small it is. */
export const MAX_RESULT_PARTS = 1_000;

/**
 * The text projection of a result: all that a model is sent.
 *
 * @param content Parts of a result.
 */
export function resultText(content: readonly ToolResultPart[]): string {
  const texts = content.filter((part) => part.type === "text").map((part) => part.text);
  return texts.join("\n");
}

/**
 * The start of a result's text, for events and progress lines.
 *
 * @param content Parts of a result.
 */
export function resultPreview(content: readonly ToolResultPart[]): string {
  return previewText(resultText(content), PREVIEW_CHARS);
}

/**
 * Checks what a tool answered, which may come from anyone's code. Parts that are none become text
 * that says so, so that whatever is stored can be read again.
 *
 * @param value What a tool answered.
 * @returns A result that survives JSON, or null for something that is no result at all.
 */
export function checkedResult(value: unknown): ToolResult | null {
  if (!isRecord(value) || !Array.isArray(value.content)) return null;
  const { content, isError } = value;
  const left = content.length - MAX_RESULT_PARTS;
  return {
    content: [
      // Unlike `map`, this visits the holes of a list too.
      ...Array.from(content.slice(0, MAX_RESULT_PARTS), checkedPart),
      ...(left > 0 ? [{ type: "text", text: `… [${left} parts left out] …` } as const] : []),
    ],
    isError: isError === true,
  };
}

function checkedPart(part: unknown): ToolResultPart {
  const { type, text, mimeType, data, block }: Record<string, unknown> = isRecord(part) ? part : {};
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof mimeType === "string" && typeof data === "string") {
    return { type, mimeType, data };
  }
  if (type === "ui") {
    const copy = copyOf(block);
    // A kind that is not known is shown as JSON by whoever renders it.
    if (isRecord(copy) && typeof copy.kind === "string") {
      return { type, block: copy } as unknown as ToolResultPart;
    }
  }
  return { type: "text", text: "[a part of this result could not be read]" };
}

function copyOf(block: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(block));
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
