/**
 * Loads modules one after the other, and lets keys in between them: while a module is loaded,
 * nothing that is typed can be shown.
 *
 * @param pieces Import a module each, the ones that others rest on first.
 */
export async function loadInPieces(pieces: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of pieces) {
    await load();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The pieces of the terminal library that the screen rests on, each no longer than need be. */
export const LIBRARY_PIECES: readonly (() => Promise<unknown>)[] = [
  () => import("@earendil-works/pi-tui/dist/utils.js"),
  () => import("@earendil-works/pi-tui/dist/terminal-image.js"),
  () => import("@earendil-works/pi-tui/dist/tui.js"),
  () => import("@earendil-works/pi-tui/dist/tui-alt-screen.js"),
];
