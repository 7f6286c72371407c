import { TailBuffer } from "./tail_buffer.ts";
import {
  characterStart,
  cutMiddle,
  keepEnd,
  keepStart,
  nextCharacterStart,
  utf8Length,
  visibleOutput,
} from "./visible_text.ts";

/** What one output stream of a command came to. */
export interface CapturedText {
  /** Everything, or the head and the tail with a note between them. */
  readonly text: string;
  /** Whether something was left out. */
  readonly truncated: boolean;
}

/** Keeps the head and the tail of one output stream in bounded memory. */
export class OutputCapture {
  readonly #head: Uint8Array;
  readonly #tail: TailBuffer;
  readonly #maxCaptureBytes: number;
  #headLength = 0;
  #totalBytes = 0;

  /**
   * Begins empty.
   *
   * @param maxCaptureBytes How many bytes {@linkcode text} may have, its note not counted.
   * @param maxTailBytes How many bytes {@linkcode tail} may be asked for.
   */
  constructor(maxCaptureBytes: number, maxTailBytes: number) {
    this.#maxCaptureBytes = maxCaptureBytes;
    this.#head = new Uint8Array(Math.ceil(maxCaptureBytes / 2));
    this.#tail = new TailBuffer(Math.max(maxTailBytes, Math.floor(maxCaptureBytes / 2)));
  }

  /** How many bytes the command has written. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Whether {@linkcode text} will leave something out. */
  get isOverLimit(): boolean {
    return this.#totalBytes > this.#maxCaptureBytes;
  }

  /**
   * Takes the next bytes of the stream.
   *
   * @param bytes Copied.
   */
  write(bytes: Uint8Array): void {
    this.#totalBytes += bytes.length;
    const room = this.#head.length - this.#headLength;
    const first = bytes.subarray(0, room);
    this.#head.set(first, this.#headLength);
    this.#headLength += first.length;
    this.#tail.write(bytes.subarray(first.length));
  }

  /**
   * The output as text that fits the limit. Cuts never split a character.
   *
   * @param fullOutput Where the full output can be read, in words, if it was written anywhere.
   */
  text(fullOutput?: string): CapturedText {
    const note = (head: number, tail: number) =>
      formatCutNote({ totalBytes: this.#totalBytes, head, tail, fullOutput });
    if (!this.isOverLimit) {
      const whole = visibleOutput(this.#lastBytes(this.#totalBytes));
      const text = cutMiddle(whole, this.#maxCaptureBytes, note);
      return { text, truncated: text !== whole };
    }
    const headBytes = this.#head.subarray(0, characterStart(this.#head, this.#head.length));
    const tailBytes = this.#tail.last(Math.floor(this.#maxCaptureBytes / 2));
    const head = keepStart(visibleOutput(headBytes), this.#head.length);
    const tail = keepEnd(
      visibleOutput(tailBytes.subarray(nextCharacterStart(tailBytes, 0))),
      Math.floor(this.#maxCaptureBytes / 2),
    );
    return { text: head + note(utf8Length(head), utf8Length(tail)) + tail, truncated: true };
  }

  /**
   * The end of the output as text.
   *
   * @param maxBytes How many bytes at most.
   */
  tail(maxBytes: number): string {
    const bytes = this.#lastBytes(maxBytes);
    const from = bytes.length < this.#totalBytes ? nextCharacterStart(bytes, 0) : 0;
    return keepEnd(visibleOutput(bytes.subarray(from)), maxBytes);
  }

  /** The newest bytes; head and tail together hold them all while little was written. */
  #lastBytes(maxBytes: number): Uint8Array {
    const tail = this.#tail.last(maxBytes);
    const beforeTail = this.#totalBytes - this.#tail.length;
    if (beforeTail > this.#headLength || tail.length === maxBytes) return tail;
    const fromHead = Math.min(maxBytes - tail.length, this.#headLength);
    const all = new Uint8Array(fromHead + tail.length);
    all.set(this.#head.subarray(this.#headLength - fromHead, this.#headLength));
    all.set(tail, fromHead);
    return all;
  }
}

/** What a note about a cut says. */
export interface CutNote {
  /** Bytes that the command wrote. */
  readonly totalBytes: number;
  /** Bytes shown before the note. */
  readonly head: number;
  /** Bytes shown after the note. */
  readonly tail: number;
  /** Where the full output can be read, in words. */
  readonly fullOutput?: string | undefined;
}

/**
 * The line that stands where output was left out.
 *
 * @param note What it says.
 */
export function formatCutNote(note: CutNote): string {
  const where = note.fullOutput === undefined ? "" : `; ${note.fullOutput}`;
  return `\n[output cut: the first ${note.head} and the last ${note.tail} ` +
    `of ${note.totalBytes} bytes are shown${where}]\n`;
}
