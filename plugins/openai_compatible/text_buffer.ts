/** Pieces are joined once there is that much of them. */
const BLOCK_CHARS = 64 * 1024;

/**
 * Text that arrives in pieces.
 *
 * A string that is grown piece by piece is kept by the runtime as a tree with a node for each
 * piece, which takes many times the text where pieces are a word long, and is written out whole
 * each time something looks inside. Here pieces become blocks, and the blocks one string, once.
 */
export class TextBuffer {
  #blocks: string[] = [];
  #pieces: string[] = [];
  #pieceChars = 0;
  #length = 0;

  /** How many UTF-16 units it holds. */
  get length(): number {
    return this.#length;
  }

  /**
   * Adds a piece to the end.
   *
   * @param text The piece.
   */
  push(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#pieceChars += text.length;
    this.#length += text.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#closeBlock();
  }

  /** Forgets everything. */
  clear(): void {
    this.#blocks = [];
    this.#pieces = [];
    this.#pieceChars = 0;
    this.#length = 0;
  }

  /** All of the text. */
  toString(): string {
    this.#closeBlock();
    if (this.#blocks.length > 1) this.#blocks = [this.#blocks.join("")];
    return this.#blocks[0] ?? "";
  }

  #closeBlock(): void {
    if (this.#pieces.length === 0) return;
    this.#blocks.push(this.#pieces.length === 1 ? this.#pieces[0] ?? "" : this.#pieces.join(""));
    this.#pieces = [];
    this.#pieceChars = 0;
  }
}
