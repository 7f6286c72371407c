/** How often the end of what a command prints is told. A command that is quicker tells nothing. */
const INTERVAL_MS = 300;
/** How much is looked at of what came since: more than a line that anybody reads. */
const MAX_CHARS = 1_000;

/**
 * Tells people the last line that a command printed, while it runs.
 *
 * Nothing is told after it was disposed of.
 */
export class LiveOutput implements Disposable {
  readonly #emit: (data: unknown) => void;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  #recent = "";
  #told = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /** @param emit Tells it, as `{ line }`. */
  constructor(emit: (data: unknown) => void) {
    this.#emit = emit;
  }

  /**
   * Takes what was printed, for `onOutput` of a command.
   *
   * @param bytes What was printed, redacted.
   * @param stream Where to.
   */
  readonly take = (bytes: Uint8Array, stream: "stdout" | "stderr"): void => {
    const text = this.#decoders[stream].decode(bytes, { stream: true });
    this.#recent = (this.#recent + text).slice(-MAX_CHARS);
    if (this.#isOver) return;
    this.#timer ??= setTimeout(() => this.#tell(), INTERVAL_MS);
  };

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#timer = undefined;
    // Programs that draw a bar go back to the start of the line.
    const line = this.#recent.split(/[\r\n]+/).findLast((each) => each.trim() !== "");
    if (line === undefined || line === this.#told) return;
    this.#told = line;
    this.#emit({ line });
  }
}
