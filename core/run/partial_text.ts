import { leftOutMark } from "../text/bound_text.ts";

/** Pieces are joined once there is that much of them. */
const BLOCK_CHARS = 64 * 1024;

/** At most the mark where text is left out. */
const MARK_CHARS = 64;

/**
 * The text of a response that may yet break off, however long it gets: its start, and its end, from
 * which the model would go on.
 *
 * Pieces are joined block by block: a string that grows by a word at a time takes many times its
 * size.
 */
export class PartialText {
  readonly #headChars: number;
  readonly #tailChars: number;
  #head = "";
  #tail = "";
  #pieces: string[] = [];
  #pieceChars = 0;
  #chars = 0;

  /**
   * Starts empty.
   *
   * @param maxChars How many characters are kept.
   */
  constructor(maxChars: number) {
    const chars = Math.max(0, maxChars - MARK_CHARS);
    this.#headChars = Math.floor(chars * 0.6);
    this.#tailChars = chars - this.#headChars;
  }

  /**
   * Adds a piece to the end.
   *
   * @param text The piece.
   */
  add(text: string): void {
    this.#pieces.push(text);
    this.#pieceChars += text.length;
    this.#chars += text.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#join();
  }

  /** What is kept, with a mark where something is gone. */
  get text(): string {
    this.#join();
    const tail = this.#cutTail();
    const gone = this.#chars - this.#head.length - tail.length;
    if (gone === 0) return this.#head + tail;
    // No half of a pair of surrogates stands beside the mark.
    const head = /[\ud800-\udbff]$/.test(this.#head) ? this.#head.slice(0, -1) : this.#head;
    const end = /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
    return head + leftOutMark(this.#chars - head.length - end.length) + end;
  }

  #join(): void {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#pieceChars = 0;
    const more = this.#headChars - this.#head.length;
    this.#head += text.slice(0, more);
    this.#tail += text.slice(more);
    if (this.#tail.length > 2 * this.#tailChars + BLOCK_CHARS) this.#tail = this.#cutTail();
  }

  #cutTail(): string {
    return this.#tail.slice(Math.max(0, this.#tail.length - this.#tailChars));
  }
}
