import { takeCharacters } from "./utf8_characters.ts";

/** What {@linkcode formatLines} lays out. */
export interface FormatLinesRequest {
  /** Number of the first line. */
  readonly startLine: number;
  /** Column of the first character. */
  readonly startColumn: number;
  /** Lines to show at most. */
  readonly maxLines: number;
  /** Bytes that the result may need inside a JSON string. */
  readonly maxJsonBytes: number;
  /** Whether nothing follows the bytes. */
  readonly atEnd: boolean;
}

/** Numbered lines, and where to go on. */
export interface FormattedLines {
  /** Each line as `N: text`. */
  readonly content: string;
  /** Where to go on; null when everything was shown. */
  readonly next: { readonly line: number; readonly column: number } | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Lays out lines with their numbers, without `\r` before a line feed. Lines are shown whole as
 * long as they fit; a first line that does not fit is cut after a whole character, so that every
 * step makes progress.
 *
 * @param bytes UTF-8, possibly with invalid bytes in it.
 * @param request What fits, and how to number it.
 */
export function formatLines(bytes: Uint8Array, request: FormatLinesRequest): FormattedLines {
  const shown: string[] = [];
  let room = request.maxJsonBytes;
  let line = request.startLine;
  let index = 0;
  while (index < bytes.length) {
    const column = shown.length === 0 ? request.startColumn : 1;
    if (shown.length === request.maxLines) return cut(shown, line, column);
    const found = bytes.indexOf(LINE_FEED, index);
    const end = found === -1 ? bytes.length : found;
    const isCr = found !== -1 && end > index && bytes[end - 1] === CARRIAGE_RETURN;
    const text = bytes.subarray(index, isCr ? end - 1 : end);
    const whole = found !== -1 || request.atEnd;
    const prefix = `${line}: `;
    // Two bytes for the line feed before it.
    room -= prefix.length + 2;
    const taken = takeCharacters(text, room, whole);
    if (!whole || taken.byteLength < text.length) {
      if (shown.length > 0) return cut(shown, line, column);
      shown.push(prefix + taken.text);
      return cut(shown, line, column + taken.characters);
    }
    shown.push(prefix + taken.text);
    room -= taken.jsonBytes;
    line++;
    index = end + 1;
  }
  return request.atEnd ? { content: shown.join("\n"), next: null } : cut(shown, line, 1);
}

function cut(shown: readonly string[], line: number, column: number): FormattedLines {
  return { content: shown.join("\n"), next: { line, column } };
}
