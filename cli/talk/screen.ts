import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import { MAX_QUEUED_BYTES, type Output } from "../output.ts";

/**
 * The screen of a conversation. What a run prints is held back while the person is asked something,
 * and cannot hold the sign of a question. Questions come one after the other, first in, first out.
 */
export class Screen implements Output {
  readonly outIsTerminal = true;
  readonly errIsTerminal: boolean;
  readonly #output: Output;
  #held: (() => void)[] = [];
  #heldChars = 0;
  #holds = 0;
  #released: PromiseWithResolvers<void> | undefined;
  #isFresh = true;
  #last: Promise<unknown> = Promise.resolve();

  /** @param output The output of the process. */
  constructor(output: Output) {
    this.#output = output;
    this.errIsTerminal = output.errIsTerminal;
  }

  /**
   * Adds something that a run prints.
   *
   * @param text The text.
   */
  out(text: string): void {
    this.#add(text, (shown) => this.print(shown));
  }

  /**
   * Adds something that people are told beside it.
   *
   * @param text The text.
   */
  err(text: string): void {
    this.#add(text, (shown) => {
      if (this.errIsTerminal && shown !== "") this.#isFresh = shown.endsWith("\n");
      this.#output.err(shown);
    });
  }

  /** A wait for the reader of the output, or for the answer to what is on the screen. */
  drained(): Promise<void> | undefined {
    if (this.#holds === 0) return this.#output.drained();
    if (this.#heldChars <= MAX_QUEUED_BYTES) return undefined;
    this.#released ??= Promise.withResolvers<void>();
    return this.#released.promise;
  }

  /** Waits until everything is on the screen, except what is held back. */
  async flush(): Promise<void> {
    await this.#output.flush();
  }

  /**
   * Prints at once, as it stands: only what Alisio itself draws.
   *
   * @param text The text, control sequences included.
   */
  print(text: string): void {
    if (text === "") return;
    this.#isFresh = text.endsWith("\n");
    this.#output.out(text);
  }

  /** Ends the line that is open, if there is one. */
  freshLine(): void {
    if (!this.#isFresh) this.print("\n");
  }

  /**
   * Holds back what a run prints.
   *
   * @returns Lets it go on; to be called once.
   */
  hold(): () => void {
    this.#holds++;
    return () => {
      this.#holds--;
      if (this.#holds > 0) return;
      const held = this.#held;
      this.#held = [];
      this.#heldChars = 0;
      for (const add of held) add();
      this.#released?.resolve();
      this.#released = undefined;
    };
  }

  /**
   * Has the screen for one question, once every earlier one is over.
   *
   * @param ask Asks; it must end soon after its signal aborts.
   */
  async alone<T>(ask: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      const release = this.hold();
      try {
        return await ask();
      } finally {
        this.freshLine();
        release();
      }
    });
    this.#last = turn.catch(() => {});
    return await turn;
  }

  #add(text: string, add: (shown: string) => void): void {
    const shown = withoutQuestionMark(text);
    if (this.#holds === 0) return add(shown);
    this.#heldChars += shown.length;
    this.#held.push(() => add(shown));
  }
}
