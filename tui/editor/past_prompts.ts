import { type EditState, stateOf } from "./edit_state.ts";

/** Goes through earlier prompts, and keeps what was being written meanwhile. */
export class PastPrompts {
  readonly #entries: () => readonly string[];
  /** The prompts as they were when the person began to go back; others may be added meanwhile. */
  #seen: readonly string[] = [];
  #at = -1;
  #draft: EditState | undefined;

  /** @param entries Earlier prompts, the latest first. */
  constructor(entries: () => readonly string[]) {
    this.#entries = entries;
  }

  /** Whether an earlier prompt is shown. */
  get isShowing(): boolean {
    return this.#at !== -1;
  }

  /**
   * The prompt before the one that is shown.
   *
   * @param draft What is being written, for the way back.
   * @returns Undefined where there is none.
   */
  previous(draft: EditState): EditState | undefined {
    if (!this.isShowing) this.#seen = this.#entries();
    const entry = this.#seen[this.#at + 1];
    if (entry === undefined) return undefined;
    if (!this.isShowing) this.#draft = draft;
    this.#at++;
    // The cursor stands at the start, so that the next key goes on to what was before that.
    return { ...stateOf(entry), line: 0, column: 0 };
  }

  /** The prompt after the one that is shown; behind the latest, what was being written. */
  next(): EditState | undefined {
    if (!this.isShowing) return undefined;
    this.#at--;
    if (this.isShowing) return stateOf(this.#seen[this.#at] ?? "");
    const draft = this.#draft;
    this.#draft = undefined;
    return draft;
  }

  /** Ends it: what is shown is what is being written from now on. */
  leave(): void {
    this.#at = -1;
    this.#draft = undefined;
  }
}
