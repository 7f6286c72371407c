import type { Theme } from "../theme/theme.ts";
import { type Line, lineOf, span } from "./span.ts";
import { cellsOfLine, wrapWords } from "./wrap.ts";

/** A table, each cell as lines that are not broken yet. */
export interface TableCells {
  /** Headings. */
  readonly head: readonly (readonly Line[])[];
  /** Rows of cells; as many as there are headings count. */
  readonly rows: readonly (readonly (readonly Line[])[])[];
  /** Where a column's text stands; left otherwise. */
  readonly align?: readonly ("left" | "center" | "right" | null)[];
}

const GAP = 3;
/** A column that would get narrower than this makes the table a list. */
const MIN_COLUMN = 4;

/**
 * Lays out a table in aligned columns, cells broken between words. Where the window is too narrow for
 * that, each row becomes a list of headings and values.
 *
 * @param table The table.
 * @param theme The signs of the terminal.
 * @param width Columns.
 */
export function layoutTable(table: TableCells, theme: Theme, width: number): readonly Line[] {
  const count = table.head.length;
  if (count === 0) return [];
  const widths = columnWidths(table, width - GAP * (count - 1));
  if (widths === undefined) return layoutAsList(table, width);
  const row = (cells: readonly (readonly Line[])[]) => layoutRow(cells, { table, theme, widths });
  const bold = table.head.map((cell) =>
    cell.map((line) => line.map((each) => ({ ...each, bold: true })))
  );
  const rule = widths.map((each) => theme.glyph("horizontal").repeat(each))
    .join(theme.look.unicode ? "─┼─" : "-+-");
  return [...row(bold), lineOf(rule, "border"), ...table.rows.flatMap(row)];
}

/** Undefined where they cannot have the width that they need at least. */
function columnWidths({ head, rows }: TableCells, room: number): readonly number[] | undefined {
  const wanted = head.map((cell, index) =>
    Math.max(1, widest(cell), ...rows.map((row) => widest(row[index] ?? [])))
  );
  const sum = wanted.reduce((total, each) => total + each, 0);
  if (sum <= room) return wanted;
  if (room < head.length * MIN_COLUMN) return undefined;
  return shrink(wanted, room);
}

/** Takes from the widest columns first, so that narrow ones stay whole. */
function shrink(wanted: readonly number[], room: number): readonly number[] {
  const order = wanted.map((width, index) => ({ width, index })).sort((a, b) => a.width - b.width);
  const widths: number[] = wanted.map(() => 0);
  let left = room;
  for (const [position, { width, index }] of order.entries()) {
    const share = Math.max(1, Math.floor(left / (order.length - position)));
    widths[index] = Math.min(width, share);
    left -= Math.min(width, share);
  }
  return widths;
}

function layoutRow(
  cells: readonly (readonly Line[])[],
  { table, theme, widths }: {
    readonly table: TableCells;
    readonly theme: Theme;
    readonly widths: readonly number[];
  },
): readonly Line[] {
  const columns = widths.map((width, index) =>
    (cells[index] ?? []).flatMap((line) => wrapWords(line, width))
  );
  const height = Math.max(1, ...columns.map((column) => column.length));
  return Array.from({ length: height }, (_, row) =>
    columns.flatMap((column, index) => [
      ...(index === 0 ? [] : [span(` ${theme.glyph("vertical")} `, "border")]),
      ...padded(column[row] ?? [], {
        width: widths[index] ?? 1,
        align: table.align?.[index] ?? "left",
        isLast: index === widths.length - 1,
      }),
    ]));
}

function padded(
  line: Line,
  { width, align, isLast }: {
    readonly width: number;
    readonly align: "left" | "center" | "right";
    readonly isLast: boolean;
  },
): Line {
  const blanks = Math.max(0, width - cellsOfLine(line));
  const before = align === "right" ? blanks : align === "center" ? Math.floor(blanks / 2) : 0;
  const after = isLast ? 0 : blanks - before;
  return [
    ...(before > 0 ? [span(" ".repeat(before))] : []),
    ...line,
    ...(after > 0 ? [span(" ".repeat(after))] : []),
  ];
}

function layoutAsList({ head, rows }: TableCells, width: number): readonly Line[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...head.flatMap((name, column) => {
      const [first = [], ...rest] = row[column] ?? [];
      const label = name.flat().map((each) => ({ ...each, bold: true }));
      return [[...label, span(": "), ...first], ...rest].flatMap((line) => wrapWords(line, width));
    }),
  ]);
}

function widest(lines: readonly Line[]): number {
  return Math.max(0, ...lines.map(cellsOfLine));
}
