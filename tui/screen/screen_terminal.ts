import type { Terminal } from "@earendil-works/pi-tui";
import { setKittyProtocolActive } from "@earendil-works/pi-tui/dist/keys.js";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
import { PASTE_END, PASTE_START, PasteGuard } from "../keys/paste_guard.ts";
import type { TerminalInput } from "../first/terminal_input.ts";

/** How long the rest of a key may take; a slow line takes longer. */
const ESCAPE_MS = 10;
const SLOW_ESCAPE_MS = 100;

/** Characters that are looked at key by key in one read. */
const MAX_KEYS = 64;

/** Ctrl+C. */
const INTERRUPT = "\x03";

const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";
/** Asks for keys that can be told apart, whether that works, and for a sign that it does not. */
const ASK_FOR_ATTRIBUTES = "\x1b[c";
const ASK_FOR_KEYS = `\x1b[>7u\x1b[?u${ASK_FOR_ATTRIBUTES}`;
const KITTY_KEYS_OFF = "\x1b[<u";
const OTHER_KEYS_ON = "\x1b[>4;2m";
const OTHER_KEYS_OFF = "\x1b[>4;0m";

// deno-lint-ignore no-control-regex -- what a terminal answers
const KITTY_ANSWER_REGEXP = /^\x1b\[\?(\d+)u$/;
// deno-lint-ignore no-control-regex -- what a terminal answers
const ATTRIBUTES_REGEXP = /^\x1b\[\?[\d;]*c$/;

// deno-lint-ignore no-control-regex -- what a terminal tells when the person comes or goes
const FOCUS_REGEXP = /^\x1b\[([IO])$/;

/** A window that does not tell its size is taken for one of this size. */
const USUAL_SIZE = { columns: 80, rows: 24 } as const;

/** What a terminal needs of its process. */
export interface ScreenTerminalOptions {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the keys come from. */
  readonly input: TerminalInput;
  /** Called when nobody is at the terminal any more. */
  readonly onGone: () => void;
}

/** The terminal at standard input and standard output, for a screen. */
export class ScreenTerminal implements Terminal {
  readonly #options: ScreenTerminalOptions;
  readonly #keys: StdinBuffer;
  /** What is pasted stays in one piece, and never counts as keys. */
  readonly #guard = new PasteGuard((data) => this.#give(data));
  #isPasting = false;
  readonly #encoder = new TextEncoder();
  /** As they are before others are kept from writing over the screen. */
  readonly #write = Deno.stdout.write.bind(Deno.stdout);
  readonly #writeSync = Deno.stdout.writeSync.bind(Deno.stdout);
  #onInput: (data: string) => void = () => {};
  #onResize: () => void = () => {};
  #isStarted = false;
  #hasKittyKeys = false;
  #awaitsKeys = 0;
  #hasFocus: boolean | undefined;
  #pending = "";
  #writing: Promise<void> | undefined;
  #onDrain: () => void = () => {};

  /** @param options What it needs. */
  constructor(options: ScreenTerminalOptions) {
    this.#options = options;
    const { SSH_CONNECTION: ssh, SSH_TTY: tty } = options.env;
    this.#keys = new StdinBuffer({
      escapeTimeout: ssh === undefined && tty === undefined ? ESCAPE_MS : SLOW_ESCAPE_MS,
    });
    this.#keys.on("data", (key) => this.#take(key));
    this.#keys.on("paste", (text) => this.#guard.take(PASTE_START + text + PASTE_END));
  }

  /** Whether the keys that modify others can be told. */
  get kittyProtocolActive(): boolean {
    return this.#hasKittyKeys;
  }

  /** Whether the person looks at the terminal; undefined where that does not tell. */
  get hasFocus(): boolean | undefined {
    return this.#hasFocus;
  }

  /** Columns of the window, one at least. */
  get columns(): number {
    return this.#size().columns;
  }

  /** Rows of the window, one at least. */
  get rows(): number {
    return this.#size().rows;
  }

  /** Whether what was written before is still on its way. */
  get isBusy(): boolean {
    return this.#writing !== undefined;
  }

  /**
   * Calls back once, when nothing that was written is on its way any more.
   *
   * @param onDrain The callback; replaces the one before.
   */
  onceDrained(onDrain: () => void): void {
    this.#onDrain = onDrain;
  }

  /** Takes the terminal over, and begins to read keys. */
  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#onInput = onInput;
    this.#onResize = onResize;
    this.#isStarted = true;
    setRaw(true);
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGWINCH", this.#resized);
    this.#awaitsKeys++;
    this.write(PASTE_ON + ASK_FOR_KEYS);
    const decoder = new TextDecoder();
    this.#options.input.listen({
      onBytes: (bytes) => this.#process(decoder.decode(bytes, { stream: true })),
      onEnd: this.#options.onGone,
    });
  }

  /** Hands the terminal back. */
  stop(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#options.input.listen(undefined);
    if (Deno.build.os !== "windows") Deno.removeSignalListener("SIGWINCH", this.#resized);
    this.write(this.#endOfModes());
    setRaw(false);
  }

  /**
   * Lets another program read the terminal, after it was handed back.
   *
   * @param use Waits for the other program.
   */
  async lend(use: () => Promise<void>): Promise<void> {
    const { input } = this.#options;
    // Answers come at once only where the system edits no lines.
    setRaw(true);
    await input.pause({
      terminal: () => this.write(ASK_FOR_ATTRIBUTES),
      person: () => this.write("Press any key to go on\r\n"),
    });
    await this.flushed();
    setRaw(false);
    try {
      await use();
    } finally {
      input.resume();
    }
  }

  /**
   * Puts the terminal in order where the process ends at once.
   *
   * @param before Written first.
   * @param after Written last.
   */
  restoreOnExit(before: string, after: string): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#writeNow(before + this.#endOfModes() + after);
    setRaw(false);
  }

  /** Nothing that was typed is lost at the end: the shell gets it. */
  drainInput(): Promise<void> {
    return Promise.resolve();
  }

  write(data: string): void {
    this.#pending += data;
    this.#writing ??= this.#flush();
  }

  /** Waits until everything is written. */
  async flushed(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
  }

  hideCursor(): void {
    this.write("\x1b[?25l");
  }

  showCursor(): void {
    this.write("\x1b[?25h");
  }

  clearLine(): void {
    this.write("\x1b[K");
  }

  clearFromCursor(): void {
    this.write("\x1b[J");
  }

  clearScreen(): void {
    this.write("\x1b[2J\x1b[H");
  }

  setTitle(title: string): void {
    // deno-lint-ignore no-control-regex -- a title must not end early
    this.write(`\x1b]0;${title.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, "")}\x07`);
  }

  setProgress(): void {}

  setProgramStatus(): void {}

  readonly #resized = (): void => this.#onResize();

  #process(text: string): void {
    // A paste that is never ended must not swallow the key that stops everything.
    if (this.#isPasting && text === INTERRUPT) this.#keys.process(PASTE_END);
    const start = text.lastIndexOf(PASTE_START);
    const end = text.lastIndexOf(PASTE_END);
    if (start !== -1 || end !== -1 || text === INTERRUPT) this.#isPasting = start > end;
    // Nobody types so much between two reads, and no key is cut in two in front of it.
    const isLong = text.length > MAX_KEYS && !this.#isPasting && this.#keys.getBuffer() === "";
    if (isLong && this.#guard.takeText(text)) return;
    this.#keys.process(text);
    this.#guard.endRead();
  }

  #take(key: string): void {
    const [, flags] = KITTY_ANSWER_REGEXP.exec(key) ?? [];
    if (flags !== undefined) return this.#setKittyKeys(flags !== "0");
    const [, focus] = FOCUS_REGEXP.exec(key) ?? [];
    if (focus !== undefined) this.#hasFocus = focus === "I";
    if (this.#awaitsKeys > 0 && ATTRIBUTES_REGEXP.test(key)) {
      this.#awaitsKeys--;
      if (!this.#hasKittyKeys) this.write(OTHER_KEYS_ON);
      return;
    }
    this.#guard.take(key);
  }

  #give(key: string): void {
    if (this.#isStarted) this.#onInput(key);
  }

  #setKittyKeys(isOn: boolean): void {
    this.#hasKittyKeys = isOn;
    // Such a terminal tells also when a key is let go, which is no text of a paste.
    if (isOn) this.#guard.expectMarks();
    setKittyProtocolActive(isOn);
  }

  #endOfModes(): string {
    const keys = this.#hasKittyKeys ? KITTY_KEYS_OFF : KITTY_KEYS_OFF + OTHER_KEYS_OFF;
    this.#setKittyKeys(false);
    return keys + PASTE_OFF;
  }

  async #flush(): Promise<void> {
    while (this.#pending !== "") {
      const bytes = this.#encoder.encode(this.#pending);
      this.#pending = "";
      let written = 0;
      try {
        while (written < bytes.length) written += await this.#write(bytes.subarray(written));
      } catch {
        // It is gone, which the next read says.
        break;
      }
    }
    this.#writing = undefined;
    const onDrain = this.#onDrain;
    this.#onDrain = () => {};
    onDrain();
  }

  /** Everything that waits, and the text, at once: the process may end right afterwards. */
  #writeNow(text: string): void {
    const bytes = this.#encoder.encode(this.#pending + text);
    this.#pending = "";
    try {
      let written = 0;
      while (written < bytes.length) written += this.#writeSync(bytes.subarray(written));
    } catch {
      // Nobody sees it.
    }
  }

  #size(): { readonly columns: number; readonly rows: number } {
    try {
      const { columns, rows } = Deno.consoleSize();
      return columns > 0 && rows > 0 ? { columns, rows } : USUAL_SIZE;
    } catch {
      return USUAL_SIZE;
    }
  }
}

function setRaw(isRaw: boolean): void {
  try {
    Deno.stdin.setRaw(isRaw);
  } catch {
    // It is gone, which the next read says.
  }
}
