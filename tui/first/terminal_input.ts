const CHUNK_BYTES = 16 * 1024;
/** Nobody types as much before the screen is there; a paste may, and is cut. */
const MAX_EARLY_BYTES = 1024 * 1024;

/** Who gets what was typed. */
export interface InputListener {
  /**
   * Takes some bytes, in order.
   *
   * @param bytes The bytes; not kept by the caller.
   */
  onBytes(bytes: Uint8Array): void;
  /** Nobody is at the terminal any more. */
  onEnd(): void;
}

/**
 * Reads the keys of the terminal from the first moment on. What comes before anybody listens is
 * kept for them, so that nothing that was typed is lost.
 */
export class TerminalInput {
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #hasEnded = false;
  #listener: InputListener | undefined;
  /** Is shown early bytes, which are kept all the same. */
  #onEarly: () => void = () => {};

  /**
   * Begins to read.
   *
   * @param read Reads some bytes, as `Deno.stdin.read` does.
   */
  start(
    read: (into: Uint8Array) => Promise<number | null> = (into) => Deno.stdin.read(into),
  ): void {
    void this.#read(read);
  }

  /** What was typed while nobody listened. */
  early(): readonly Uint8Array[] {
    return this.#early;
  }

  /**
   * Calls back at each piece that comes while nobody listens.
   *
   * @param onEarly The callback; replaces the one before.
   */
  watchEarly(onEarly: () => void): void {
    this.#onEarly = onEarly;
  }

  /**
   * Gives everything to a listener, what was kept first.
   *
   * @param listener The listener; replaces the one before. Undefined keeps what comes.
   */
  listen(listener: InputListener | undefined): void {
    this.#listener = listener;
    if (listener === undefined) return;
    const early = this.#early;
    this.#early = [];
    this.#earlyBytes = 0;
    for (const bytes of early) listener.onBytes(bytes);
    if (this.#hasEnded) listener.onEnd();
  }

  async #read(read: (into: Uint8Array) => Promise<number | null>): Promise<void> {
    while (true) {
      const bytes = new Uint8Array(CHUNK_BYTES);
      // A terminal that was closed cannot be read: nobody is there any more.
      const count = await read(bytes).catch(() => null);
      if (count === null) break;
      this.#take(bytes.subarray(0, count));
    }
    this.#hasEnded = true;
    this.#listener?.onEnd();
  }

  #take(bytes: Uint8Array): void {
    if (this.#listener !== undefined) return this.#listener.onBytes(bytes);
    if (this.#earlyBytes + bytes.length > MAX_EARLY_BYTES) return;
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    this.#onEarly();
  }
}
