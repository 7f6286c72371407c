import type { Segment } from "./segments.ts";

/** A text, and where in it the cursor stands. Never changed: each edit makes another one. */
export interface EditState {
  /** At least one; none holds a line end. */
  readonly lines: readonly string[];
  /** The line of the cursor, from 0. */
  readonly line: number;
  /** UTF-16 units before the cursor in its line; never inside of a segment. */
  readonly column: number;
}

/** Cuts a line into what the cursor passes in one step. */
export type CutLine = (line: string) => readonly Segment[];

/** A state, and what was taken out of the text before it. */
export interface Cut {
  readonly state: EditState;
  /** Empty where there was nothing to take. */
  readonly text: string;
}

/** Nothing written. */
export const EMPTY_STATE: EditState = { lines: [""], line: 0, column: 0 };

/**
 * A text with the cursor behind it.
 *
 * @param text The text.
 */
export function stateOf(text: string): EditState {
  const lines = text.split("\n");
  const line = lines.length - 1;
  return { lines, line, column: lines[line]?.length ?? 0 };
}

/**
 * The whole text.
 *
 * @param state The state.
 */
export function textOf(state: EditState): string {
  return state.lines.join("\n");
}

/**
 * The line of the cursor.
 *
 * @param state The state.
 */
export function currentLine(state: EditState): string {
  return state.lines[state.line] ?? "";
}

/**
 * Puts a text in at the cursor.
 *
 * @param state The state.
 * @param text The text; the cursor stands behind it afterwards.
 */
export function insertText(state: EditState, text: string): EditState {
  const line = currentLine(state);
  const inserted = text.split("\n");
  const last = inserted.length - 1;
  const column = (last === 0 ? state.column : 0) + (inserted[last]?.length ?? 0);
  inserted[0] = line.slice(0, state.column) + inserted[0];
  inserted[last] += line.slice(state.column);
  return {
    lines: [...state.lines.slice(0, state.line), ...inserted, ...state.lines.slice(state.line + 1)],
    line: state.line + last,
    column,
  };
}

/**
 * Takes out what stands between the cursor and another place.
 *
 * @param state The state.
 * @param place Another cursor in the same text.
 */
export function cutTo(state: EditState, place: EditState): Cut {
  if (place.line === state.line && place.column === state.column) return { state, text: "" };
  const isBefore = place.line < state.line ||
    (place.line === state.line && place.column < state.column);
  const [from, to] = isBefore ? [place, state] : [state, place];
  const first = currentLine(from);
  const last = currentLine(to);
  const inner = state.lines.slice(from.line, to.line + 1);
  const text = from.line === to.line
    ? first.slice(from.column, to.column)
    : [first.slice(from.column), ...inner.slice(1, -1), last.slice(0, to.column)].join("\n");
  const joined = first.slice(0, from.column) + last.slice(to.column);
  const lines = [...state.lines.slice(0, from.line), joined, ...state.lines.slice(to.line + 1)];
  return { state: { lines, line: from.line, column: from.column }, text };
}

/**
 * Moves a segment to the left; from the start of a line, to the end of the one before.
 *
 * @param state The state.
 * @param cut Cuts lines.
 */
export function moveLeft(state: EditState, cut: CutLine): EditState {
  if (state.column === 0) return lineEndBefore(state);
  const before = cut(currentLine(state)).findLast((segment) => segment.index < state.column);
  return { ...state, column: before?.index ?? 0 };
}

/**
 * Moves a segment to the right; from the end of a line, to the start of the next one.
 *
 * @param state The state.
 * @param cut Cuts lines.
 */
export function moveRight(state: EditState, cut: CutLine): EditState {
  const line = currentLine(state);
  if (state.column >= line.length) return lineStartAfter(state);
  const under = cut(line).find((segment) => segment.index >= state.column);
  return { ...state, column: under === undefined ? line.length : endOf(under) };
}

/**
 * Moves to the start of the word before the cursor.
 *
 * @param state The state.
 * @param cut Cuts lines.
 */
export function moveWordLeft(state: EditState, cut: CutLine): EditState {
  if (state.column === 0) return lineEndBefore(state);
  const before = cut(currentLine(state)).filter((segment) => segment.index < state.column);
  let at = before.length - 1;
  while (at > 0 && before[at]?.kind === "space") at--;
  const kind = before[at]?.kind;
  while (at > 0 && kind !== "sign" && before[at - 1]?.kind === kind) at--;
  return { ...state, column: before[at]?.index ?? 0 };
}

/**
 * Moves to the end of the word after the cursor.
 *
 * @param state The state.
 * @param cut Cuts lines.
 */
export function moveWordRight(state: EditState, cut: CutLine): EditState {
  const line = currentLine(state);
  if (state.column >= line.length) return lineStartAfter(state);
  const after = cut(line).filter((segment) => segment.index >= state.column);
  let at = 0;
  while (at < after.length - 1 && after[at]?.kind === "space") at++;
  const kind = after[at]?.kind;
  while (at < after.length - 1 && kind !== "sign" && after[at + 1]?.kind === kind) at++;
  const last = after[at];
  return { ...state, column: last === undefined ? line.length : endOf(last) };
}

/**
 * Moves to the start of the line.
 *
 * @param state The state.
 */
export function moveToLineStart(state: EditState): EditState {
  return { ...state, column: 0 };
}

/**
 * Moves to the end of the line.
 *
 * @param state The state.
 */
export function moveToLineEnd(state: EditState): EditState {
  return { ...state, column: currentLine(state).length };
}

/**
 * Takes out what stands before the cursor in its line; at the start of it, the line end before.
 *
 * @param state The state.
 */
export function cutToLineStart(state: EditState): Cut {
  return cutTo(state, state.column === 0 ? lineEndBefore(state) : moveToLineStart(state));
}

/**
 * Takes out what stands behind the cursor in its line; at the end of it, the line end.
 *
 * @param state The state.
 */
export function cutToLineEnd(state: EditState): Cut {
  const isAtEnd = state.column >= currentLine(state).length;
  return cutTo(state, isAtEnd ? lineStartAfter(state) : moveToLineEnd(state));
}

function lineEndBefore(state: EditState): EditState {
  if (state.line === 0) return state;
  const line = state.line - 1;
  return { ...state, line, column: state.lines[line]?.length ?? 0 };
}

function lineStartAfter(state: EditState): EditState {
  return state.line + 1 < state.lines.length
    ? { ...state, line: state.line + 1, column: 0 }
    : state;
}

function endOf(segment: Segment): number {
  return segment.index + segment.text.length;
}
