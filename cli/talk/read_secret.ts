import { INTERRUPT } from "./keyboard.ts";
import type { LineAnswer, LinePorts, LineRequest } from "./read_line.ts";

/** No key is longer. */
const MAX_SECRET_CHARS = 16_384;
/** How many signs stand for what was typed: its length is nobody's business. */
const MAX_SIGNS = 24;

// deno-lint-ignore no-control-regex -- sequences of keys that are no text
const KEY_SEQUENCE_REGEXP = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/gs;
// deno-lint-ignore no-control-regex -- the keys that delete or end a line, one by one
const KEYS_REGEXP = /[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

/**
 * Reads one line that nobody may read over the person's shoulder: signs stand for what is typed or
 * pasted. Backspace, Ctrl+W and Ctrl+U delete; nothing is remembered.
 *
 * @param ports Where from.
 * @param request How; a draft and a history do not count.
 */
export async function readSecret(
  { keyboard, screen }: LinePorts,
  { prompt, signal }: Pick<LineRequest, "prompt" | "signal">,
): Promise<LineAnswer> {
  const { promise, resolve } = Promise.withResolvers<LineAnswer>();
  const line = new SecretLine((text) => screen.print(text));
  const giveBack = keyboard.give({
    take({ kind, text }) {
      if (kind === "paste") return line.add(text.replace(/\s+/g, " "));
      for (const [keys] of text.replace(KEY_SEQUENCE_REGEXP, "").matchAll(KEYS_REGEXP)) {
        const answer = line.press(keys);
        if (answer !== null) return resolve(answer);
      }
    },
    end: () => resolve({ kind: "end" }),
  });
  const abort = (): void => resolve({ kind: "end" });
  signal.addEventListener("abort", abort, { once: true });
  try {
    if (signal.aborted || keyboard.isClosed) abort();
    else screen.print(prompt);
    return await promise;
  } finally {
    giveBack();
    signal.removeEventListener("abort", abort);
    screen.freshLine();
  }
}

class SecretLine {
  readonly #print: (text: string) => void;
  #text = "";
  #signs = 0;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  add(text: string): void {
    this.#show((this.#text + text).slice(0, MAX_SECRET_CHARS));
  }

  /** What was typed, if the key ends the line. */
  press(keys: string): LineAnswer | null {
    switch (keys) {
      case "\r":
      case "\n":
        return { kind: "line", text: this.#text, typed: this.#text };
      case INTERRUPT:
        return { kind: "interrupt", typed: "" };
      case "\x04":
        return this.#text === "" ? { kind: "end" } : null;
      case "\x7f":
      case "\b":
        this.#show(Array.from(this.#text).slice(0, -1).join(""));
        return null;
      case "\x15":
        this.#show("");
        return null;
      case "\x17":
        this.#show(this.#text.replace(/\S*\s*$/, ""));
        return null;
      default:
        if (keys >= " ") this.add(keys);
        return null;
    }
  }

  #show(text: string): void {
    this.#text = text;
    const signs = Math.min(MAX_SIGNS, Array.from(text).length);
    const more = signs - this.#signs;
    this.#print(more >= 0 ? "*".repeat(more) : "\b \b".repeat(-more));
    this.#signs = signs;
  }
}
