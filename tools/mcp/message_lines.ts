import { TopLevelId } from "./top_level_id.ts";

const LINE_END = 0x0a;

/** What comes out of the bytes of a server. */
export interface MessageLinesPorts {
  /** Longest line that is kept, in bytes. */
  readonly maxBytes: number;
  /** Is given each complete line that is not empty, without its end. The bytes are its own. */
  readonly onLine: (line: Uint8Array) => void;
  /** Is told of each line that was too long, at its end, with the id of the message if it had one. */
  readonly onTooLong: (id: number | null) => void;
}

/**
 * Splits a stream of bytes into lines, whatever the pieces that it comes in. A line above the limit
 * is let go by, and takes no more memory than the limit.
 */
export class MessageLines {
  readonly #ports: MessageLinesPorts;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** Set while a line that is too long goes by. */
  #passing: TopLevelId | null = null;

  /** @param ports The limit, and who is told. */
  constructor(ports: MessageLinesPorts) {
    this.#ports = ports;
  }

  /**
   * Takes the next bytes.
   *
   * @param bytes Not to be changed afterwards.
   */
  write(bytes: Uint8Array): void {
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(LINE_END, from);
      this.#add(bytes.subarray(from, end === -1 ? bytes.length : end));
      if (end === -1) return;
      this.#endLine();
      from = end + 1;
    }
  }

  /** The stream has ended; what is there of a last line counts as one. */
  end(): void {
    this.#endLine();
  }

  #add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    if (this.#passing !== null) return this.#passing.write(piece);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes <= this.#ports.maxBytes) return;
    this.#passing = new TopLevelId();
    for (const kept of this.#pieces) this.#passing.write(kept);
    this.#forget();
  }

  #endLine(): void {
    const passing = this.#passing;
    if (passing !== null) {
      this.#passing = null;
      this.#ports.onTooLong(passing.found);
      return;
    }
    const line = this.#bytes === 0 ? null : concatenate(this.#pieces, this.#bytes);
    this.#forget();
    if (line !== null) this.#ports.onLine(line);
  }

  #forget(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }
}

function concatenate(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
