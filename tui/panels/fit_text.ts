import {
  getGraphemeSegmenter,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui/dist/utils.js";
import { visibleName } from "../../core/process/visible_text.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import type { Theme } from "../theme/theme.ts";

/** Where a text is shown. */
type Look = Pick<Theme, "look" | "glyph">;

/** No row has room for more. */
const MAX_LINE_CHARS = 2_000;

const PRINTABLE_REGEXP = /^[\x20-\x7e]*$/;
const ABOVE_ASCII_REGEXP = /[\u0080-\u{10ffff}]/gu;

/**
 * A text of others on one line, with nothing in it that a terminal obeys, that cannot be seen, or
 * that looks like a question of this program.
 *
 * @param text Any text.
 * @param theme Where it is shown; without Unicode, other characters than ASCII become `?`.
 */
export function oneLine(text: string, theme: Look): string {
  const isLong = text.length > MAX_LINE_CHARS;
  const shown = withoutQuestionMark(visibleName(isLong ? text.slice(0, MAX_LINE_CHARS) : text));
  const plain = theme.look.unicode ? shown : shown.replace(ABOVE_ASCII_REGEXP, "?");
  return isLong ? plain + theme.glyph("ellipsis") : plain;
}

/**
 * Cuts a text without sequences to a width, with a sign where something is missing.
 *
 * @param text One line.
 * @param width Columns.
 * @param theme Whose sign it is.
 */
export function fitText(text: string, width: number, theme: Look): string {
  if (width < 1) return "";
  if (PRINTABLE_REGEXP.test(text)) {
    return text.length <= width ? text : text.slice(0, width - 1) + theme.glyph("ellipsis");
  }
  const start = text.slice(0, MAX_LINE_CHARS);
  if (start.length === text.length && visibleWidth(text) <= width) return text;
  let kept = "";
  let cells = 0;
  for (const { segment } of getGraphemeSegmenter().segment(start)) {
    cells += visibleWidth(segment);
    if (cells > width - 1) break;
    kept += segment;
  }
  return kept + theme.glyph("ellipsis");
}

/**
 * Fills a text without sequences up to a width.
 *
 * @param text One line, not wider.
 * @param width Columns.
 */
export function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleWidth(text)));
}

/**
 * Breaks a text without sequences between words.
 *
 * @param text Lines.
 * @param width Columns.
 */
export function wrapText(text: string, width: number): readonly string[] {
  return wrapTextWithAnsi(text, Math.max(1, width));
}

/**
 * The last resort before a row is drawn: the screen cannot show one that is too wide.
 *
 * @param rows Rows, which may hold colours.
 * @param width Columns.
 */
export function clampRows(rows: readonly string[], width: number): readonly string[] {
  return rows.map((row) => {
    if (row.length <= width && PRINTABLE_REGEXP.test(row)) return row;
    if (visibleWidth(row) <= width) return row;
    const cut = truncateToWidth(row, width, "");
    // A wide character does not fit into one column at all.
    return visibleWidth(cut) <= width ? cut : "";
  });
}
