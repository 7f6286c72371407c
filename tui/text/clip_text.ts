import { lineOf, textOfLine } from "./span.ts";
import { clipLine } from "./wrap.ts";

/**
 * The start of a text of one line, with a sign where something is gone.
 *
 * @param text Safe text.
 * @param width Columns.
 */
export function clipText(text: string, width: number): string {
  return textOfLine(clipLine(lineOf(text), width, "…"));
}
