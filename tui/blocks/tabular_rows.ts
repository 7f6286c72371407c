import { layoutTable } from "../text/layout_table.ts";
import { cellsOf } from "../text/cells.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { cellsOfLine, wrapWords } from "../text/wrap.ts";
import {
  type BlockLook,
  captionRows,
  cellOf,
  type Facts,
  factsOf,
  labelOf,
  listOf,
  MAX_ITEMS,
  moreRows,
} from "./block_facts.ts";

/** Columns that a table shows at most. */
const MAX_COLUMNS = 20;
/** A narrower window has no room for two columns. */
const MIN_TWO_COLUMNS = 12;
const GAP = 2;

/**
 * Rows of a `table` block.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function tableRows(block: Facts, look: BlockLook): readonly Line[] {
  const columns = listOf(block.columns);
  const rows = listOf(block.rows).map(listOf);
  const head = columns.slice(0, MAX_COLUMNS).map((name) => [lineOf(labelOf(name))]);
  const shown = rows.slice(0, MAX_ITEMS).map((row) => row.slice(0, MAX_COLUMNS).map(cellOf));
  return [
    ...layoutTable({ head, rows: shown }, look.theme, look.width),
    ...moreRows(rows.length - shown.length, "rows", look),
    ...moreRows(columns.length - head.length, "columns", look),
    ...captionRows(block.caption, look.width),
  ];
}

/**
 * Rows of a `key-value` block.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function keyValueRows(block: Facts, look: BlockLook): readonly Line[] {
  const entries = listOf(block.entries).map(factsOf);
  const shown = entries.slice(0, MAX_ITEMS);
  const keys = shown.map(({ key }) => labelOf(key));
  const widest = Math.max(0, ...keys.map(cellsOf));
  const room = Math.min(widest, Math.floor(look.width / 3));
  const rows = shown.flatMap(({ value }, index) =>
    entryRows(keys[index] ?? "", cellOf(value), { room, width: look.width })
  );
  return [
    ...rows,
    ...moreRows(entries.length - shown.length, "entries", look),
    ...captionRows(block.caption, look.width),
  ];
}

function entryRows(
  key: string,
  value: readonly Line[],
  { room, width }: { readonly room: number; readonly width: number },
): readonly Line[] {
  if (width < MIN_TWO_COLUMNS) {
    return value.flatMap((line, index) =>
      wrapWords(index === 0 ? [span(`${key}: `, "heading"), ...line] : line, width)
    );
  }
  const values = value.flatMap((line) => wrapWords(line, width - room - GAP));
  const names = wrapWords(lineOf(key, "heading"), room);
  return Array.from({ length: Math.max(values.length, names.length) }, (_, row) => {
    const name = names[row] ?? [];
    const blanks = room + GAP - cellsOfLine(name);
    const text = values[row] ?? [];
    return text.length === 0 ? name : [...name, span(" ".repeat(blanks)), ...text];
  });
}
