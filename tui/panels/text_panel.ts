import { type KeyId, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { visibleLines } from "../../core/process/visible_text.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import type { Theme } from "../theme/theme.ts";
import { fitText, wrapText } from "./fit_text.ts";
import type { Panel, PanelFrame } from "./panel.ts";
import { chromeRows, drawPanel } from "./panel_box.ts";
import { keyHelp, listKey } from "./panel_keys.ts";

/** A text to read. */
export interface TextPanelOptions {
  readonly title: string;
  /**
   * The text, whose control characters are shown and not obeyed; or what draws it in a width, which
   * must not hold anything but colours.
   */
  readonly body: string | ((width: number) => readonly string[]);
  readonly theme: Theme;
  readonly frame: PanelFrame;
  /** Called when the person leaves. */
  readonly onClose: () => void;
  /** Further keys. */
  readonly keys?: readonly {
    readonly keys: readonly KeyId[];
    readonly help: string;
    run(): void;
  }[];
  /** Whether it opens at its end, and stays there while the text grows. @default false */
  readonly followsEnd?: boolean;
}

/** A text that the person scrolls through. */
export class TextPanel implements Panel {
  focused = false;
  /** Keys that would scroll the conversation scroll the text. */
  readonly capturesViewportInput = true;
  readonly #options: TextPanelOptions;
  #body: TextPanelOptions["body"];
  #drawn: { readonly width: number; readonly rows: readonly string[] } | undefined;
  #top = 0;
  #isAtEnd: boolean;
  #height = 1;

  /** @param options The text. */
  constructor(options: TextPanelOptions) {
    this.#options = options;
    this.#body = options.body;
    this.#isAtEnd = options.followsEnd === true;
  }

  /**
   * Exchanges the text.
   *
   * @param body As it was given at first.
   */
  setBody(body: TextPanelOptions["body"]): void {
    this.#body = body;
    this.invalidate();
    this.#options.frame.redraw();
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  scroll(rows: number): void {
    this.#scrollTo(this.#top + rows);
  }

  handleInput(data: string): void {
    const own = this.#options.keys?.find(({ keys }) => keys.some((key) => matchesKey(data, key)));
    if (own !== undefined) return own.run();
    switch (listKey(data)) {
      case "up":
        return this.#scrollTo(this.#top - 1);
      case "down":
        return this.#scrollTo(this.#top + 1);
      case "pageUp":
        return this.#scrollTo(this.#top - Math.max(1, this.#height - 1));
      case "pageDown":
        return this.#scrollTo(this.#top + Math.max(1, this.#height - 1));
      case "home":
        return this.#scrollTo(0);
      case "end":
        return this.#scrollTo(Infinity);
      case "confirm":
      case "cancel":
        return this.#options.onClose();
      case undefined:
        if (matchesKey(data, "q")) this.#options.onClose();
    }
  }

  render(width: number): string[] {
    const { title, theme, frame, keys = [] } = this.#options;
    const rows = frame.rows();
    const lines = this.#lines(width);
    this.#height = Math.max(1, rows - chromeRows(rows));
    if (this.#isAtEnd) this.#top = Infinity;
    this.#top = Math.max(0, Math.min(this.#top, lines.length - this.#height));
    const last = Math.min(lines.length, this.#top + this.#height);
    const isWhole = lines.length <= this.#height;
    return drawPanel({
      title,
      aside: isWhole ? "" : `(${last}/${lines.length})`,
      body: lines.slice(this.#top, last),
      help: [
        ...keyHelp("cancel", "close"),
        ...(isWhole
          ? []
          : [`${theme.glyph("up")}${theme.glyph("down")} PgUp PgDn Home End scroll`]),
        ...keys.map(({ help }) => help),
      ],
    }, { width, rows, theme });
  }

  #scrollTo(row: number): void {
    const last = Math.max(0, (this.#drawn?.rows.length ?? 0) - this.#height);
    this.#top = Math.max(0, Math.min(row, last));
    this.#isAtEnd = this.#options.followsEnd === true && this.#top === last;
  }

  #lines(width: number): readonly string[] {
    if (this.#drawn?.width === width) return this.#drawn.rows;
    const rows = typeof this.#body === "string"
      ? drawText(this.#body, width, this.#options.theme)
      : this.#body(width);
    this.#drawn = { width, rows };
    return rows;
  }
}

function drawText(text: string, width: number, theme: Theme): readonly string[] {
  const shown = withoutQuestionMark(visibleLines(text)).replaceAll("\r", "").replaceAll(
    "\t",
    "    ",
  );
  const plain = theme.look.unicode ? shown : shown.replace(/[\u0080-\u{10ffff}]/gu, "?");
  return wrapText(plain, width).map((line) => fitText(line, width, theme));
}
