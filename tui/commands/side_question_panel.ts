import { errorMessage } from "../../core/errors.ts";
import type { SideAnswer } from "../../core/side_questions/side_questions.ts";
import { TextPanel } from "../panels/text_panel.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import type { Theme } from "../theme/theme.ts";

/** What a panel of side questions works with. */
export interface SideQuestionPanelOptions {
  /** What was asked before, oldest first. */
  readonly kept: readonly SideAnswer[];
  /** What is asked now; empty to look at what was asked before. */
  readonly question: string;
  /** Asks; rejects if nobody answers. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<SideAnswer>;
  readonly theme: Theme;
  readonly frame: PanelFrame;
  /** Called when the person leaves. */
  readonly close: () => void;
}

/** A question on its way, or one that was not answered. */
interface Pending {
  readonly question: string;
  readonly state: string;
}

/** Side questions, one at a time, the newest first shown. */
export class SideQuestionPanel implements Panel {
  /** Keys that would scroll the conversation scroll the answer. */
  readonly capturesViewportInput = true;
  readonly #options: SideQuestionPanelOptions;
  readonly #stop = new AbortController();
  #entries: readonly (SideAnswer | Pending)[];
  #at: number;
  #text: TextPanel;

  /**
   * Asks at once, if there is something to ask.
   *
   * @param options What it works with.
   */
  constructor(options: SideQuestionPanelOptions) {
    this.#options = options;
    const { kept, question } = options;
    const state = `Thinking${options.theme.look.unicode ? "…" : "..."}`;
    this.#entries = question === "" ? kept : [...kept, { question, state }];
    this.#at = this.#entries.length - 1;
    this.#text = this.#show();
    if (question !== "") void this.#ask(question);
  }

  get focused(): boolean {
    return this.#text.focused;
  }

  set focused(value: boolean) {
    this.#text.focused = value;
  }

  invalidate(): void {
    this.#text.invalidate();
  }

  handleInput(data: string): void {
    this.#text.handleInput(data);
  }

  render(width: number): readonly string[] {
    return this.#text.render(width);
  }

  async #ask(question: string): Promise<void> {
    const { ask, frame } = this.#options;
    const before = this.#entries.slice(0, -1);
    try {
      const answer = await ask(question, this.#stop.signal);
      this.#entries = [...before, answer];
    } catch (error) {
      const state = `Not answered: ${errorMessage(error)}`;
      this.#entries = [...before, { question, state }];
    }
    if (this.#stop.signal.aborted) return;
    this.#text = this.#show();
    frame.redraw();
  }

  #moveTo(index: number): void {
    const at = Math.max(0, Math.min(index, this.#entries.length - 1));
    if (at === this.#at) return;
    this.#at = at;
    this.#text = this.#show();
  }

  #show(): TextPanel {
    const { theme, frame, close } = this.#options;
    const entry = this.#entries[this.#at];
    const count = this.#entries.length;
    const place = count < 2 ? "" : ` ${this.#at + 1}/${count}`;
    const panel = new TextPanel({
      title: `By the way${place}: ${entry?.question ?? ""}`,
      body: entry === undefined ? "" : "answer" in entry ? entry.answer : entry.state,
      theme,
      frame,
      onClose: () => {
        this.#stop.abort(new Error("Stopped by the person"));
        close();
      },
      keys: count < 2 ? [] : [
        { keys: ["left"], help: "left older", run: () => this.#moveTo(this.#at - 1) },
        { keys: ["right"], help: "right newer", run: () => this.#moveTo(this.#at + 1) },
      ],
    });
    panel.focused = true;
    return panel;
  }
}
