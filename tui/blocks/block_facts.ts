import type { MarkdownLook } from "../markdown/render_markdown.ts";
import { safeLine, safeText } from "../text/safe_text.ts";
import { type Line, lineOf } from "../text/span.ts";
import { wrapWords } from "../text/wrap.ts";

/** What a block is drawn with. */
export interface BlockLook extends MarkdownLook {
  /** Columns, at least 1. */
  readonly width: number;
}

/** A record of which nobody has said what it holds. */
export type Facts = Readonly<Record<string, unknown>>;

/** Rows, entries, nodes and the like that a block shows at most. */
export const MAX_ITEMS = 200;
/** Characters of a block's text that are shown at most. */
export const MAX_BLOCK_CHARS = 64_000;
/** Characters of a cell, a label or a note that are shown at most. */
const MAX_CELL_CHARS = 2_000;

/** A block that is not what its kind says; it is shown as JSON. */
export class MalformedBlockError extends TypeError {
  override readonly name = "MalformedBlockError";
}

/**
 * A value that must be a record.
 *
 * @param value Any value.
 * @throws {MalformedBlockError} If it is none.
 */
export function factsOf(value: unknown): Facts {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Facts;
  throw new MalformedBlockError("Cannot read block: a record is missing");
}

/**
 * A value that must be a list.
 *
 * @param value Any value.
 * @throws {MalformedBlockError} If it is none.
 */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new MalformedBlockError("Cannot read block: a list is missing");
}

/**
 * A value that must be a text, safe to be drawn, cut to what is shown of it.
 *
 * @param value Any value.
 * @throws {MalformedBlockError} If it is none.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return safeText(value.slice(0, MAX_BLOCK_CHARS));
  throw new MalformedBlockError("Cannot read block: a text is missing");
}

/**
 * A value that must be a text, on one line.
 *
 * @param value Any value.
 * @throws {MalformedBlockError} If it is none.
 */
export function labelOf(value: unknown): string {
  if (typeof value === "string") return safeLine(value.slice(0, MAX_CELL_CHARS));
  throw new MalformedBlockError("Cannot read block: a label is missing");
}

/**
 * A text that may be absent, on one line.
 *
 * @param value Any value; what is no text is as good as absent.
 */
export function optionalLabel(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? labelOf(value) : undefined;
}

/**
 * A number that may be absent.
 *
 * @param value Any value; what is no finite number is as good as absent.
 */
export function optionalNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * Lines of a cell, whatever is in it.
 *
 * @param value A JSON value.
 */
export function cellOf(value: unknown): readonly Line[] {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return safeText(text.slice(0, MAX_CELL_CHARS)).split("\n").map((line) => lineOf(line));
}

/**
 * Rows that stand above or below a block and are its own words.
 *
 * @param value A caption, a title; nothing where it is absent.
 * @param width Columns.
 */
export function captionRows(value: unknown, width: number): readonly Line[] {
  const text = optionalLabel(value);
  return text === undefined ? [] : wrapWords(lineOf(text, "dim"), width);
}

/**
 * A row that says how much is not shown; nothing where all is.
 *
 * @param left How many.
 * @param noun What they are, more than one of them; perhaps with where, such as `lines before`.
 * @param look The signs of the terminal.
 */
export function moreRows(left: number, noun: string, look: BlockLook): readonly Line[] {
  if (left <= 0) return [];
  const counted = left === 1 ? `1 more ${noun.replace(/s\b/, "")}` : `${left} more ${noun}`;
  return [lineOf(`${look.theme.glyph("ellipsis")} ${counted}`, "dim")];
}
