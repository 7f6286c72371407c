import { visibleLines } from "../process/visible_text.ts";

/** What may mean something else once the next character is known. */
const UNDECIDED_REGEXP = /\r$|[\u200c\u200d]$|[\u200c\u200d]?[\ud800-\udbff]$/;

/**
 * A text for a person that comes in pieces. Wherever it is cut, the pieces together show the same
 * as the whole text does.
 */
export class VisibleStream {
  /** The last character that was shown, which may decide about the next one. */
  #context = "";
  /** The end of what came, until the next piece decides about it. */
  #held = "";

  /**
   * Takes the next piece.
   *
   * @param piece The piece.
   * @returns What can be shown of the text by now.
   */
  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = UNDECIDED_REGEXP.exec(text)?.[0] ?? "";
    return this.#show(text.slice(0, text.length - this.#held.length));
  }

  /** What is left to show; the text is over, and another one may begin. */
  end(): string {
    const rest = this.#show(this.#held);
    this.#held = "";
    this.#context = "";
    return rest;
  }

  #show(text: string): string {
    if (text === "") return "";
    const before = visibleLines(this.#context).length;
    const shown = visibleLines(this.#context + text).slice(before);
    this.#context = lastCharacter(text);
    return shown;
  }
}

function lastCharacter(text: string): string {
  return /[\ud800-\udbff]?[\udc00-\udfff]$|.$/s.exec(text)?.[0] ?? "";
}
