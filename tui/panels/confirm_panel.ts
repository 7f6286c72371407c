import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Theme } from "../theme/theme.ts";
import { fitText, oneLine, padText, wrapText } from "./fit_text.ts";
import type { Panel, PanelFrame } from "./panel.ts";
import { chromeRows, drawPanel } from "./panel_box.ts";
import { keyHelp, listKey } from "./panel_keys.ts";

/** Something that the person confirms or not. */
export interface ConfirmPanelOptions {
  readonly title: string;
  /** What it means; a paragraph on each line. */
  readonly body?: string;
  /** What yes does. @default "Yes" */
  readonly yes?: string;
  /** What no does. @default "No" */
  readonly no?: string;
  readonly theme: Theme;
  readonly frame: PanelFrame;
  /** Called with the answer; leaving is a no. */
  readonly onAnswer: (answer: boolean) => void;
}

/** A yes or a no. No is selected first. */
export class ConfirmPanel implements Panel {
  focused = false;
  /** Keys that would scroll the conversation scroll the text. */
  readonly capturesViewportInput = true;
  readonly #options: ConfirmPanelOptions;
  #isYes = false;
  #top = 0;
  #last = 0;

  /** @param options What is confirmed. */
  constructor(options: ConfirmPanelOptions) {
    this.#options = options;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { onAnswer } = this.#options;
    if (matchesKey(data, "y")) return onAnswer(true);
    if (matchesKey(data, "n")) return onAnswer(false);
    if (["left", "right", "tab"].some((key) => matchesKey(data, key as "left"))) {
      this.#isYes = !this.#isYes;
      return;
    }
    switch (listKey(data)) {
      case "up":
      case "down":
        this.#isYes = !this.#isYes;
        return;
      case "pageUp":
        this.#top = Math.max(0, this.#top - 1);
        return;
      case "pageDown":
        this.#top = Math.min(this.#last, this.#top + 1);
        return;
      case "confirm":
        return onAnswer(this.#isYes);
      case "cancel":
        return onAnswer(false);
      default:
    }
  }

  render(width: number): string[] {
    const { title, body = "", theme, frame, yes = "Yes", no = "No" } = this.#options;
    const rows = frame.rows();
    const lines = body === ""
      ? []
      : body.split("\n").flatMap((line) => wrapText(oneLine(line, theme), width));
    const choices = [this.#choice(yes, this.#isYes, width), this.#choice(no, !this.#isYes, width)];
    const height = Math.max(0, rows - chromeRows(rows) - choices.length);
    this.#last = Math.max(0, lines.length - height);
    this.#top = Math.min(this.#top, this.#last);
    return drawPanel({
      title,
      aside: this.#last === 0 ? "" : `(${this.#top + height}/${lines.length})`,
      body: [...lines.slice(this.#top, this.#top + height), ...choices],
      help: [
        "y yes",
        "n no",
        ...keyHelp("confirm", "choose"),
        ...(this.#last === 0 ? [] : ["PgDn more"]),
      ],
    }, { width, rows, theme });
  }

  #choice(text: string, isSelected: boolean, width: number): string {
    const { theme } = this.#options;
    const start = isSelected ? theme.glyph("cursor") : " ";
    const row = fitText(`${start} ${oneLine(text, theme)}`, width, theme);
    return isSelected ? theme.paint("selected", padText(row, width)) : row;
  }
}
