import type { TerminalCapabilities } from "@alisio/sdk";
import { cellsOf } from "../text/cell_width.ts";
import { replaceInvisible } from "../text/invisible_characters.ts";

/** How much of one line is looked at. */
const MAX_LINE_CHARS = 4_000;
const TAB_CELLS = 4;
const PLAIN = "\x1b[0m";

/** A colour sequence, or any other one; what is cut off at the end counts too. */
const SEQUENCE_REGEXP =
  // deno-lint-ignore no-control-regex -- what this finds
  /(\x1b\[[0-9;:]*m)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
// deno-lint-ignore no-control-regex -- the sequence that ends all others
const RESET_REGEXP = /^\x1b\[0?m$/;
// deno-lint-ignore no-control-regex -- every control character
const CONTROL_REGEXP = /[\x00-\x1f\x7f-\x9f]/g;

/**
 * Checks what a provider drew.
 *
 * @param drawn What it returned.
 * @param maxLines How many lines it may have.
 * @returns Its lines, as they stand.
 * @throws {TypeError} If it is no text and no list of texts.
 * @throws {RangeError} If it has too many lines.
 */
export function drawnLines(drawn: unknown, maxLines: number): readonly string[] {
  // What it promises is of no use, whatever becomes of it.
  if (drawn instanceof Promise) drawn.catch(() => {});
  const given: readonly unknown[] = Array.isArray(drawn) ? drawn : [drawn];
  if (given.length > maxLines) throw tooManyLines(given.length, maxLines);
  const lines = given.flatMap((each) => {
    if (typeof each !== "string") throw new TypeError("it drew no text and no list of texts");
    return each.split(/\r\n|\n|\r/, maxLines + 1);
  });
  if (lines.length > maxLines) throw tooManyLines(lines.length, maxLines);
  return lines;
}

/**
 * A line as a terminal can show it: it drives nothing, is no longer than the terminal is wide, and
 * colours nothing behind it.
 *
 * @param line Any text.
 * @param terminal What the terminal can show.
 */
export function drawnLine(line: string, terminal: TerminalCapabilities): string {
  const { color, columns } = terminal;
  const parts = line.slice(0, MAX_LINE_CHARS).split(SEQUENCE_REGEXP);
  let shown = "";
  let cells = 0;
  let isColoured = false;
  // With one group, every second part is a colour sequence, or undefined for any other one.
  for (const [index, part = ""] of parts.entries()) {
    if (index % 2 === 1) {
      if (!color || part === "") continue;
      shown += part;
      isColoured = !RESET_REGEXP.test(part);
      continue;
    }
    for (const character of visibleCharacters(part, terminal)) {
      const text = character === "\t" ? " ".repeat(TAB_CELLS - cells % TAB_CELLS) : character;
      const width = cellsOf(text);
      if (cells + width > columns) return shown + (isColoured ? PLAIN : "");
      shown += text;
      cells += width;
    }
  }
  return shown + (isColoured ? PLAIN : "");
}

function visibleCharacters(text: string, { unicode }: TerminalCapabilities): string {
  const seen = replaceInvisible(text.replace(CONTROL_REGEXP, keepTab), () => "");
  return unicode ? seen : seen.replace(/[^\t -~]/gu, "?");
}

function keepTab(character: string): string {
  return character === "\t" ? character : "";
}

function tooManyLines(count: number, maxLines: number): RangeError {
  return new RangeError(`it drew ${count} lines or more; ${maxLines} are allowed`);
}
