import { visibleLines } from "../../core/process/visible_text.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import { cellsOf, charactersOf } from "./cells.ts";

const TAB_CELLS = 4;

// deno-lint-ignore no-control-regex -- colour and erase-line sequences are what this finds
const COLOUR_REGEXP = /\x1b\[[0-9;:]*[mK]/g;
// deno-lint-ignore no-control-regex -- everything that a terminal without Unicode cannot show
const BEYOND_ASCII_REGEXP = /[^\x00-\x7f]+/g;

/** Signs of print and drawing that have a likeness in ASCII. */
const LIKENESSES: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "«": '"',
  "»": '"',
  "–": "-",
  "—": "-",
  "−": "-",
  "─": "-",
  "━": "-",
  "│": "|",
  "┃": "|",
  "┌": "+",
  "┐": "+",
  "└": "+",
  "┘": "+",
  "├": "+",
  "┤": "+",
  "┬": "+",
  "┴": "+",
  "┼": "+",
  "•": "*",
  "·": "-",
  "…": "...",
  "→": "->",
  "←": "<-",
  "⇒": "=>",
  "×": "x",
  "✓": "v",
  "✗": "x",
  "\u00a0": " ",
};

/**
 * A text from outside, as it may be drawn: control sequences, characters that nobody sees and the
 * sign of a question are spelled out, tabs are spaces, and line ends are `\n`.
 *
 * @param text Any text.
 */
export function safeText(text: string): string {
  const shown = withoutQuestionMark(visibleLines(text)).replaceAll("\r\n", "\n");
  return shown.includes("\t") ? shown.split("\n").map(expandTabs).join("\n") : shown;
}

/**
 * Like {@linkcode safeText}, for what programs print: colours are dropped, because they say nothing
 * that a reader needs.
 *
 * @param text What a program or a tool printed.
 */
export function safeOutput(text: string): string {
  return safeText(text.includes("\x1b") ? text.replace(COLOUR_REGEXP, "") : text);
}

/**
 * A text from outside on one line: every run of line ends and blanks is one space.
 *
 * @param text Any text.
 */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, " ").trim());
}

/**
 * A text as a terminal without Unicode can show it: what has no likeness becomes `?`. Its bytes
 * would be taken for control characters there.
 *
 * @param text Safe text.
 */
export function asciiText(text: string): string {
  return text.replace(BEYOND_ASCII_REGEXP, (run) => {
    const parts = [...charactersOf(run)];
    return parts.map((part) => LIKENESSES[part] ?? "?".repeat(Math.max(1, cellsOf(part)))).join("");
  });
}

/**
 * A line with its tabs as blanks, up to the next multiple of four.
 *
 * @param line Safe text of one line.
 */
export function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  const parts = line.split("\t");
  let shown = parts[0] ?? "";
  let cells = cellsOf(shown);
  for (const part of parts.slice(1)) {
    const blanks = TAB_CELLS - cells % TAB_CELLS;
    shown += " ".repeat(blanks) + part;
    cells += blanks + cellsOf(part);
  }
  return shown;
}
