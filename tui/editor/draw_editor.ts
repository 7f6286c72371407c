import { CURSOR_MARKER, renderFakeCursor } from "@earendil-works/pi-tui/dist/tui.js";
import type { Theme } from "../theme/theme.ts";
import { cutToWidth } from "./cut_to_width.ts";
import type { EditState } from "./edit_state.ts";
import { displayOf, findCursorRow, type TextRow } from "./text_rows.ts";

/** Rows of text on a usual window; a small one has less. */
const USUAL_ROWS = 5;
const SHARE_OF_WINDOW = 0.3;
/** What else the window has to show. */
const ROWS_OF_OTHERS = 8;

/** What an editor is drawn from. */
export interface EditorView {
  readonly rows: readonly TextRow[];
  readonly state: EditState;
  /** The row at the top of what was drawn last. */
  readonly top: number;
  /** Whether keys go to it. */
  readonly isFocused: boolean;
  /** Cells of the whole. */
  readonly width: number;
  /** Rows of the window. */
  readonly windowRows: number;
  readonly theme: Theme;
}

/** What was drawn. */
export interface DrawnEditor {
  readonly lines: readonly string[];
  /** The row at the top. */
  readonly top: number;
}

/**
 * Cells of a row of text: beside the sign in front of it, and one for the cursor behind it.
 *
 * @param width Cells of the whole.
 */
export function textWidth(width: number): number {
  return Math.max(1, width - signWidth(width) - 1);
}

/**
 * Draws the text between two lines, scrolled to the cursor.
 *
 * @param view What of.
 */
export function drawEditor(view: EditorView): DrawnEditor {
  const { rows, width, theme } = view;
  const height = Math.min(rows.length, maxRows(view.windowRows));
  const cursorRow = findCursorRow(rows, view.state);
  const top = Math.max(
    0,
    Math.min(view.top, cursorRow, rows.length - height),
    cursorRow - height + 1,
  );
  const shown = rows.slice(top, top + height);
  const below = rows.length - top - height;
  const lines = [
    rule(width, theme, top === 0 ? "" : `${theme.glyph("up")} ${top} more`),
    ...shown.map((row, index) => {
      const isFirst = top + index === 0;
      const cursor = top + index === cursorRow && view.isFocused ? view.state.column : undefined;
      return signOf(width, theme, isFirst) + drawRow(row, cursor, width - signWidth(width) - 1);
    }),
    rule(width, theme, below === 0 ? "" : `${theme.glyph("down")} ${below} more`),
  ];
  return { lines, top };
}

function maxRows(windowRows: number): number {
  const wanted = Math.max(USUAL_ROWS, Math.floor(windowRows * SHARE_OF_WINDOW));
  return Math.max(1, Math.min(wanted, windowRows - ROWS_OF_OTHERS));
}

/**
 * Draws one row of the text.
 *
 * @param row The row.
 * @param cursor Where in its line the cursor stands; undefined where it does not.
 * @param width Cells of the text; the cursor behind it takes one more.
 */
export function drawRow(row: TextRow, cursor: number | undefined, width: number): string {
  if (cursor === undefined) return displayOf(row.segments, Math.max(1, width));
  const at = row.segments.findIndex((segment) => segment.index >= cursor);
  const under = at === -1 ? undefined : row.segments[at];
  const before = at === -1 ? row.segments : row.segments.slice(0, at);
  if (under === undefined) {
    return displayOf(before, width) + CURSOR_MARKER + renderFakeCursor(" ");
  }
  const used = cellsOf(before);
  const own = displayOf([under], Math.max(1, width - used));
  const after = displayOf(row.segments.slice(at + 1), Math.max(0, width - used - under.cells));
  return displayOf(before, width) + CURSOR_MARKER + renderFakeCursor(own) + after;
}

function cellsOf(segments: TextRow["segments"]): number {
  return segments.reduce((sum, { cells }) => sum + cells, 0);
}

function signWidth(width: number): number {
  return width < 12 ? 0 : 2;
}

function signOf(width: number, theme: Theme, isFirst: boolean): string {
  if (signWidth(width) === 0) return "";
  return isFirst ? theme.paint("accent", theme.glyph("prompt")) + " " : "  ";
}

function rule(width: number, theme: Theme, label: string): string {
  const line = theme.glyph("horizontal");
  const text = label === "" ? "" : `${line.repeat(2)} ${label} `;
  const whole = text + line.repeat(Math.max(0, width - text.length));
  return theme.paint("border", cutToWidth(whole, width));
}
