import type { ProviderAuthStep } from "@alisio/sdk";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { fitText, oneLine, wrapText } from "../panels/fit_text.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import { chromeRows, drawPanel } from "../panels/panel_box.ts";
import { listKey } from "../panels/panel_keys.ts";
import type { Theme } from "../theme/theme.ts";

/** What a sign-in is shown with. */
export interface SignInPanelOptions {
  /** Who is signed in where. */
  readonly title: string;
  readonly theme: Theme;
  readonly frame: PanelFrame;
  /** Called when the person gives up. */
  readonly onCancel: () => void;
  /** Puts the address on the clipboard. */
  readonly copy: (url: string) => void;
}

/** The steps of a sign-in, while it goes on. */
export class SignInPanel implements Panel {
  focused = false;
  readonly #options: SignInPanelOptions;
  /** The address and what to do there. */
  #step: ProviderAuthStep | undefined;
  /** What goes on meanwhile. */
  #progress = "Starting the sign-in";

  /** @param options What it is shown with. */
  constructor(options: SignInPanelOptions) {
    this.#options = options;
  }

  /**
   * Shows a step. Progress leaves the address where it is.
   *
   * @param step The step, checked.
   */
  show(step: ProviderAuthStep): void {
    if (step.type === "progress") this.#progress = step.message;
    else {
      this.#step = step;
      this.#progress = "Waiting for you";
    }
    this.#options.frame.redraw();
  }

  invalidate(): void {}

  handleInput(data: string): void {
    if (listKey(data) === "cancel") return this.#options.onCancel();
    if (matchesKey(data, "c") && this.address !== undefined) this.#options.copy(this.address);
  }

  render(width: number): string[] {
    const { title, theme, frame } = this.#options;
    const rows = frame.rows();
    const room = Math.max(1, rows - chromeRows(rows));
    const body = [...this.#stepRows(width), ...this.#progressRows(width)];
    return drawPanel({
      title,
      body: body.slice(0, room),
      help: ["Esc gives up", ...(this.address === undefined ? [] : ["c copies the address"])],
    }, { width, rows, theme });
  }

  /** The address that the person has to open, if there is one. */
  get address(): string | undefined {
    return this.#step !== undefined && "url" in this.#step ? this.#step.url : undefined;
  }

  /** The address and the code come first: a small window must not lose them. */
  #stepRows(width: number): readonly string[] {
    const { theme } = this.#options;
    const step = this.#step;
    if (step === undefined || step.type === "progress") return [];
    const code = step.type === "device_code" ? [`Code: ${oneLine(step.userCode, theme)}`] : [];
    const { instructions = "" } = step;
    return [
      ...brokenUp(step.url, width).map((row) => theme.paint("link", row)),
      ...code.map((row) => theme.bold(fitText(row, width, theme))),
      ...(instructions === "" ? [] : wrapText(oneLine(instructions, theme), width)),
    ];
  }

  #progressRows(width: number): readonly string[] {
    const { theme } = this.#options;
    return [theme.paint("dim", fitText(oneLine(this.#progress, theme), width, theme))];
  }
}

/** Nothing of an address is left out. It is printable ASCII, as was checked. */
function brokenUp(url: string, width: number): readonly string[] {
  const rows: string[] = [];
  for (let at = 0; at < url.length; at += Math.max(1, width)) {
    rows.push(url.slice(at, at + Math.max(1, width)));
  }
  return rows;
}
