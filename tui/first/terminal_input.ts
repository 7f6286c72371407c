const CHUNK_BYTES = 16 * 1024;
/** Nobody types as much before the screen is there; a paste may, and is cut. */
const MAX_EARLY_BYTES = 1024 * 1024;

/** How long a terminal may take to answer. */
const ANSWER_MS = 1_000;

/** What a terminal answers when it is asked what it can do. */
// deno-lint-ignore no-control-regex -- it begins with a control character
const ANSWER_REGEXP = /\x1b\[\?[\d;]*c/;

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
  /** Set while another program reads. */
  #pause: Pause | undefined;

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

  /**
   * Stops reading, so that another program gets what is typed. A read that waits already cannot be
   * called back; so the terminal is asked for an answer, or at last the person, which ends it.
   *
   * @param ask How.
   */
  async pause(ask: { readonly terminal: () => void; readonly person: () => void }): Promise<void> {
    if (this.#hasEnded) return;
    const caught = Promise.withResolvers<void>();
    const pause: Pause = { caught: caught.resolve, over: Promise.withResolvers(), isAsked: false };
    this.#pause = pause;
    ask.terminal();
    const timer = setTimeout(() => {
      pause.isAsked = true;
      ask.person();
    }, ANSWER_MS);
    await caught.promise;
    clearTimeout(timer);
  }

  /** Reads again. */
  resume(): void {
    this.#pause?.over.resolve();
    this.#pause = undefined;
  }

  async #read(read: (into: Uint8Array) => Promise<number | null>): Promise<void> {
    while (true) {
      const bytes = new Uint8Array(CHUNK_BYTES);
      // A terminal that was closed cannot be read: nobody is there any more.
      const count = await read(bytes).catch(() => null);
      if (count === null) break;
      const pause = this.#pause;
      if (pause === undefined) this.#take(bytes.subarray(0, count));
      else {
        // The key that the person was asked for means nothing.
        if (!pause.isAsked) this.#take(withoutAnswer(bytes.subarray(0, count)));
        pause.caught();
        await pause.over.promise;
      }
    }
    this.#hasEnded = true;
    this.#pause?.caught();
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

interface Pause {
  /** Called when nobody reads any more. */
  readonly caught: () => void;
  readonly over: PromiseWithResolvers<void>;
  /** Whether the person was asked for a key. */
  isAsked: boolean;
}

function withoutAnswer(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder("latin1").decode(bytes);
  const match = ANSWER_REGEXP.exec(text);
  if (match === null) return bytes;
  const end = match.index + match[0].length;
  return Uint8Array.from([...bytes.subarray(0, match.index), ...bytes.subarray(end)]);
}
