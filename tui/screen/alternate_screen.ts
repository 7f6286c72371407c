import {
  TuiAltScreen,
  type TuiAltScreenOptions,
} from "@earendil-works/pi-tui/dist/tui-alt-screen.js";
import type { ScreenTerminal } from "./screen_terminal.ts";

/** The alternate screen, which waits for a terminal that is behind rather than queue frames. */
export class AlternateScreen extends TuiAltScreen {
  readonly #terminal: ScreenTerminal;

  /**
   * @param terminal Where it draws.
   * @param options How it treats the mouse.
   */
  constructor(terminal: ScreenTerminal, options: TuiAltScreenOptions) {
    super(terminal, true, undefined, options);
    this.#terminal = terminal;
  }

  protected override doRender(): void {
    if (this.#terminal.isBusy) this.#terminal.onceDrained(() => this.requestRender());
    else super.doRender();
  }
}
