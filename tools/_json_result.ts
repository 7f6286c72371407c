import { textResult, type ToolResult } from "@alisio/sdk";

/**
 * A result whose text is JSON.
 *
 * @param value What survives JSON.
 * @param isError Whether the call failed.
 */
export function jsonResult(value: unknown, isError = false): ToolResult {
  return textResult(JSON.stringify(value), isError);
}

/**
 * A quote of text in a message, on one line and of bounded length.
 *
 * @param text What is quoted.
 */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
