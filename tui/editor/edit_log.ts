import type { EditState } from "./edit_state.ts";

/** Steps that can be undone. States share their lines, so one costs little. */
const MAX_STEPS = 500;

/** Texts that were cut and can be put in again. */
const MAX_CUTS = 50;

/** What an edit was, as far as the next one depends on it. */
export type EditKind = "type" | "cut" | "yank" | "other";

/** What undo and yank go back to. */
export class EditLog {
  readonly #steps: EditState[] = [];
  readonly #cuts: string[] = [];
  #last: EditKind = "other";

  /** What the last edit was. */
  get last(): EditKind {
    return this.#last;
  }

  /**
   * Takes in an edit. Characters of one word are one step.
   *
   * @param before What was there before it.
   * @param kind What it is.
   * @param beginsStep Whether it is a step of its own in any case.
   */
  record(before: EditState, kind: EditKind, beginsStep: boolean): void {
    if (beginsStep || kind !== "type" || this.#last !== "type") {
      this.#steps.push(before);
      if (this.#steps.length > MAX_STEPS) this.#steps.shift();
    }
    this.#last = kind;
  }

  /** Says that something else than an edit happened, such as a move. */
  interrupt(): void {
    this.#last = "other";
  }

  /** Goes back a step: what was there before it. */
  undo(): EditState | undefined {
    this.#last = "other";
    return this.#steps.pop();
  }

  /** Forgets every step. */
  clear(): void {
    this.#steps.length = 0;
    this.#last = "other";
  }

  /**
   * Keeps a text that was cut; with cuts right before it, as one text. Called before `record`.
   *
   * @param text The text.
   * @param side Where it stood beside what was cut before.
   */
  keepCut(text: string, side: "before" | "after"): void {
    if (text === "") return;
    const previous = this.#last === "cut" ? this.#cuts.pop() ?? "" : "";
    this.#cuts.push(side === "before" ? text + previous : previous + text);
    if (this.#cuts.length > MAX_CUTS) this.#cuts.shift();
  }

  /** What was cut last. */
  lastCut(): string | undefined {
    return this.#cuts.at(-1);
  }

  /** Makes the cut before the last one the last one. */
  rotateCuts(): void {
    const last = this.#cuts.pop();
    if (last !== undefined) this.#cuts.unshift(last);
  }
}
