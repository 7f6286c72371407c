import { cutToWidth } from "./cut_to_width.ts";
import type { CutLine, EditState } from "./edit_state.ts";
import type { Segment } from "./segments.ts";

/** One row of a text that is wrapped to a width. */
export interface TextRow {
  /** The line that it belongs to. */
  readonly line: number;
  /** What stands in it. */
  readonly segments: readonly Segment[];
  /** Where it begins in its line. */
  readonly start: number;
  /** Whether its line ends with it. */
  readonly isLast: boolean;
}

/**
 * Wraps lines to rows, between words where that works.
 *
 * @param lines The lines.
 * @param width Cells of a row.
 * @param cut Cuts lines.
 */
export function wrapLines(
  lines: readonly string[],
  width: number,
  cut: CutLine,
): readonly TextRow[] {
  return lines.flatMap((text, line) => {
    const rows = wrapSegments(cut(text), width);
    return rows.map((segments, index) => ({
      line,
      segments,
      start: segments[0]?.index ?? 0,
      isLast: index === rows.length - 1,
    }));
  });
}

/**
 * The row that the cursor stands in.
 *
 * @param rows Every row.
 * @param state Where the cursor stands.
 */
export function findCursorRow(rows: readonly TextRow[], state: EditState): number {
  const found = rows.findLastIndex((row) => row.line === state.line && row.start <= state.column);
  return Math.max(0, found);
}

/**
 * Cells between the start of a row and a place in it.
 *
 * @param row The row.
 * @param column UTF-16 units before the place, in the line.
 */
export function cellsBefore(row: TextRow, column: number): number {
  let cells = 0;
  for (const segment of row.segments) {
    if (segment.index >= column) break;
    cells += segment.cells;
  }
  return cells;
}

/**
 * The place in a row that is nearest to a cell, without passing it.
 *
 * @param row The row.
 * @param cell From 0.
 * @returns UTF-16 units before it, in the line.
 */
export function columnAt(row: TextRow, cell: number): number {
  let end = 0;
  for (const segment of row.segments) {
    end += segment.cells;
    if (cell < end) return segment.index;
  }
  const last = row.segments.at(-1);
  if (last === undefined) return row.start;
  // Behind the last segment of a row that goes on, the cursor would stand in the next one.
  return row.isLast ? last.index + last.text.length : last.index;
}

/**
 * What is drawn for segments, cut where it is wider than there is room.
 *
 * @param segments The segments.
 * @param width Cells.
 */
export function displayOf(segments: readonly Segment[], width: number): string {
  const display = segments.map((segment) => segment.display).join("");
  const cells = segments.reduce((sum, segment) => sum + segment.cells, 0);
  return cells <= width ? display : cutToWidth(display, width);
}

function wrapSegments(segments: readonly Segment[], width: number): (readonly Segment[])[] {
  const rows: (readonly Segment[])[] = [];
  let start = 0;
  let cells = 0;
  /** Where the row may end before a word that does not fit, and how wide it is then. */
  let breakAt = 0;
  let breakCells = 0;
  for (const [index, segment] of segments.entries()) {
    if (cells + segment.cells > width && index > start) {
      const end = breakAt > start ? breakAt : index;
      rows.push(segments.slice(start, end));
      cells = breakAt > start ? cells - breakCells : 0;
      start = end;
      // What was carried over may itself be wider than a row.
      if (cells + segment.cells > width && index > start) {
        rows.push(segments.slice(start, index));
        start = index;
        cells = 0;
      }
    }
    cells += segment.cells;
    if (mayBreakAfter(segment, segments[index + 1])) {
      breakAt = index + 1;
      breakCells = cells;
    }
  }
  rows.push(segments.slice(start));
  return rows;
}

/** After spaces, and beside wide characters, whose scripts have no spaces. */
function mayBreakAfter(segment: Segment, next: Segment | undefined): boolean {
  if (next === undefined || next.kind === "space") return false;
  return segment.kind === "space" || isWide(segment) || isWide(next);
}

function isWide({ kind, cells }: Segment): boolean {
  return kind === "sign" || (kind === "word" && cells === 2);
}
