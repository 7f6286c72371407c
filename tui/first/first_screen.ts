import { cellsOf } from "../../core/text/cell_width.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { VERSION } from "../../core/version.ts";
import { showsUnicode } from "../theme/terminal_look.ts";
import { readScreenSetting, type ScreenSetting } from "./screen_setting.ts";
import { TerminalInput } from "./terminal_input.ts";
import { typedText } from "./typed_text.ts";

const ENTER_ALTERNATE = "\x1b[?1049h\x1b[2J\x1b[H";
const LEAVE_ALTERNATE = "\x1b[?1049l";
const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";
const USUAL_SIZE = { columns: 80, rows: 24 } as const;
const SEPARATOR_ROWS = 5;

/** Signals that end the program, with their numbers. */
const SIGNALS = Deno.build.os === "windows"
  ? [["SIGINT", 2]] as const
  : [["SIGHUP", 1], ["SIGINT", 2], ["SIGQUIT", 3], ["SIGTERM", 15]] as const;

/**
 * The first frame of the terminal interface, drawn before the interface itself is loaded. It shows
 * what is typed meanwhile, and keeps the keys for the editor.
 */
export class FirstScreen {
  /** Where the keys come from, from now on. */
  readonly input = new TerminalInput();
  /** How the conversation is shown. */
  readonly setting: ScreenSetting;
  readonly #decoder = new TextDecoder();
  readonly #hasColour: boolean;
  readonly #line: string;
  #typed = "";
  #seen = 0;
  #isShown = false;
  #ignoreSignals: () => void = () => {};

  /** @param env Environment variables. */
  constructor(env: Readonly<Record<string, string>>) {
    this.setting = readScreenSetting(env);
    this.#line = showsUnicode(env) ? "─" : "-";
    this.#hasColour = (env.NO_COLOR ?? "") === "";
  }

  /** Draws the frame, and reads keys. */
  open(): void {
    this.#ignoreSignals = this.#endAtSignals();
    setRaw(true);
    this.#isShown = true;
    write((this.setting === "alternate" ? ENTER_ALTERNATE : "") + PASTE_ON);
    this.#draw();
    this.input.watchEarly(() => this.#draw());
    this.input.start();
  }

  /** Takes the frame away, for the screen that comes after it. The keys stay with the input. */
  handOver(): void {
    this.input.watchEarly(() => {});
    this.#ignoreSignals();
    this.#ignoreSignals = () => {};
    if (this.#isShown && this.setting === "inline") write("\r\x1b[2K\x1b[A\x1b[2K");
    this.#isShown = false;
  }

  /** Gives the terminal back as it was, if nobody took the screen over. */
  close(): void {
    if (!this.#isShown) return;
    this.handOver();
    write(PASTE_OFF + (this.setting === "alternate" ? LEAVE_ALTERNATE : ""));
    setRaw(false);
  }

  /** Nothing else gives the terminal back before the program is loaded, and nothing runs yet. */
  #endAtSignals(): () => void {
    const listening = SIGNALS.map(([name, number]) => {
      const end = (): void => {
        this.close();
        Deno.exit(128 + number);
      };
      Deno.addSignalListener(name, end);
      return () => Deno.removeSignalListener(name, end);
    });
    return () => listening.forEach((stop) => stop());
  }

  #draw(): void {
    const early = this.input.early();
    for (; this.#seen < early.length; this.#seen++) {
      this.#typed += this.#decoder.decode(early[this.#seen], { stream: true });
    }
    const size = windowSize();
    const line = lastCells(visibleName(typedText(this.#typed)), size.columns - 1);
    write(this.setting === "alternate" ? this.#fullFrame(size, line) : this.#lowFrame(size, line));
  }

  #fullFrame({ columns, rows }: Size, line: string): string {
    const border = this.#faint(this.#line.repeat(columns));
    const top = rows - SEPARATOR_ROWS + 1;
    const at = (row: number, text: string): string =>
      row < 1 || row > rows ? "" : `\x1b[${row};1H\x1b[2K${text}`;
    const title = `Alisio Code ${VERSION}`.slice(0, columns);
    return (top > 1 ? at(1, this.#hasColour ? `\x1b[1m${title}\x1b[22m` : title) : "") +
      at(top, border) + at(top + 2, border) + at(Math.max(1, top + 1), line);
  }

  /** Two rows: the border, and what is typed. */
  #lowFrame({ columns }: Size, line: string): string {
    const border = this.#faint(this.#line.repeat(Math.max(1, columns - 1)));
    const isFirst = this.#seen === 0;
    return isFirst ? `\r\x1b[J${border}\r\n${line}` : `\r\x1b[2K${line}`;
  }

  #faint(text: string): string {
    return this.#hasColour ? `\x1b[90m${text}\x1b[39m` : text;
  }
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

function windowSize(): Size {
  try {
    const { columns, rows } = Deno.consoleSize();
    return columns > 0 && rows > 0 ? { columns, rows } : USUAL_SIZE;
  } catch {
    return USUAL_SIZE;
  }
}

/** The end of a text that fits. */
function lastCells(text: string, cells: number): string {
  const characters = [...text];
  while (characters.length > 0 && cellsOf(characters.join("")) > cells) characters.shift();
  return characters.join("");
}

function write(text: string): void {
  try {
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
  } catch {
    // It is gone, which the next read says.
  }
}

function setRaw(isRaw: boolean): void {
  try {
    Deno.stdin.setRaw(isRaw);
  } catch {
    // It is gone, which the next read says.
  }
}
