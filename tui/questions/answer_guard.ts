import { pastedText, typedText } from "../panels/panel_keys.ts";

/** Time, as far as questions need it. */
export interface QuestionClock {
  /** Milliseconds since some moment. */
  now(): number;
  /**
   * Calls something later.
   *
   * @param afterMs How much later.
   * @param call What is called.
   * @returns Prevents it.
   */
  schedule(afterMs: number, call: () => void): () => void;
}

/** How carefully a question takes keys for answers. */
export interface AnswerGuardOptions {
  readonly clock: QuestionClock;
  /** Called when the question can be answered from now on. */
  readonly onReady: () => void;
  /** Gets what was typed or pasted and is no answer. */
  readonly onDropped: (data: string) => void;
}

/** How long nothing may be typed before a question takes an answer. */
export const QUIET_MS = 300;
/** Keys that follow each other faster were not pressed by a person, but pasted. */
const BURST_MS = 30;

/** The time of this process. */
export const SYSTEM_CLOCK: QuestionClock = {
  now: () => performance.now(),
  schedule(afterMs, call) {
    const timer = setTimeout(call, afterMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Keeps what was meant for something else from answering a question: what was typed before the
 * question could be read, what goes on being typed, and whatever is pasted, in brackets or not.
 */
export class AnswerGuard {
  readonly #options: AnswerGuardOptions;
  #isReady = false;
  #isShown = false;
  #cancelQuiet: () => void = () => {};
  #lastTextAt = -Infinity;
  #waiting: { readonly data: string; readonly cancel: () => void } | undefined;

  /** @param options How carefully. */
  constructor(options: AnswerGuardOptions) {
    this.#options = options;
  }

  /** Whether the question can be answered. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Says that the question is on the screen. To be called for each drawing. */
  shown(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#beQuiet();
  }

  /** Says that the question left the screen: what is typed meanwhile is not for it. */
  hidden(): void {
    this.close();
    this.#isReady = false;
    this.#isShown = false;
  }

  /** Forgets what it waits for. */
  close(): void {
    this.#cancelQuiet();
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }

  /**
   * Takes a key or a paste.
   *
   * @param data What the terminal sent.
   * @param answer Called with a key that was meant for the question: at once where it types
   * nothing, otherwise as soon as nothing has followed it.
   */
  take(data: string, answer: (data: string) => void): void {
    if (!this.#isReady) {
      this.#options.onDropped(data);
      return this.#isShown ? this.#beQuiet() : undefined;
    }
    if (pastedText(data) !== undefined) return this.#options.onDropped(data);
    if (typedText(data) === undefined && data !== "\r" && data !== "\n") return answer(data);
    this.#takeText(data, answer);
  }

  #takeText(data: string, answer: (data: string) => void): void {
    const { clock, onDropped } = this.#options;
    const now = clock.now();
    const isBurst = now - this.#lastTextAt < BURST_MS;
    this.#lastTextAt = now;
    const before = this.#waiting;
    before?.cancel();
    this.#waiting = undefined;
    if (before !== undefined) onDropped(before.data);
    if (isBurst) return onDropped(data);
    const cancel = clock.schedule(BURST_MS, () => {
      this.#waiting = undefined;
      answer(data);
    });
    this.#waiting = { data, cancel };
  }

  #beQuiet(): void {
    const { clock, onReady } = this.#options;
    this.#cancelQuiet();
    this.#cancelQuiet = clock.schedule(QUIET_MS, () => {
      this.#isReady = true;
      onReady();
    });
  }
}
