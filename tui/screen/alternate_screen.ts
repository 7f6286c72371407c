import {
  TuiAltScreen,
  type TuiAltScreenOptions,
} from "@earendil-works/pi-tui/dist/tui-alt-screen.js";
import type { FrameGuard } from "./frame_guard.ts";
import type { ScreenTerminal } from "./screen_terminal.ts";

/** The alternate screen, which waits for a terminal that is behind rather than queue frames. */
export class AlternateScreen extends TuiAltScreen {
  readonly #terminal: ScreenTerminal;
  readonly #guard: FrameGuard;

  /**
   * @param terminal Where it draws.
   * @param guard Draws each frame.
   * @param options How it treats the mouse.
   */
  constructor(terminal: ScreenTerminal, guard: FrameGuard, options: TuiAltScreenOptions) {
    super(terminal, true, undefined, options);
    this.#terminal = terminal;
    this.#guard = guard;
  }

  protected override doRender(): void {
    if (this.#terminal.isBusy) this.#terminal.onceDrained(() => this.requestRender());
    else this.#guard.run(() => super.doRender());
  }
}
