import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { errorMessage } from "../../core/errors.ts";
import { drawRow } from "../editor/draw_editor.ts";
import { TextEditor } from "../editor/text_editor.ts";
import { findCursorRow } from "../editor/text_rows.ts";
import type { KeyMap } from "../keys/key_map.ts";
import type { Theme } from "../theme/theme.ts";
import { fitText, oneLine } from "./fit_text.ts";
import type { Panel, PanelFrame } from "./panel.ts";
import { chromeRows, drawPanel } from "./panel_box.ts";
import { keyHelp, listKey, pastedText } from "./panel_keys.ts";

/** A text of several lines that is asked for. */
export interface LinesPanelOptions {
  readonly title: string;
  /** What stands in it at first. */
  readonly text: string;
  readonly theme: Theme;
  readonly frame: PanelFrame;
  readonly keys: KeyMap;
  /** Called with the text, once it is done. */
  readonly onSubmit: (text: string) => void;
  /** Called when the person leaves; the text is as it was. */
  readonly onCancel: () => void;
  /**
   * Has the text written in another program.
   *
   * @param text What is written so far.
   * @throws {Error} If that fails. Its message is for the person.
   */
  readonly editExternally: (text: string) => Promise<string>;
}

/** A text of several lines that the person writes, here or in their own editor. */
export class LinesPanel implements Panel {
  focused = false;
  /** Keys that would scroll the conversation move in the text. */
  readonly capturesViewportInput = true;
  readonly #options: LinesPanelOptions;
  readonly #editor: TextEditor;
  /** What stood in it at first, as the editor has it. */
  readonly #before: string;
  #note = "";
  #top = 0;
  #isLeaving = false;
  #isAway = false;

  /** @param options What is asked for. */
  constructor(options: LinesPanelOptions) {
    this.#options = options;
    this.#editor = new TextEditor(options.keys);
    this.#editor.setText(options.text);
    this.#before = this.#editor.text;
  }

  /** What is written. */
  get text(): string {
    return this.#editor.text;
  }

  invalidate(): void {}

  scroll(rows: number): void {
    this.#editor.moveRows(rows);
  }

  handleInput(data: string): void {
    if (this.#isAway) return;
    const isLeaving = this.#isLeaving;
    this.#isLeaving = false;
    this.#note = "";
    const pasted = pastedText(data);
    if (pasted !== undefined) return this.#paste(pasted);
    if (matchesKey(data, "ctrl+s")) return this.#options.onSubmit(this.text);
    if (this.#options.keys.matches(data, "externalEditor")) return void this.#leaveToEditor();
    const key = listKey(data);
    if (key === "cancel") return this.#cancel(isLeaving);
    if (key === "pageUp" || key === "pageDown") {
      return this.scroll((key === "pageUp" ? -1 : 1) * Math.max(1, this.#height() - 1));
    }
    if (this.#editor.press(data) === "none" && key === "confirm") this.#editor.insert("\n");
  }

  render(width: number): string[] {
    const { title, theme, frame, keys } = this.#options;
    const cells = Math.max(1, width - 1);
    const rows = this.#editor.rows(cells);
    const height = Math.max(1, this.#height() - (this.#note === "" ? 0 : 1));
    const at = findCursorRow(rows, this.#editor.state);
    this.#top = Math.max(
      0,
      Math.min(this.#top, at, rows.length - height),
      at - height + 1,
    );
    const shown = rows.slice(this.#top, this.#top + height).map((row, index) => {
      const hasCursor = this.#top + index === at && this.focused;
      return drawRow(row, hasCursor ? this.#editor.state.column : undefined, cells);
    });
    const label = keys.label("externalEditor");
    return drawPanel({
      title,
      aside: rows.length <= height ? "" : `(${at + 1}/${rows.length})`,
      body: [
        ...shown,
        ...this.#note === ""
          ? []
          : [theme.paint("error", fitText(oneLine(this.#note, theme), width, theme))],
      ],
      help: [
        "Ctrl+S done",
        ...keyHelp("cancel", "leave as it was"),
        ...label === "" ? [] : [`${label} your editor`],
      ],
    }, { width, rows: frame.rows(), theme });
  }

  #height(): number {
    const rows = this.#options.frame.rows();
    return Math.max(1, rows - chromeRows(rows));
  }

  #paste(text: string): void {
    try {
      this.#editor.paste(text);
    } catch (error) {
      this.#note = errorMessage(error);
    }
  }

  /** What was written is lost, so that it takes two keys. */
  #cancel(isLeaving: boolean): void {
    if (isLeaving || this.text === this.#before) return this.#options.onCancel();
    this.#isLeaving = true;
    this.#note = "Press it again to lose what you changed; Ctrl+S keeps it";
  }

  async #leaveToEditor(): Promise<void> {
    const { editExternally, frame } = this.#options;
    this.#isAway = true;
    try {
      this.#editor.setText(await editExternally(this.text));
    } catch (error) {
      this.#note = errorMessage(error);
    } finally {
      this.#isAway = false;
      frame.redraw();
    }
  }
}
