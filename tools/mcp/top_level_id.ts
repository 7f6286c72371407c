const BYTES = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** Higher ids are none that Alisio gave. */
const MAX_ID = 1e15;

/**
 * Finds the id of a JSON message that is too large to be kept, while it goes by in pieces. Only a
 * numeric member `"id"` of the message itself counts, wherever it stands.
 */
export class TopLevelId {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** How much of `id` a text at the level of the message has spelled, -1 for another text. */
  #spelled = -1;
  #isBehindId = false;
  /** The number that is being read, -1 for none. */
  #number = -1;
  #found: number | null = null;

  /** The id, once it has gone by. */
  get found(): number | null {
    return this.#found;
  }

  /**
   * Looks at the next bytes.
   *
   * @param bytes The bytes. They are not kept.
   */
  write(bytes: Uint8Array): void {
    let index = 0;
    while (index < bytes.length && this.#found === null) {
      index = this.#isInText ? this.#readText(bytes, index) : this.#readOutside(bytes, index);
    }
  }

  /** Reads to the end of a text. Returns where to go on. */
  #readText(bytes: Uint8Array, from: number): number {
    for (let index = from; index < bytes.length; index++) {
      const byte = bytes[index];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BYTES.backslash) {
        this.#isEscaped = true;
        this.#spelled = -1;
      } else if (byte === BYTES.quote) {
        this.#isInText = false;
        return index + 1;
      } else if (this.#spelled >= 0) {
        this.#spelled = byte === "id".charCodeAt(this.#spelled) ? this.#spelled + 1 : -1;
      }
    }
    return bytes.length;
  }

  /** Reads up to the beginning of a text. Returns where to go on. */
  #readOutside(bytes: Uint8Array, from: number): number {
    for (let index = from; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (this.#isBehindId && this.#readNumber(byte)) continue;
      if (this.#found !== null) return index;
      switch (byte) {
        case BYTES.quote:
          this.#isInText = true;
          this.#spelled = this.#depth === 1 ? 0 : -1;
          return index + 1;
        case BYTES.colon:
          this.#isBehindId = this.#depth === 1 && this.#spelled === 2;
          this.#number = -1;
          this.#spelled = -1;
          break;
        case BYTES.comma:
          this.#spelled = -1;
          break;
        case BYTES.openObject:
        case BYTES.openList:
          this.#depth++;
          break;
        case BYTES.closeObject:
        case BYTES.closeList:
          this.#depth--;
          break;
      }
    }
    return bytes.length;
  }

  /** Whether a byte behind `"id":` belongs to its number. */
  #readNumber(byte: number): boolean {
    const digit = byte - 0x30;
    if (digit >= 0 && digit <= 9 && this.#number < MAX_ID) {
      this.#number = Math.max(0, this.#number) * 10 + digit;
      return true;
    }
    const isSpace = byte === 0x20 || byte === 0x09 || byte === 0x0d;
    if (isSpace && this.#number < 0) return true;
    const isEnd = isSpace || byte === BYTES.comma || byte === BYTES.closeObject;
    if (isEnd && this.#number >= 0) this.#found = this.#number;
    this.#isBehindId = false;
    return false;
  }
}
