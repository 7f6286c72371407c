import { decodePrintableKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { KeyAction } from "../keys/bindings.ts";
import type { KeyMap } from "../keys/key_map.ts";
import { EditLog } from "./edit_log.ts";
import {
  type Cut,
  cutTo,
  cutToLineEnd,
  cutToLineStart,
  type EditState,
  EMPTY_STATE,
  insertText,
  moveLeft,
  moveRight,
  moveToLineEnd,
  moveToLineStart,
  moveWordLeft,
  moveWordRight,
  stateOf,
  textOf,
} from "./edit_state.ts";
import { Pastes } from "./pastes.ts";
import { LineSegmenter, type Segment } from "./segments.ts";
import { cellsBefore, columnAt, findCursorRow, type TextRow, wrapLines } from "./text_rows.ts";

/** A longer text that is put in is shown like a paste. */
const MAX_SHOWN_CHARS = 50_000;

/** A text that is being written: the cursor in it, and everything that keys do to it. */
export class TextEditor {
  readonly #keys: KeyMap;
  readonly #segmenter = new LineSegmenter(() => this.#pastes.signs());
  readonly #pastes = new Pastes();
  readonly #log = new EditLog();
  #state: EditState = EMPTY_STATE;
  #width = 80;
  /** What was wrapped last. */
  #wrapped: WrappedText | undefined;
  /** The cell that the cursor keeps to while it moves up and down. */
  #goalCell: number | undefined;

  /** @param keys Which keys do what. */
  constructor(keys: KeyMap) {
    this.#keys = keys;
  }

  /** The text and the cursor, with signs in the place of long pastes. */
  get state(): EditState {
    return this.#state;
  }

  /** Whether nothing is written. */
  get isEmpty(): boolean {
    return this.#state.lines.length === 1 && this.#state.lines[0] === "";
  }

  /** What is written, with pasted texts in full. */
  get text(): string {
    return this.#pastes.expand(textOf(this.#state));
  }

  /** What is written, with signs in the place of long pastes. */
  get typed(): string {
    return textOf(this.#state);
  }

  /** The segments of a line. */
  readonly cut = (line: string): readonly Segment[] => this.#segmenter.cut(line);

  /**
   * The rows of the text. Moves up and down follow the rows that were asked for last.
   *
   * @param width Cells of a row.
   */
  rows(width: number): readonly TextRow[] {
    this.#width = width;
    const { lines } = this.#state;
    // The screen is drawn far more often than the text changes.
    if (this.#wrapped?.lines !== lines || this.#wrapped.width !== width) {
      this.#wrapped = { lines, width, rows: wrapLines(lines, width, this.cut) };
    }
    return this.#wrapped.rows;
  }

  /** Takes everything away, and what undo would bring back. */
  clear(): void {
    this.#pastes.clear();
    this.#segmenter.forget();
    this.#log.clear();
    this.#move(EMPTY_STATE);
  }

  /**
   * Puts a text in, in place of what stands there. Undo brings that back.
   *
   * @param text The text.
   */
  setText(text: string): void {
    const normal = toLines(text);
    const shown = normal.length > MAX_SHOWN_CHARS ? this.#addPaste(normal) : normal;
    this.#apply(stateOf(shown), "other");
  }

  /**
   * Replaces everything by a state, such as an earlier prompt. Undo brings back what was there.
   *
   * @param state The state.
   */
  replace(state: EditState): void {
    this.#apply(state, "other");
  }

  /**
   * Puts a text in at the cursor, as one step; a long one as a sign.
   *
   * @param text The text.
   * @throws {RangeError} If it is more than a prompt can hold. Its message is for the person.
   */
  paste(text: string): void {
    const normal = toLines(text);
    if (normal !== "") this.#apply(insertText(this.#state, this.#addPaste(normal)), "other");
  }

  /**
   * Puts a text in at the cursor.
   *
   * @param text The text.
   */
  insert(text: string): void {
    this.#apply(insertText(this.#state, text), "other");
  }

  /**
   * Puts a text in the place of what stands before the cursor, as one step.
   *
   * @param start UTF-16 units before it in the line of the cursor.
   * @param text The text.
   */
  replaceBefore(start: number, text: string): void {
    const { state } = cutTo(this.#state, { ...this.#state, column: start });
    this.#apply(insertText(state, text), "other");
  }

  /** Whether the cursor stands in the first row. */
  isInFirstRow(): boolean {
    return findCursorRow(this.rows(this.#width), this.#state) === 0;
  }

  /** Whether the cursor stands in the last row. */
  isInLastRow(): boolean {
    const rows = this.rows(this.#width);
    return findCursorRow(rows, this.#state) === rows.length - 1;
  }

  /**
   * Moves the cursor up or down.
   *
   * @param rows How far; negative is up. It stops at either end.
   */
  moveRows(rows: number): void {
    for (let left = Math.abs(rows); left > 0; left--) this.#moveRows(rows < 0 ? -1 : 1);
  }

  /**
   * Takes a key that edits the text or moves the cursor.
   *
   * @param data The key, as the terminal sent it.
   * @returns What it did: `changed` the text, `moved` the cursor, or `none` of that.
   */
  press(data: string): "changed" | "moved" | "none" {
    const before = this.#state;
    const action = ACTIONS.find((name) => this.#keys.matches(data, name));
    if (action !== undefined) this.#act(action);
    else if (!this.#type(data)) return "none";
    if (this.#state.lines !== before.lines) return "changed";
    return "moved";
  }

  #type(data: string): boolean {
    const text = decodePrintableKey(data) ?? (isPrintable(data) ? data : undefined);
    if (text === undefined) return false;
    const isSpace = /^\s/.test(text);
    this.#log.record(this.#state, "type", isSpace);
    this.#move(insertText(this.#state, text));
    return true;
  }

  #act(action: EditAction): void {
    switch (action) {
      case "newLine":
        return this.#apply(insertText(this.#state, "\n"), "other");
      case "cursorLeft":
        return this.#moveTo(moveLeft(this.#state, this.cut));
      case "cursorRight":
        return this.#moveTo(moveRight(this.#state, this.cut));
      case "cursorUp":
        return this.#moveRows(-1);
      case "cursorDown":
        return this.#moveRows(1);
      case "wordLeft":
        return this.#moveTo(moveWordLeft(this.#state, this.cut));
      case "wordRight":
        return this.#moveTo(moveWordRight(this.#state, this.cut));
      case "lineStart":
        return this.#moveTo(moveToLineStart(this.#state));
      case "lineEnd":
        return this.#moveTo(moveToLineEnd(this.#state));
      case "deleteBackward":
        return this.#apply(cutTo(this.#state, moveLeft(this.#state, this.cut)).state, "other");
      case "deleteForward":
        return this.#apply(cutTo(this.#state, moveRight(this.#state, this.cut)).state, "other");
      case "deleteWordBackward":
        return this.#cut(cutTo(this.#state, moveWordLeft(this.#state, this.cut)), "before");
      case "deleteWordForward":
        return this.#cut(cutTo(this.#state, moveWordRight(this.#state, this.cut)), "after");
      case "deleteToLineStart":
        return this.#cut(cutToLineStart(this.#state), "before");
      case "deleteToLineEnd":
        return this.#cut(cutToLineEnd(this.#state), "after");
      case "yank":
        return this.#yank();
      case "yankPop":
        return this.#yankPop();
      case "undo":
        return this.#undo();
      default:
        return action satisfies never;
    }
  }

  #cut({ state, text }: Cut, side: "before" | "after"): void {
    this.#log.keepCut(text, side);
    this.#apply(state, "cut");
  }

  #yank(): void {
    const text = this.#log.lastCut();
    if (text !== undefined) this.#apply(insertText(this.#state, text), "yank");
  }

  #yankPop(): void {
    if (this.#log.last !== "yank") return;
    const before = this.#log.undo();
    if (before === undefined) return;
    this.#log.rotateCuts();
    this.#state = before;
    this.#yank();
  }

  #undo(): void {
    const before = this.#log.undo();
    if (before !== undefined) this.#move(before);
  }

  #moveRows(by: 1 | -1): void {
    const rows = this.rows(this.#width);
    const at = findCursorRow(rows, this.#state);
    const row = rows[at];
    const target = rows[at + by];
    this.#log.interrupt();
    if (row === undefined || target === undefined) {
      this.#move(by === -1 ? moveToLineStart(this.#state) : moveToLineEnd(this.#state));
      return;
    }
    const goal = this.#goalCell ?? cellsBefore(row, this.#state.column);
    this.#move({ ...this.#state, line: target.line, column: columnAt(target, goal) });
    this.#goalCell = goal;
  }

  #moveTo(state: EditState): void {
    this.#log.interrupt();
    this.#move(state);
  }

  #apply(state: EditState, kind: "cut" | "yank" | "other"): void {
    if (isSame(state, this.#state)) return this.#log.interrupt();
    this.#log.record(this.#state, kind, true);
    this.#move(state);
  }

  #move(state: EditState): void {
    this.#state = state;
    this.#goalCell = undefined;
  }

  #addPaste(text: string): string {
    const shown = this.#pastes.add(text);
    if (shown !== text) {
      this.#segmenter.forget();
      this.#wrapped = undefined;
    }
    return shown;
  }
}

interface WrappedText {
  readonly lines: readonly string[];
  readonly width: number;
  readonly rows: readonly TextRow[];
}

/** What keys do to the text itself. `newLine` comes first: Ctrl+J looks like Enter to the library. */
const ACTIONS = [
  "newLine",
  "cursorLeft",
  "cursorRight",
  "cursorUp",
  "cursorDown",
  "wordLeft",
  "wordRight",
  "lineStart",
  "lineEnd",
  "deleteBackward",
  "deleteForward",
  "deleteWordBackward",
  "deleteWordForward",
  "deleteToLineStart",
  "deleteToLineEnd",
  "yank",
  "yankPop",
  "undo",
] as const satisfies readonly KeyAction[];

type EditAction = (typeof ACTIONS)[number];

/** Text as it is kept: lines end in `\n`; what else it holds stays, and is drawn as it is spelled. */
function toLines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** A character that was typed, or one half of one, and no sequence of a key. */
function isPrintable(data: string): boolean {
  // deno-lint-ignore no-control-regex -- what keys that are no text begin with
  return data !== "" && !/^[\x00-\x1f\x7f-\x9f]/.test(data);
}

function isSame(one: EditState, other: EditState): boolean {
  return one.lines === other.lines && one.line === other.line && one.column === other.column;
}
