import type { Terminal } from "./terminal.ts";

/** What comes from the keyboard: keys up to one that may end a line, or a pasted text. */
export type KeyboardInput =
  | { readonly kind: "keys"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string };

/** Whoever reads the keyboard at the moment. */
export interface KeyboardReader {
  /**
   * Takes the next input.
   *
   * @param input The input.
   */
  take(input: KeyboardInput): void;
  /** Nothing comes any more. */
  end(): void;
}

/** Ctrl+C. */
export const INTERRUPT = "\x03";

/** A longer paste is cut, and nothing longer waits for a reader. */
export const MAX_WAITING_CHARS = 256 * 1024;

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

// deno-lint-ignore no-control-regex -- the keys that may end a line: Enter, Ctrl+C, Ctrl+D
const LAST_KEY_REGEXP = /(?<=[\r\n\x03\x04])/;
// deno-lint-ignore no-control-regex -- sequences of keys that are no text
const KEY_SEQUENCE_REGEXP = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/gs;
// deno-lint-ignore no-control-regex -- every control character except tab and line ends
const CONTROL_REGEXP = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/**
 * The keyboard of a terminal, read all the time, so that Ctrl+C is heard whatever goes on. What is
 * typed while nobody reads waits as a draft, or is dropped by whoever must not be answered by it.
 */
export class Keyboard {
  readonly #terminal: Terminal;
  readonly #decoder = new TextDecoder();
  #reader: KeyboardReader | null = null;
  #draft = "";
  /** The start of what may be a sequence, or of a paste. */
  #rest = "";
  #isPasting = false;
  #isClosed = false;
  /** Called for Ctrl+C while nobody reads. */
  onInterrupt: () => void = () => {};
  /** Called for whatever comes, before anything else. */
  onInput: () => void = () => {};

  /** @param terminal The terminal. */
  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether nothing can come any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads until the terminal is gone. Called once; never fails. */
  async listen(): Promise<void> {
    for (let bytes = await this.#terminal.read(); bytes !== null;) {
      this.#push(this.#decoder.decode(bytes, { stream: true }));
      bytes = await this.#terminal.read();
    }
    this.#isClosed = true;
    this.#reader?.end();
  }

  /**
   * Gives the keyboard to a reader, until it gives it back.
   *
   * @param reader The reader. Where the terminal is gone already, it is told nothing.
   * @returns Gives it back.
   */
  give(reader: KeyboardReader): () => void {
    this.#reader = reader;
    return () => {
      if (this.#reader === reader) this.#reader = null;
    };
  }

  /**
   * Takes what was typed while nobody read.
   *
   * @returns Text alone: keys that are none are left out.
   */
  takeDraft(): string {
    const text = this.#draft.replace(KEY_SEQUENCE_REGEXP, "").replace(CONTROL_REGEXP, "");
    this.#draft = "";
    return text.replaceAll("\r", "\n").trimEnd();
  }

  #push(text: string): void {
    this.onInput();
    // A paste that is never ended must not swallow the key that stops everything.
    if (this.#isPasting && text === INTERRUPT) this.#isPasting = false;
    // The Escape key, unless a sequence goes on.
    else if (this.#rest !== "\x1b" || /^[[O]/.test(text)) text = this.#rest + text;
    this.#rest = "";
    let left = text;
    while (left !== "") {
      const mark = this.#isPasting ? PASTE_END : PASTE_START;
      const at = left.indexOf(mark);
      if (at !== -1) {
        this.#part(left.slice(0, at));
        this.#isPasting = !this.#isPasting;
        left = left.slice(at + mark.length);
        continue;
      }
      if (this.#isPasting && left.length <= MAX_WAITING_CHARS) {
        this.#rest = left;
        return;
      }
      const held = this.#isPasting ? "" : startOf(mark, left);
      this.#part(left.slice(0, left.length - held.length));
      this.#isPasting = false;
      this.#rest = held;
      return;
    }
  }

  #part(text: string): void {
    if (this.#isPasting) {
      const pasted = text.slice(0, MAX_WAITING_CHARS).replace(CONTROL_REGEXP, "");
      return this.#deliver({ kind: "paste", text: pasted.replace(/\r\n?/g, "\n") });
    }
    for (const keys of text.split(LAST_KEY_REGEXP)) {
      if (keys !== "") this.#deliver({ kind: "keys", text: keys });
    }
  }

  #deliver(input: KeyboardInput): void {
    if (this.#reader !== null) return this.#reader.take(input);
    if (input.kind === "keys" && input.text.endsWith(INTERRUPT)) {
      this.#draft = "";
      return this.onInterrupt();
    }
    this.#draft = (this.#draft + input.text).slice(0, MAX_WAITING_CHARS);
  }
}

/** What at the end of a text may be the start of a mark. */
function startOf(mark: string, text: string): string {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return text.slice(-length);
  }
  return "";
}
