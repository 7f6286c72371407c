import type { TuiBase } from "@earendil-works/pi-tui/dist/tui.js";
import type { ForeignOutput } from "./foreign_output.ts";
import type { ScreenTerminal } from "./screen_terminal.ts";

/** Runs only while the program does: it is over as soon as the program goes on. */
const SUSPENDED_MS = 50;

const END_OF_MODES =
  "\x1b[?2031l\x1b[?2026l\x1b[?1006l\x1b[?1004l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?7h\x1b[?25h";
const LEAVE_ALTERNATE = "\x1b[?1049l\x1b[?25h";

/**
 * Takes the terminal over and gives it back: at the end, for a while when the person goes back to
 * the shell, and when the program ends in whatever other way.
 */
export class ScreenLife {
  readonly #screen: TuiBase;
  readonly #terminal: ScreenTerminal;
  readonly #foreign: ForeignOutput;
  readonly #isAlternate: boolean;
  readonly #onBack: () => void;
  #isOpen = false;
  /** Whether the shell has the terminal. */
  #isAway = false;

  /**
   * @param screen The screen.
   * @param terminal Its terminal.
   * @param foreign Holds back what others print over it.
   * @param isAlternate Whether it is a screen of its own.
   * @param onBack Called before the screen is drawn anew after somebody else had the terminal.
   */
  constructor(
    screen: TuiBase,
    terminal: ScreenTerminal,
    foreign: ForeignOutput,
    isAlternate: boolean,
    onBack: () => void,
  ) {
    this.#screen = screen;
    this.#terminal = terminal;
    this.#foreign = foreign;
    this.#isAlternate = isAlternate;
    this.#onBack = onBack;
  }

  /** Draws the first frame. */
  open(): void {
    this.#isOpen = true;
    globalThis.addEventListener("unload", this.#restore);
    globalThis.addEventListener("error", this.#survive);
    globalThis.addEventListener("unhandledrejection", this.#survive);
    if (Deno.build.os !== "windows") {
      Deno.addSignalListener("SIGCONT", this.#goOn);
      Deno.addSignalListener("SIGQUIT", this.#quit);
    }
    this.#foreign.open();
    this.#screen.start();
    this.#screen.renderNow();
  }

  /** Gives the terminal back for good. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    globalThis.removeEventListener("unload", this.#restore);
    globalThis.removeEventListener("error", this.#survive);
    globalThis.removeEventListener("unhandledrejection", this.#survive);
    if (Deno.build.os !== "windows") {
      Deno.removeSignalListener("SIGCONT", this.#goOn);
      Deno.removeSignalListener("SIGQUIT", this.#quit);
    }
    if (!this.#isAway) this.#screen.stop({ preserveScreen: true });
    this.#foreign.close();
  }

  /** Hands the terminal to the shell, as Ctrl+Z does, until the person returns. */
  async suspend(): Promise<void> {
    if (Deno.build.os === "windows") return;
    await this.leave(async () => {
      await this.#terminal.flushed();
      // Where no shell could bring it back, the system does not stop it.
      Deno.kill(Deno.pid, "SIGTSTP");
      await new Promise((resolve) => setTimeout(resolve, SUSPENDED_MS));
    });
  }

  /**
   * Hands the terminal to somebody else.
   *
   * @param use Uses it, and ends when it can be taken back.
   */
  async leave(use: () => Promise<void>): Promise<void> {
    if (this.#isAway || !this.#isOpen) return;
    this.#isAway = true;
    this.#screen.stop({ preserveScreen: true });
    try {
      await use();
    } finally {
      this.#isAway = false;
      if (this.#isOpen) this.#enter();
    }
  }

  /** Somebody stopped the process from outside, and nobody knows what became of the terminal. */
  readonly #goOn = (): void => {
    if (this.#isAway || !this.#isOpen) return;
    this.#screen.stop({ preserveScreen: true });
    this.#enter();
  };

  /**
   * The system would end the process at once, leave the terminal as it is, and what was started
   * running. No key sends this signal while the screen reads keys.
   */
  readonly #quit = (): void => Deno.kill(Deno.pid, "SIGTERM");

  #enter(): void {
    this.#onBack();
    this.#foreign.open();
    this.#screen.start();
    this.#screen.requestRender(true);
  }

  /** The process ends in this moment. */
  readonly #restore = (): void => {
    this.#terminal.restoreOnExit(END_OF_MODES, this.#isAlternate ? LEAVE_ALTERNATE : "\r\n");
    this.#foreign.close();
  };

  /** Whether a failure ends the program is decided after this: if not, the screen comes back. */
  readonly #survive = (): void => {
    this.#restore();
    setTimeout(() => this.#goOn());
  };
}
