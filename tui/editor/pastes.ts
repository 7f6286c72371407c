/** A longer paste stands as a sign in the text: lines and characters. */
const MAX_SHOWN_LINES = 10;
const MAX_SHOWN_CHARS = 1_000;

/** What all pastes of a prompt may hold; more is a file, not a prompt. */
const MAX_KEPT_CHARS = 4_000_000;

/** Long pastes of the prompt that is being written, each by the sign that stands for it. */
export class Pastes {
  readonly #texts = new Map<string, string>();
  #count = 0;
  #chars = 0;

  /** Every sign. */
  signs(): Iterable<string> {
    return this.#texts.keys();
  }

  /**
   * What a pasted text becomes in the prompt.
   *
   * @param text The text, with `\n` at the ends of its lines.
   * @returns The text itself, or a sign for it where it is long.
   * @throws {RangeError} If it is more than a prompt can hold. Its message is for the person.
   */
  add(text: string): string {
    const lines = text.split("\n").length;
    if (lines <= MAX_SHOWN_LINES && text.length <= MAX_SHOWN_CHARS) return text;
    if (this.#chars + text.length > MAX_KEPT_CHARS) {
      throw new RangeError(
        `Cannot paste ${formatSize(text.length)}: a prompt holds at most ` +
          `${formatSize(MAX_KEPT_CHARS)}; save it as a file, and name the file with @`,
      );
    }
    const size = lines > MAX_SHOWN_LINES ? `+${lines} lines` : `${text.length} chars`;
    const sign = `[paste #${++this.#count} ${size}]`;
    this.#texts.set(sign, text);
    this.#chars += text.length;
    return sign;
  }

  /**
   * A text with every paste in the place of its sign. Signs inside of a paste stay as they are.
   *
   * @param text The text.
   */
  expand(text: string): string {
    return text.replace(SIGN_REGEXP, (sign) => this.#texts.get(sign) ?? sign);
  }

  /** Forgets every paste. */
  clear(): void {
    this.#texts.clear();
    this.#count = 0;
    this.#chars = 0;
  }
}

const SIGN_REGEXP = /\[paste #\d+ (?:\+\d+ lines|\d+ chars)\]/g;

function formatSize(chars: number): string {
  return `${(chars / 1_000_000).toFixed(1)} million characters`;
}
