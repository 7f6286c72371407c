import type { Highlighter } from "../markdown/highlighter.ts";
import type { BlockLook } from "../blocks/block_facts.ts";
import type { Line, Span } from "../text/span.ts";
import { span } from "../text/span.ts";

/** What entries are drawn with. */
export interface EntryLook extends BlockLook {
  /** Colours code. */
  readonly highlighter: Highlighter;
  /** The directory that paths are shown in relation to. */
  readonly cwd: string;
  /** Milliseconds of a clock that only goes on. */
  readonly now: number;
  /** Whether the entry is open. */
  readonly isExpanded: boolean;
}

/** Rows of an entry. */
export interface EntryRows {
  /** The rows, none wider than asked for. */
  readonly rows: readonly Line[];
  /** Rows, counted from 0, that open or close it. */
  readonly toggles: readonly number[];
}

/** A narrower window has no columns to spare. */
const MIN_WIDTH = 10;

/**
 * Columns on the left that hold nothing but signs of Alisio's own. What a model, a tool or a person
 * wrote always stands right of them, so that it can never look like such a sign.
 *
 * @param width Columns of the window.
 */
export function gutterOf(width: number): number {
  return width < MIN_WIDTH ? 0 : 2;
}

/**
 * What is drawn right of the signs.
 *
 * @param look What the entry is drawn with.
 */
export function innerLook(look: EntryLook): EntryLook {
  return { ...look, width: Math.max(1, look.width - gutterOf(look.width)) };
}

/**
 * Puts rows right of the signs, the first one behind a sign.
 *
 * @param rows The rows.
 * @param width Columns of the window.
 * @param sign A sign of one column; none otherwise.
 */
export function behindGutter(
  rows: readonly Line[],
  width: number,
  sign?: Span,
): readonly Line[] {
  const gutter = gutterOf(width);
  if (gutter === 0) return rows;
  const blank = span(" ".repeat(gutter));
  return rows.map((row, index) => {
    if (index === 0 && sign !== undefined) return [{ ...sign, text: `${sign.text} ` }, ...row];
    return row.length === 0 ? row : [blank, ...row];
  });
}

/**
 * The sign that says whether something is open.
 *
 * @param look What the entry is drawn with.
 */
export function toggleSign(look: EntryLook): string {
  return look.theme.glyph(look.isExpanded ? "expanded" : "collapsed");
}
