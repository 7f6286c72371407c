import { getGraphemeSegmenter, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { type HiddenCharacter, visibleCommand } from "../../core/gate/shell/visible_command.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import type { Role, Theme } from "../theme/theme.ts";

/** How a text is laid out. */
export interface LayOutStyle {
  /** Columns of a row, the prefix included. */
  readonly width: number;
  readonly theme: Theme;
  /** Begins every row, so that nothing that is shown can stand left of it. */
  readonly prefix: string;
  /**
   * Begins the rows that go on with a line that did not fit, so that a line end cannot be taken for
   * a line that goes on, or the other way round. As wide as the prefix.
   */
  readonly continuation: string;
  /** Whether a line end is nothing that belongs there, and is shown as a mark. @default false */
  readonly isOneLine?: boolean;
  /**
   * How a line is coloured.
   *
   * @param line The whole line, as it is shown.
   */
  readonly role?: (line: string) => Role;
}

/** A text that is shown whole, and what in it had to be made visible. */
export interface LaidOut {
  readonly rows: readonly string[];
  readonly hidden: readonly HiddenCharacter[];
}

/** A piece of a line, and whether it stands for something that would not be seen. */
interface Piece {
  readonly text: string;
  readonly isMark: boolean;
}

const TAB_CELLS = 4;
const PRINTABLE_REGEXP = /^[\x20-\x7e]*$/;
const PLAIN_REGEXP = /^[\x20-\x7e\n\t]*$/;
/** Whether any of it pushes something out of sight is decided by whoever knows how much does. */
const PADDING_REGEXP = /\n{4}|[ \t]{9}/;
const ABOVE_ASCII_REGEXP = /([\u0080-\u{10ffff}]+)/u;

/**
 * Lays out a text in rows that fit. Everything that a screen would hide or move is made visible;
 * nothing is left out.
 *
 * @param text Any text.
 * @param style How.
 */
export function layOut(text: string, style: LayOutStyle): LaidOut {
  const { parts, hidden } = isPlain(text)
    ? { parts: [{ text, isMark: false }], hidden: [] }
    : visibleCommand(withoutQuestionMark(text));
  const pieces = style.theme.look.unicode ? parts : parts.flatMap(spelledOut);
  const lines = style.isOneLine === true ? [pieces.map(onOneLine)] : linesOf(pieces);
  const room = Math.max(1, style.width - visibleWidth(style.prefix));
  return { rows: lines.flatMap((line) => rowsOf(line, style, room)), hidden };
}

/** Whether a text shows itself: most do, and need no closer look. */
function isPlain(text: string): boolean {
  return PLAIN_REGEXP.test(text) && !PADDING_REGEXP.test(text);
}

/** A line end is shown where none belongs. */
function onOneLine({ text, isMark }: Piece): Piece {
  return text.includes("\n")
    ? { text: text.replaceAll("\n", "\\x0a"), isMark: true }
    : { text, isMark };
}

/** What ASCII cannot show is spelled. */
function spelledOut(piece: Piece): readonly Piece[] {
  if (PRINTABLE_REGEXP.test(piece.text)) return [piece];
  return piece.text.split(ABOVE_ASCII_REGEXP).filter((text) => text !== "").map((text) =>
    ABOVE_ASCII_REGEXP.test(text)
      ? { text: Array.from(text, spell).join(""), isMark: true }
      : { text, isMark: piece.isMark }
  );
}

function spell(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

function linesOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  for (const { text, isMark } of pieces) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, isMark });
    }
  }
  return lines;
}

function rowsOf(
  line: readonly Piece[],
  style: LayOutStyle,
  room: number,
): readonly string[] {
  const { theme, role = () => "text" } = style;
  const painted = role(line.map(({ text }) => text).join(""));
  const rows = new RowWriter(style, room);
  for (const { text, isMark } of line) {
    rows.add(text, (part) => isMark ? theme.paint("selected", part) : theme.paint(painted, part));
  }
  return rows.end();
}

/** Puts pieces into rows, and begins a new one where nothing more fits. */
class RowWriter {
  readonly #style: LayOutStyle;
  readonly #room: number;
  readonly #rows: string[] = [];
  #row = "";
  #cells = 0;

  constructor(style: LayOutStyle, room: number) {
    this.#style = style;
    this.#room = room;
  }

  add(text: string, paint: (part: string) => string): void {
    if (PRINTABLE_REGEXP.test(text)) return this.#addPlain(text, paint);
    let part = "";
    for (const { segment } of getGraphemeSegmenter().segment(text)) {
      const shown = segment === "\t" ? " ".repeat(TAB_CELLS - this.#cells % TAB_CELLS) : segment;
      const cells = visibleWidth(shown);
      if (this.#cells + cells > this.#room) {
        this.#row += paint(part);
        part = "";
        this.#break();
      }
      // In a single column there is no place for a wide character at all.
      part += cells > this.#room ? "?" : shown;
      this.#cells += Math.min(cells, this.#room);
    }
    this.#row += paint(part);
  }

  end(): readonly string[] {
    this.#break();
    return this.#rows;
  }

  #addPlain(text: string, paint: (part: string) => string): void {
    for (let at = 0; at < text.length;) {
      if (this.#cells === this.#room) this.#break();
      const part = text.slice(at, at + this.#room - this.#cells);
      this.#row += paint(part);
      this.#cells += part.length;
      at += part.length;
    }
  }

  #break(): void {
    const { theme, prefix, continuation } = this.#style;
    const start = this.#rows.length === 0 ? prefix : continuation;
    this.#rows.push(theme.paint("border", start) + this.#row);
    this.#row = "";
    this.#cells = 0;
  }
}
