import type { Component, Focusable, TuiMouseEvent } from "@earendil-works/pi-tui";
import type { PromptEditor } from "../editor/prompt_editor.ts";
import type { Panel } from "../panels/panel.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { fitRow } from "./frame_rows.ts";

/** What the screen is made of, from top to bottom. */
export interface ScreenParts {
  /** Rows above everything. */
  header(width: number): readonly string[];
  readonly transcript: Transcript;
  /** The panel that is open. */
  panel(): Panel | undefined;
  /** The row between the conversation and a panel. */
  border(width: number): string;
  readonly editor: PromptEditor;
  /** Rows below the editor, the most important first. */
  footer(width: number): readonly string[];
  /** Rows of the window. */
  rows(): number;
  /**
   * Takes a key before anybody else.
   *
   * @param data The key.
   * @returns Whether it was taken.
   */
  takeKey(data: string): boolean;
}

/** Rows of the conversation that stay while a panel or the editor grows. */
const MIN_CONVERSATION_ROWS = 3;
const WHEEL_ROWS = 3;
/** In a smaller window, a panel needs every row itself. */
const MIN_ROWS_FOR_BORDER = 18;

/** The whole screen as one component, which fills the window exactly. */
export class ScreenRoot implements Component, Focusable {
  /** Keys that move the conversation come here as well. */
  readonly capturesViewportInput = true;
  focused = false;
  readonly #parts: ScreenParts;
  /** Where the conversation was drawn last. */
  #conversation = { top: 0, height: 0 };

  /** @param parts What it is made of. */
  constructor(parts: ScreenParts) {
    this.#parts = parts;
  }

  /** The most rows that a panel may take at the moment. */
  panelRows(): number {
    const border = this.#hasBorder() ? 1 : 0;
    return Math.max(1, this.#parts.rows() - 2 - MIN_CONVERSATION_ROWS - border);
  }

  handleInput(data: string): void {
    const { editor, takeKey, panel } = this.#parts;
    if (takeKey.call(this.#parts, data)) return;
    (panel() ?? editor).handleInput(data);
  }

  handleMouse(event: TuiMouseEvent): { handled: true } | undefined {
    const { transcript } = this.#parts;
    if (event.type === "wheel") {
      transcript.scrollBy(Math.sign(event.wheelDelta ?? 0) * WHEEL_ROWS);
      return { handled: true };
    }
    const { top, height } = this.#conversation;
    const row = event.y - top;
    if (event.type !== "click" || event.button !== "left" || row < 0 || row >= height) return;
    return transcript.toggleAt(row) ? { handled: true } : undefined;
  }

  render(width: number): readonly string[] {
    const { transcript, editor } = this.#parts;
    const panel = this.#parts.panel();
    editor.focused = this.focused && panel === undefined;
    if (panel !== undefined) panel.focused = this.focused;
    const rows = this.#parts.rows();
    const input = panel === undefined ? editor.render(width) : [
      ...(this.#hasBorder() ? [this.#parts.border(width)] : []),
      ...panel.render(width).slice(0, this.panelRows()),
    ];
    let left = rows - input.length;
    const footer = this.#parts.footer(width).slice(0, Math.max(0, left));
    left -= footer.length;
    const header = this.#parts.header(width).slice(
      0,
      Math.max(0, left - MIN_CONVERSATION_ROWS),
    );
    const height = Math.max(0, left - header.length);
    this.#conversation = { top: header.length, height };
    const conversation = height === 0 ? [] : transcript.render(width, height);
    const empty = Array.from({ length: height - conversation.length }, () => "");
    return [...header, ...conversation, ...empty, ...input, ...footer]
      .slice(-rows)
      .map((row) => fitRow(row, width));
  }

  #hasBorder(): boolean {
    return this.#parts.rows() >= MIN_ROWS_FOR_BORDER;
  }

  invalidate(): void {
    this.#parts.transcript.invalidate();
    this.#parts.editor.invalidate();
    this.#parts.panel()?.invalidate();
  }
}
