import type { JsonValue, TreeNode, UiBlock } from "@alisio/sdk";
import { isObject } from "../../../core/config/is_object.ts";

/** Rows of a table that are kept for showing. */
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 50;
const MAX_ENTRIES = 200;
const MAX_NODES = 2_000;
const MAX_DEPTH = 24;
/** Longer texts are read as texts: a cell shows no more. */
const MAX_CELL_CHARS = 2_000;
/** Characters that all cells of a block have. */
const MAX_BLOCK_CHARS = 200_000;

type Scalar = string | number | boolean | null;

/**
 * The block that shows a value whole: a table, names with values, or a tree. The forms are verified
 * to the last cell, so that nothing of a value is missing in its block.
 *
 * @param value What a server sent as JSON.
 * @returns Undefined for every other value, which stays text.
 */
export function nativeBlock(value: unknown): UiBlock | undefined {
  if (!isObject(value)) return undefined;
  return tableBlock(value) ?? treeBlock(value) ?? keyValueBlock(value);
}

function tableBlock(value: Readonly<Record<string, unknown>>): UiBlock | undefined {
  const { columns, headers, rows, caption, ...others } = value;
  if (Object.keys(others).length > 0 || !Array.isArray(rows)) return undefined;
  if ((columns === undefined) === (headers === undefined)) return undefined;
  const names = columnNames(columns ?? headers);
  if (names === undefined || (caption !== undefined && !isCell(caption))) return undefined;
  const cells: (readonly Scalar[])[] = [];
  let chars = 0;
  let isCut = false;
  for (const row of rows) {
    const read = rowCells(row, names);
    if (read === undefined) return undefined;
    chars += read.reduce<number>((sum, cell) => sum + String(cell).length, 0);
    isCut ||= cells.length === MAX_ROWS || chars > MAX_BLOCK_CHARS;
    if (!isCut) cells.push(read);
  }
  const captions = [
    ...(typeof caption === "string" ? [caption] : []),
    ...(isCut ? [`first ${cells.length} of ${rows.length} rows`] : []),
  ];
  return {
    kind: "table",
    columns: names,
    rows: cells,
    ...(captions.length === 0 ? {} : { caption: captions.join(" · ") }),
  };
}

function columnNames(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_COLUMNS) return undefined;
  const isRight = value.every((name) => typeof name === "string" && isCell(name)) &&
    new Set(value).size === value.length;
  return isRight ? value : undefined;
}

/** A row lists its cells, or names them by column; one that is not named is empty. */
function rowCells(row: unknown, columns: readonly string[]): readonly Scalar[] | undefined {
  if (Array.isArray(row)) {
    return row.length === columns.length && row.every(isCell) ? row : undefined;
  }
  if (!isObject(row)) return undefined;
  const named = new Set(columns);
  if (!Object.entries(row).every(([name, cell]) => named.has(name) && isCell(cell))) {
    return undefined;
  }
  return columns.map((name) => {
    const cell: unknown = Object.hasOwn(row, name) ? row[name] : "";
    return isCell(cell) ? cell : "";
  });
}

function keyValueBlock(value: Readonly<Record<string, unknown>>): UiBlock | undefined {
  const pairs = Object.entries(value);
  if (pairs.length === 0 || pairs.length > MAX_ENTRIES) return undefined;
  const entries: { key: string; value: JsonValue }[] = [];
  for (const [key, cell] of pairs) {
    if (!isCell(cell) || !isCell(key)) return undefined;
    entries.push({ key, value: cell });
  }
  return { kind: "key-value", entries };
}

function treeBlock(value: Readonly<Record<string, unknown>>): UiBlock | undefined {
  const { nodes, ...others } = value;
  if (Object.keys(others).length > 0 || !Array.isArray(nodes) || nodes.length === 0) {
    return undefined;
  }
  const room = { nodes: MAX_NODES };
  const read = treeNodes(nodes, 1, room);
  return read === undefined ? undefined : { kind: "tree", nodes: read };
}

function treeNodes(
  values: readonly unknown[],
  depth: number,
  room: { nodes: number },
): readonly TreeNode[] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const nodes: TreeNode[] = [];
  for (const value of values) {
    room.nodes -= 1;
    const node = room.nodes < 0 ? undefined : treeNode(value, depth, room);
    if (node === undefined) return undefined;
    nodes.push(node);
  }
  return nodes;
}

function treeNode(value: unknown, depth: number, room: { nodes: number }): TreeNode | undefined {
  if (!isObject(value)) return undefined;
  const { label, meta, children, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof label !== "string" || !isCell(label)) return undefined;
  if (meta !== undefined && (typeof meta !== "string" || !isCell(meta))) return undefined;
  if (children !== undefined && !Array.isArray(children)) return undefined;
  const below = children === undefined ? [] : treeNodes(children, depth + 1, room);
  if (below === undefined) return undefined;
  return {
    label,
    ...(meta === undefined ? {} : { meta }),
    ...(below.length === 0 ? {} : { children: below }),
  };
}

function isCell(value: unknown): value is Scalar {
  if (typeof value === "string") return value.length <= MAX_CELL_CHARS;
  return value === null || typeof value === "number" || typeof value === "boolean";
}
