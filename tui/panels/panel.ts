import type { Component, Focusable } from "@earendil-works/pi-tui";

/** A component that takes the keyboard while it is shown. */
export type Panel = Component & Focusable & {
  handleInput(data: string): void;
  /**
   * Scrolls it, as the wheel of a mouse does that is over it.
   *
   * @param rows How far; negative is towards the start.
   */
  scroll?(rows: number): void;
  /** Says that the screen was away meanwhile: the person sees it anew. */
  comesBack?(): void;
};

/** The place that a panel is drawn in. */
export interface PanelFrame {
  /** The most rows that it may take at the moment; never less than 1. */
  rows(): number;
  /** Has the screen drawn again, soon, because it changed without a key. */
  redraw(): void;
}

/**
 * Makes a panel.
 *
 * @param done Closes it with what the person chose; undefined means nothing.
 * @param frame Where it is drawn.
 */
export type PanelFactory<T> = (done: (choice: T | undefined) => void, frame: PanelFrame) => Panel;

/**
 * The one place above the editor where pickers, forms and questions are shown.
 *
 * Contract: one panel is on screen. Questions of the run wait in order, and come before any panel
 * that the person opened: a question is shown in its place, and the panel comes back afterwards. Of
 * several panels of the person the newest is shown, and the one before comes back after it.
 */
export interface PanelHost {
  /** How many questions there are, the one on the screen included. */
  readonly questions: number;
  /**
   * Shows a panel until it is done.
   *
   * @param create Makes it when its turn comes.
   * @param options `kind` says who opened it; `signal` takes it back, which answers undefined.
   */
  open<T>(
    create: PanelFactory<T>,
    options?: { readonly kind?: "person" | "question"; readonly signal?: AbortSignal },
  ): Promise<T | undefined>;
}
