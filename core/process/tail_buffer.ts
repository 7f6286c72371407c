const FIRST_SIZE_BYTES = 4096;

/** Keeps the last bytes of a stream. Takes no more memory than was written, nor than its limit. */
export class TailBuffer {
  readonly #maxBytes: number;
  #buffer = new Uint8Array(0);
  /** Where the next byte goes. */
  #next = 0;
  #length = 0;

  /**
   * Begins empty.
   *
   * @param maxBytes How many bytes are kept.
   */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many bytes it holds. */
  get length(): number {
    return this.#length;
  }

  /**
   * Adds bytes and forgets the oldest ones above the limit.
   *
   * @param bytes Copied, so the caller may reuse them.
   */
  write(bytes: Uint8Array): void {
    const added = bytes.length > this.#maxBytes ? bytes.subarray(-this.#maxBytes) : bytes;
    if (this.#maxBytes === 0 || added.length === 0) return;
    this.#grow(this.#length + added.length);
    const room = this.#buffer.length - this.#next;
    this.#buffer.set(added.subarray(0, room), this.#next);
    this.#buffer.set(added.subarray(room), 0);
    this.#next = (this.#next + added.length) % this.#buffer.length;
    this.#length = Math.min(this.#length + added.length, this.#buffer.length);
  }

  /**
   * A copy of the newest bytes, oldest first.
   *
   * @param maxBytes How many at most.
   */
  last(maxBytes: number): Uint8Array {
    const count = Math.min(maxBytes, this.#length);
    const copy = new Uint8Array(count);
    if (count === 0) return copy;
    const size = this.#buffer.length;
    const from = (this.#next - count + size) % size;
    const first = this.#buffer.subarray(from, Math.min(from + count, size));
    copy.set(first);
    copy.set(this.#buffer.subarray(0, count - first.length), first.length);
    return copy;
  }

  #grow(wantedBytes: number): void {
    const wanted = Math.min(wantedBytes, this.#maxBytes);
    if (wanted <= this.#buffer.length) return;
    const size = Math.min(
      this.#maxBytes,
      Math.max(FIRST_SIZE_BYTES, this.#buffer.length * 2, wanted),
    );
    const grown = new Uint8Array(size);
    const kept = this.last(this.#length);
    grown.set(kept);
    this.#buffer = grown;
    this.#next = kept.length % size;
  }
}
