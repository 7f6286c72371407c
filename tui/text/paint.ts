import type { Theme } from "../theme/theme.ts";
import { asciiText } from "./safe_text.ts";
import type { Line } from "./span.ts";
import { clipLine } from "./wrap.ts";

/**
 * Colours a row. This is the one place where rows become what a terminal gets, so no row is wider
 * than asked for, whatever made it.
 *
 * @param theme The colours.
 * @param line The row.
 * @param width Columns.
 */
export function paintLine(theme: Theme, line: Line, width: number): string {
  const shown = theme.look.unicode ? line : line.map((span) => ({
    ...span,
    text: asciiText(span.text),
  }));
  return clipLine(shown, width).map(({ text, role, bold, italic }) => {
    let painted = role === undefined ? text : theme.paint(role, text);
    if (italic === true) painted = theme.italic(painted);
    return bold === true ? theme.bold(painted) : painted;
  }).join("");
}
