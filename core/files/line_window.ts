import { skipCharacters } from "./utf8_characters.ts";

/** Which part of a text is wanted. */
export interface LineWindowRequest {
  /** First line, from 1. */
  readonly startLine: number;
  /** First character of that line, from 1. */
  readonly startColumn: number;
  /** Lines to collect at most. */
  readonly maxLines: number;
  /** Bytes to collect at most; a few more may come back. */
  readonly maxBytes: number;
}

/** The part of a text that was found. */
export type LineWindow =
  | {
    readonly kind: "lines";
    /** From the requested place on. */
    readonly bytes: Uint8Array;
    /** Whether nothing follows in the text. */
    readonly atEnd: boolean;
  }
  /** The text has fewer lines. */
  | { readonly kind: "past_last_line"; readonly lines: number }
  /** The line has fewer characters. */
  | { readonly kind: "past_line_end"; readonly characters: number };

const LINE_FEED = 0x0a;

/**
 * Finds a part of a text of any size without holding more than that part and one chunk. Chunks
 * after the part are not asked for.
 *
 * @param chunks UTF-8, possibly with invalid bytes, cut anywhere; without a byte-order mark.
 * @param request Which part is wanted.
 */
export async function readLineWindow(
  chunks: AsyncIterable<Uint8Array>,
  request: LineWindowRequest,
): Promise<LineWindow> {
  const reader = new WindowReader(request);
  for await (const chunk of chunks) {
    if (reader.push(chunk)) return reader.finish(false);
  }
  return reader.finish(true);
}

class WindowReader {
  readonly #request: LineWindowRequest;
  /** The line that the next byte belongs to. */
  #line = 1;
  #lastByte = LINE_FEED;
  #charactersLeft: number;
  /** An unfinished character at the end of a chunk that is being skipped over. */
  #carry = new Uint8Array();
  #lineEnded = false;
  readonly #collected: Uint8Array[] = [];
  #collectedBytes = 0;
  #linesLeft: number;

  constructor(request: LineWindowRequest) {
    this.#request = request;
    this.#charactersLeft = request.startColumn - 1;
    this.#linesLeft = request.maxLines;
  }

  /** Takes a chunk and tells whether the window is complete. */
  push(chunk: Uint8Array): boolean {
    if (chunk.length === 0) return false;
    const start = this.#skipLines(chunk);
    this.#lastByte = chunk[chunk.length - 1] ?? LINE_FEED;
    if (start === chunk.length) return false;
    const rest = this.#skipColumns(chunk.subarray(start));
    return this.#lineEnded || this.#collect(rest);
  }

  finish(atEnd: boolean): LineWindow {
    const { startLine, startColumn } = this.#request;
    if (this.#line < startLine || (startLine > 1 && this.#isEmpty())) {
      const lines = this.#lastByte === LINE_FEED ? this.#line - 1 : this.#line;
      return { kind: "past_last_line", lines };
    }
    // At the end an unfinished character is as many characters as it has bytes.
    const skippedCarry = Math.min(this.#charactersLeft, this.#carry.length);
    const left = this.#charactersLeft - skippedCarry;
    const bytes = concat([this.#carry.subarray(skippedCarry), ...this.#collected]);
    if (startColumn > 1 && (left > 0 || startsAtLineEnd(bytes))) {
      return { kind: "past_line_end", characters: startColumn - 1 - left };
    }
    return { kind: "lines", bytes, atEnd };
  }

  #isEmpty(): boolean {
    const skipped = this.#request.startColumn - 1 - this.#charactersLeft;
    return this.#collectedBytes + this.#carry.length + skipped === 0 && !this.#lineEnded;
  }

  #skipLines(chunk: Uint8Array): number {
    let index = 0;
    while (this.#line < this.#request.startLine) {
      const lineFeed = chunk.indexOf(LINE_FEED, index);
      if (lineFeed === -1) return chunk.length;
      this.#line++;
      index = lineFeed + 1;
    }
    return index;
  }

  #skipColumns(chunk: Uint8Array): Uint8Array {
    if (this.#charactersLeft === 0) return chunk;
    const bytes = concat([this.#carry, chunk]);
    const { index, characters } = skipCharacters(bytes, 0, this.#charactersLeft);
    this.#charactersLeft -= characters;
    this.#lineEnded = this.#charactersLeft > 0 && bytes[index] === LINE_FEED;
    this.#carry = new Uint8Array();
    if (this.#charactersLeft === 0) return bytes.subarray(index);
    if (!this.#lineEnded) this.#carry = bytes.slice(index);
    return new Uint8Array();
  }

  #collect(chunk: Uint8Array): boolean {
    // Whether anything follows the last wanted line is known only when it comes.
    if (chunk.length > 0 && this.#linesLeft === 0) return true;
    let index = 0;
    while (this.#linesLeft > 0 && index < chunk.length) {
      const lineFeed = chunk.indexOf(LINE_FEED, index);
      if (lineFeed === -1) index = chunk.length;
      else {
        index = lineFeed + 1;
        this.#linesLeft--;
      }
    }
    const room = this.#request.maxBytes - this.#collectedBytes;
    const taken = Math.min(index, room);
    this.#collected.push(chunk.slice(0, taken));
    this.#collectedBytes += taken;
    return taken < chunk.length;
  }
}

function startsAtLineEnd(bytes: Uint8Array): boolean {
  const first = bytes[0] === 0x0d && bytes.length > 1 ? bytes[1] : bytes[0];
  return first === undefined || first === LINE_FEED;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
