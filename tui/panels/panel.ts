import type { Component, Focusable } from "@earendil-works/pi-tui";

/** A component that takes the keyboard while it is shown. */
export type Panel = Component & Focusable & { handleInput(data: string): void };

/**
 * Makes a panel.
 *
 * @param done Closes it with what the person chose; undefined means nothing.
 */
export type PanelFactory<T> = (done: (choice: T | undefined) => void) => Panel;

/**
 * The one place above the editor where pickers, forms and questions are shown.
 *
 * Contract: one panel is on screen; others wait in order. A question of the run comes before any
 * panel that the person opened: it is shown in its place, and the panel comes back afterwards.
 */
export interface PanelHost {
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
