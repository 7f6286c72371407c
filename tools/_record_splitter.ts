/** Splits a stream of bytes at a delimiter, in bounded memory. */
export class RecordSplitter {
  readonly #delimiter: number;
  readonly #onRecord: (record: Uint8Array, isComplete: boolean) => void;
  readonly #buffer: Uint8Array;
  #length = 0;
  #isOverlong = false;

  /**
   * Begins at the start of a record.
   *
   * @param delimiter The byte between two records.
   * @param maxBytes Longest record that is handed on whole.
   * @param onRecord Gets each record without its delimiter: only its start, and false, where it
   * was too long. Must not keep the bytes.
   */
  constructor(
    delimiter: number,
    maxBytes: number,
    onRecord: (record: Uint8Array, isComplete: boolean) => void,
  ) {
    this.#delimiter = delimiter;
    this.#onRecord = onRecord;
    this.#buffer = new Uint8Array(maxBytes);
  }

  /**
   * Takes the next bytes of the stream.
   *
   * @param bytes Copied where needed.
   */
  write(bytes: Uint8Array): void {
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(this.#delimiter, from);
      this.#add(bytes.subarray(from, end === -1 ? bytes.length : end));
      if (end === -1) return;
      this.#onRecord(this.#buffer.subarray(0, this.#length), !this.#isOverlong);
      this.#length = 0;
      this.#isOverlong = false;
      from = end + 1;
    }
  }

  #add(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, this.#buffer.length - this.#length);
    this.#buffer.set(kept, this.#length);
    this.#length += kept.length;
    if (kept.length < bytes.length) this.#isOverlong = true;
  }
}
