import { getKeybindings, type Keybinding } from "@earendil-works/pi-tui/dist/keybindings.js";
import { getGraphemeSegmenter, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { visibleName } from "../../core/process/visible_text.ts";
import type { Theme } from "../theme/theme.ts";
import { fitText, oneLine } from "./fit_text.ts";
import { pastedText, typedText } from "./panel_keys.ts";

/** How a line is drawn. */
export interface LineFieldStyle {
  readonly width: number;
  readonly theme: Theme;
  /** Whether the cursor stands in it. */
  readonly hasCursor: boolean;
  /** Whether nobody may read it. */
  readonly isSecret?: boolean;
  /** Shown while nothing is typed. */
  readonly placeholder?: string;
}

/** Where the terminal's own cursor goes, for programs that help to write. */
const CURSOR_MARKER = "\x1b_pi:c\x07";
const FAKE_CURSOR_START = "\x1b_pi:fc\x07";
const FAKE_CURSOR_END = "\x1b_pi:/fc\x07";

const MAX_CHARS = 16_384;

type Edit = (field: LineField) => void;

const EDITS: readonly (readonly [Keybinding, Edit])[] = [
  ["tui.editor.cursorLeft", (field) => field.moveTo(field.cursor - 1)],
  ["tui.editor.cursorRight", (field) => field.moveTo(field.cursor + 1)],
  ["tui.editor.cursorWordLeft", (field) => field.moveTo(field.wordStart())],
  ["tui.editor.cursorWordRight", (field) => field.moveTo(field.wordEnd())],
  ["tui.editor.cursorLineStart", (field) => field.moveTo(0)],
  ["tui.editor.cursorLineEnd", (field) => field.moveTo(Infinity)],
  ["tui.editor.deleteCharBackward", (field) => field.remove(field.cursor - 1, field.cursor)],
  ["tui.editor.deleteCharForward", (field) => field.remove(field.cursor, field.cursor + 1)],
  ["tui.editor.deleteWordBackward", (field) => field.remove(field.wordStart(), field.cursor)],
  ["tui.editor.deleteWordForward", (field) => field.remove(field.cursor, field.wordEnd())],
  ["tui.editor.deleteToLineStart", (field) => field.remove(0, field.cursor)],
  ["tui.editor.deleteToLineEnd", (field) => field.remove(field.cursor, Infinity)],
];

/** A line of text that is being written. Positions count characters as people see them. */
export class LineField {
  #characters: string[] = [];
  #cursor = 0;

  /** @param value What stands in it; the cursor is behind it. */
  constructor(value = "") {
    this.setValue(value);
  }

  /** What stands in it. */
  get value(): string {
    return this.#characters.join("");
  }

  /** How many characters stand before the cursor. */
  get cursor(): number {
    return this.#cursor;
  }

  /**
   * Puts a text in place of what stands there, the cursor behind it.
   *
   * @param value One line.
   */
  setValue(value: string): void {
    this.#characters = charactersOf(value.slice(0, MAX_CHARS));
    this.#cursor = this.#characters.length;
  }

  /**
   * Takes a key or a paste.
   *
   * @param data What the terminal sent.
   * @returns Whether it was something for a line of text.
   */
  handle(data: string): boolean {
    const pasted = pastedText(data);
    if (pasted !== undefined) {
      this.insert(pasted.replace(/\s*[\r\n]+\s*/g, " ").trim());
      return true;
    }
    const bindings = getKeybindings();
    const edit = EDITS.find(([binding]) => bindings.matches(data, binding))?.[1];
    if (edit !== undefined) {
      edit(this);
      return true;
    }
    const typed = typedText(data);
    if (typed !== undefined) this.insert(typed);
    return typed !== undefined;
  }

  /**
   * Puts a text in at the cursor.
   *
   * @param text One line; a tab counts as a blank, and other control characters are left out.
   */
  insert(text: string): void {
    // deno-lint-ignore no-control-regex -- takes them out
    const clean = text.replaceAll("\t", " ").replace(/[\x00-\x1f\x7f-\x9f]/g, "");
    const before = this.#characters.slice(0, this.#cursor).join("");
    const after = this.#characters.slice(this.#cursor).join("");
    const room = Math.max(0, MAX_CHARS - before.length - after.length);
    const kept = before + clean.slice(0, room);
    // What is put in may become one character with what stands beside it.
    this.#characters = charactersOf(kept + after);
    this.moveTo(charactersOf(kept).length);
  }

  /**
   * Moves the cursor.
   *
   * @param position Where to; beyond either end is the end.
   */
  moveTo(position: number): void {
    this.#cursor = Math.max(0, Math.min(position, this.#characters.length));
  }

  /**
   * Takes characters out, and leaves the cursor where they were.
   *
   * @param from The first one.
   * @param to Behind the last one.
   */
  remove(from: number, to: number): void {
    const start = Math.max(0, from);
    this.#characters.splice(start, Math.max(0, Math.min(to, this.#characters.length) - start));
    this.moveTo(start);
  }

  /** Where the word before the cursor starts. */
  wordStart(): number {
    let at = this.#cursor;
    while (at > 0 && !isWord(this.#characters[at - 1])) at--;
    while (at > 0 && isWord(this.#characters[at - 1])) at--;
    return at;
  }

  /** Where the word after the cursor ends. */
  wordEnd(): number {
    let at = this.#cursor;
    while (at < this.#characters.length && !isWord(this.#characters[at])) at++;
    while (at < this.#characters.length && isWord(this.#characters[at])) at++;
    return at;
  }

  /**
   * Draws the part around the cursor.
   *
   * @param style How.
   * @returns A row that is not wider than asked for.
   */
  render(style: LineFieldStyle): string {
    const { theme, width, hasCursor, placeholder = "" } = style;
    if (width < 1) return "";
    if (this.#characters.length === 0 && placeholder !== "") {
      const hint = charactersOf(fitText(oneLine(placeholder, theme), width, theme));
      const rest = (hasCursor ? hint.slice(1) : hint).join("");
      return `${hasCursor ? drawCursor(hint[0] ?? " ") : ""}${theme.paint("dim", rest)}`;
    }
    const shown = this.#characters.map((character) =>
      style.isSecret === true ? "*" : shownCharacter(character, theme)
    );
    const [from, to] = this.#window(shown, width, hasCursor);
    if (!hasCursor) return shown.slice(from, to).join("");
    const before = shown.slice(from, this.#cursor).join("");
    const after = shown.slice(this.#cursor + 1, to).join("");
    return before + drawCursor(shown[this.#cursor] ?? " ") + after;
  }

  /** The longest part that fits and holds the cursor. */
  #window(
    shown: readonly string[],
    width: number,
    hasCursor: boolean,
  ): readonly [from: number, to: number] {
    const anchor = hasCursor ? this.#cursor : 0;
    let room = width - (hasCursor ? Math.max(1, visibleWidth(shown[anchor] ?? " ")) : 0);
    let from = anchor;
    let to = hasCursor ? anchor + 1 : anchor;
    for (; from > 0; from--) {
      const cells = visibleWidth(shown[from - 1] ?? "");
      if (cells > room) break;
      room -= cells;
    }
    for (; to < shown.length; to++) {
      const cells = visibleWidth(shown[to] ?? "");
      if (cells > room) break;
      room -= cells;
    }
    return [from, to];
  }
}

function charactersOf(text: string): string[] {
  return Array.from(getGraphemeSegmenter().segment(text), ({ segment }) => segment);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

function shownCharacter(character: string, { look }: Theme): string {
  const shown = visibleName(character);
  return look.unicode || /^[\x20-\x7e]+$/.test(shown) ? shown : "?";
}

function drawCursor(character: string): string {
  return CURSOR_MARKER + FAKE_CURSOR_START + character + FAKE_CURSOR_END;
}
