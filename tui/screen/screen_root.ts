import type { Component, Focusable, TuiMouseEvent } from "@earendil-works/pi-tui";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import type { PromptEditor } from "../editor/prompt_editor.ts";
import type { Panel } from "../panels/panel.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { fitRow } from "./fit_row.ts";
import type { InlineContent } from "./inline_screen.ts";

/** The size of a window, or of a part of it. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What the screen is made of, from top to bottom. */
export interface ScreenParts {
  /** Rows above everything, the most important first. */
  header(size: Size): readonly string[];
  readonly transcript: Transcript;
  /** Rows between the conversation and the editor, such as what is attached to a prompt. */
  above(columns: number): readonly string[];
  /** The panel that is open. */
  panel(): Panel | undefined;
  /** Whether that is a question of the run, which alone may show the sign of one. */
  isQuestion(): boolean;
  /** The row between the conversation and a panel. */
  border(width: number): string;
  readonly editor: PromptEditor;
  /** Whether something else than the editor and the panel has the keyboard. */
  isAside(): boolean;
  /** Rows below the editor, the most important last. */
  footer(columns: number): readonly string[];
  /** The window. */
  size(): Size;
  /** Empty columns on both sides of everything. */
  paddingX(): number;
  /**
   * Takes a key before the editor.
   *
   * @param data The key.
   * @returns Whether it was taken.
   */
  takeKey(data: string): boolean;
  /**
   * Takes a key before the panel that has the keyboard.
   *
   * @param data The key.
   * @returns Whether it was taken.
   */
  takeBesidePanel(data: string): boolean;
}

/** Rows of the conversation that stay while a panel or the editor grows. */
const MIN_CONVERSATION_ROWS = 3;
const WHEEL_ROWS = 3;
/** In a smaller window, a panel needs every row itself. */
const MIN_ROWS_FOR_BORDER = 18;
/** Narrower windows have no columns to spare. */
const MIN_COLUMNS_FOR_PADDING = 40;

/** The whole screen as one component, which fills the window exactly. */
export class ScreenRoot implements Component, Focusable, InlineContent {
  /** Keys that move the conversation come here as well. */
  readonly capturesViewportInput = true;
  focused = false;
  readonly #parts: ScreenParts;
  /** Where the conversation was drawn last. */
  #conversation = { top: 0, height: 0 };
  /** Rows from the first one of a panel, or of the editor, to the last one of the screen. */
  #rowsFromPanel = 0;
  #panelTop = 0;

  /** @param parts What it is made of. */
  constructor(parts: ScreenParts) {
    this.#parts = parts;
  }

  /** The most rows that a panel may take at the moment. */
  panelRows(): number {
    const { rows } = this.#parts.size();
    const border = this.#hasBorder() ? 1 : 0;
    return Math.max(1, rows - 2 - Math.min(MIN_CONVERSATION_ROWS, Math.floor(rows / 5)) - border);
  }

  /** Rows that the conversation has. */
  get conversationRows(): number {
    return this.#conversation.height;
  }

  handleInput(data: string): void {
    const panel = this.#parts.panel();
    if (panel !== undefined) {
      if (!this.#parts.takeBesidePanel(data)) panel.handleInput(data);
      return;
    }
    if (!this.#parts.takeKey(data)) this.#parts.editor.handleInput(data);
  }

  handleMouse(event: TuiMouseEvent): { handled: true } | undefined {
    const { transcript } = this.#parts;
    if (event.type === "wheel") {
      const rows = Math.sign(event.wheelDelta ?? 0) * WHEEL_ROWS;
      const panel = this.#parts.panel();
      // What the conversation shows can be read while something is asked.
      if (panel?.scroll === undefined || event.y < this.#panelTop) transcript.scrollBy(rows);
      else panel.scroll(rows);
      return { handled: true };
    }
    const { top, height } = this.#conversation;
    const row = event.y - top;
    if (event.type !== "click" || event.button !== "left" || row < 0 || row >= height) return;
    return transcript.toggleAt(row) ? { handled: true } : undefined;
  }

  render(width: number): readonly string[] {
    const { rows } = this.#parts.size();
    const { columns, pad } = this.#inner(width);
    const bottom = this.#bottom(columns, rows);
    const header = this.#parts.header({ columns, rows })
      .slice(0, Math.max(0, rows - bottom.length - MIN_CONVERSATION_ROWS));
    const height = Math.max(0, rows - bottom.length - header.length);
    this.#conversation = { top: header.length, height };
    this.#panelTop = rows - this.#rowsFromPanel;
    const shown = height === 0 ? [] : this.#parts.transcript.render(columns, height);
    const empty = Array.from({ length: height - shown.length }, () => "");
    return [...unsigned(header), ...unsigned(shown), ...empty, ...bottom].slice(-rows)
      .map((row) => pad + fitRow(row, columns));
  }

  takeFinished(width: number): readonly string[] {
    const { columns, pad } = this.#inner(width);
    return unsigned(this.#parts.transcript.takeFinished(columns))
      .map((row) => pad + fitRow(row, columns));
  }

  renderLive(width: number): readonly string[] {
    const { rows } = this.#parts.size();
    const { columns, pad } = this.#inner(width);
    const bottom = this.#bottom(columns, rows);
    const height = Math.max(0, rows - bottom.length);
    this.#conversation = { top: 0, height };
    const shown = height === 0 ? [] : this.#parts.transcript.render(columns, height);
    return [...unsigned(shown), ...bottom].map((row) => pad + fitRow(row, columns));
  }

  #hasBorder(): boolean {
    return this.#parts.size().rows >= MIN_ROWS_FOR_BORDER;
  }

  invalidate(): void {
    this.#parts.transcript.invalidate();
    this.#parts.editor.invalidate();
    this.#parts.panel()?.invalidate();
  }

  /** What stands below the conversation. Where there is little room, its last rows count. */
  #bottom(columns: number, rows: number): readonly string[] {
    const { editor } = this.#parts;
    const panel = this.#parts.panel();
    editor.focused = this.focused && panel === undefined && !this.#parts.isAside();
    if (panel !== undefined) panel.focused = this.focused;
    const drawn = panel?.render(columns).slice(0, this.panelRows()) ?? [];
    const input = panel === undefined ? editor.render(columns) : [
      ...(this.#hasBorder() ? [this.#parts.border(columns)] : []),
      ...(this.#parts.isQuestion() ? drawn : unsigned(drawn)),
    ];
    const left = Math.max(0, rows - input.length);
    const footer = unsigned(this.#parts.footer(columns));
    const below = footer.slice(Math.max(0, footer.length - left));
    const above = unsigned(this.#parts.above(columns))
      .slice(0, Math.max(0, left - below.length - MIN_CONVERSATION_ROWS));
    this.#rowsFromPanel = input.length + below.length;
    return [...above, ...input, ...below];
  }

  #inner(width: number): { readonly columns: number; readonly pad: string } {
    const padding = width < MIN_COLUMNS_FOR_PADDING ? 0 : this.#parts.paddingX();
    return { columns: Math.max(1, width - 2 * padding), pad: " ".repeat(padding) };
  }
}

/** Whatever is in a name, an output or a text of a plugin: it does not look like a question. */
function unsigned(rows: readonly string[]): readonly string[] {
  return rows.map(withoutQuestionMark);
}
