import { cellsOf, cellsOfCharacter, charactersOf } from "./cells.ts";
import type { Line, Span } from "./span.ts";

/** Words, blanks, and characters of scripts that may break anywhere. */
const WORD_REGEXP =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|\s+/gu;

const ASCII_REGEXP = /^[\x20-\x7e]*$/;

interface Word {
  readonly spans: readonly Span[];
  readonly cells: number;
  readonly isBlank: boolean;
}

/**
 * Breaks a line between words. Blanks at a break are gone; a word that is wider than a row is broken
 * anywhere.
 *
 * @param line The line.
 * @param width Columns.
 * @returns At least one row, none wider than that.
 */
export function wrapWords(line: Line, width: number): readonly Line[] {
  if (cellsOfLine(line) <= width) return [line];
  const rows: Span[][] = [];
  let row: Span[] = [];
  let cells = 0;
  let blanks: Word[] = [];
  const end = () => {
    rows.push(row);
    row = [];
    cells = 0;
    blanks = [];
  };
  for (const word of wordsOf(line)) {
    if (word.isBlank) {
      blanks.push(word);
      continue;
    }
    const gap = blanks.reduce((sum, blank) => sum + blank.cells, 0);
    if (row.length > 0 && cells + gap + word.cells > width) end();
    // Blanks at the start of a line are its indentation, and stay while there is room.
    else if (gap + word.cells <= width || row.length > 0) {
      for (const blank of blanks) row.push(...blank.spans);
      cells += gap;
    }
    blanks = [];
    if (word.cells <= width) {
      row.push(...word.spans);
      cells += word.cells;
      continue;
    }
    const pieces = wrapAnywhere(word.spans, width);
    for (const [index, piece] of pieces.entries()) {
      row.push(...piece);
      if (index < pieces.length - 1) end();
    }
    cells = cellsOfLine(row);
  }
  rows.push(row);
  return rows.filter((each, index) => each.length > 0 || index === 0);
}

/**
 * Breaks a line wherever a row is full, as source code and output want it: nothing is gone.
 *
 * @param line The line.
 * @param width Columns.
 * @returns At least one row; a character that is wider than a row becomes `?`.
 */
export function wrapAnywhere(line: Line, width: number): readonly Line[] {
  if (cellsOfLine(line) <= width) return [line];
  const rows: Span[][] = [];
  let row: Span[] = [];
  let left = width;
  for (const span of line) {
    if (ASCII_REGEXP.test(span.text)) {
      for (let start = 0; start < span.text.length;) {
        if (left === 0) {
          rows.push(row);
          row = [];
          left = width;
        }
        const text = span.text.slice(start, start + left);
        row.push({ ...span, text });
        start += text.length;
        left -= text.length;
      }
      continue;
    }
    let start = 0;
    let index = 0;
    for (const character of charactersOf(span.text)) {
      const cells = cellsOfCharacter(character);
      if (cells > left) {
        if (index > start) row.push({ ...span, text: span.text.slice(start, index) });
        start = index;
        if (row.length > 0) rows.push(row);
        row = [];
        left = width;
      }
      index += character.length;
      if (cells > width) {
        row.push({ ...span, text: "?" });
        start = index;
        left -= 1;
      } else {
        left -= cells;
      }
    }
    if (index > start) row.push({ ...span, text: span.text.slice(start, index) });
  }
  if (row.length > 0) rows.push(row);
  return rows.length > 0 ? rows : [[]];
}

/**
 * Cuts a line to a row.
 *
 * @param line The line.
 * @param width Columns.
 * @param mark What says that something is gone; left out where there is no room for it.
 */
export function clipLine(line: Line, width: number, mark = ""): Line {
  if (cellsOfLine(line) <= width) return line;
  const room = width - cellsOf(mark);
  if (room <= 0) return firstRow(line, width);
  const kept = firstRow(line, room);
  return mark === "" ? kept : [...kept, { ...kept.at(-1), text: mark }];
}

/**
 * How many cells a line takes at most.
 *
 * @param line The line.
 */
export function cellsOfLine(line: Line): number {
  let cells = 0;
  for (const { text } of line) cells += cellsOf(text);
  return cells;
}

/** The start of a line that fits; of a long line, no more is looked at than that. */
function firstRow(line: Line, width: number): Line {
  if (width <= 0) return [];
  const row: Span[] = [];
  let left = width;
  for (const span of line) {
    let index = 0;
    for (const character of charactersOf(span.text.slice(0, left * 8))) {
      const cells = cellsOfCharacter(character);
      if (cells > left) {
        if (index > 0) row.push({ ...span, text: span.text.slice(0, index) });
        return row;
      }
      left -= cells;
      index += character.length;
    }
    if (index > 0) row.push({ ...span, text: span.text.slice(0, index) });
    if (index < span.text.length) return row;
  }
  return row;
}

/** Words of a line; one that changes its looks in the middle is still one word. */
function wordsOf(line: Line): readonly Word[] {
  const words: Word[] = [];
  let isOpen = false;
  for (const span of line) {
    for (const [text] of span.text.matchAll(WORD_REGEXP)) {
      const isBlank = text.trim() === "";
      const breaksAnywhere = !isBlank && isIdeograph(text);
      const last = words.at(-1);
      const piece = { ...span, text };
      if (last !== undefined && isOpen && !isBlank && !breaksAnywhere) {
        words[words.length - 1] = {
          spans: [...last.spans, piece],
          cells: last.cells + cellsOf(text),
          isBlank: false,
        };
      } else {
        words.push({ spans: [piece], cells: cellsOf(text), isBlank });
      }
      isOpen = !isBlank && !breaksAnywhere;
    }
  }
  return words;
}

function isIdeograph(text: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
}
