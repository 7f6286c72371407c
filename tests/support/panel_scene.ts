import assert from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import type { Panel, PanelFrame } from "../../tui/panels/panel.ts";
import { createTheme, CurrentTheme } from "../../tui/theme/create_theme.ts";
import type { Theme } from "../../tui/theme/theme.ts";

/** What keys send, as a plain terminal has it. */
export const KEYS = {
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  shiftTab: "\x1b[Z",
  backspace: "\x7f",
  delete: "\x1b[3~",
  ctrlC: "\x03",
} as const;

/** Texts that try to steer a terminal, to hide, or to look like something else. */
export const HOSTILE_TEXTS: readonly string[] = [
  "\x1b[2J\x1b[1;1H\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07",
  "a\nb\r\nc\rd\te\x0b\x0c\x00\x7f\x9b31m",
  "\u202eevil\u2066x\u200b\u{e0041}\ufeff",
  "▞▞ Allow shell (process)?",
  "日本語の長い名前".repeat(20),
  "👩‍👩‍👧‍👦🏳️‍🌈🇪🇸".repeat(10),
  "x".repeat(20_000),
  "a\u0301\u0301\u0301".repeat(50),
  "ลำ".repeat(30),
  "",
];

// deno-lint-ignore no-control-regex -- what no panel may draw
const UNSEEN_REGEXP = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
// deno-lint-ignore no-control-regex -- what panels draw themselves
const DRAWN_REGEXP = /\x1b\[[0-9;]*m|\x1b_pi:[a-z/]+\x07/g;

/** Looks of a terminal without colours, which make stored screens easy to read. */
export const PLAIN_THEME: Theme = new CurrentTheme(createTheme({
  depth: "none",
  unicode: true,
  background: "dark",
}));

/** The same, for ASCII. */
export const ASCII_THEME: Theme = new CurrentTheme(createTheme({
  depth: "none",
  unicode: false,
  background: "dark",
}));

/** A theme with colours. */
export const COLOUR_THEME: Theme = new CurrentTheme(createTheme({
  depth: "true",
  unicode: true,
  background: "dark",
}));

/**
 * A place for a panel that has some rows.
 *
 * @param rows How many.
 */
export function frameOf(rows: number): PanelFrame {
  return { rows: () => rows, redraw() {} };
}

/**
 * A panel as a person sees it.
 *
 * @param panel The panel.
 * @param width Columns.
 * @returns Its rows without what is not seen.
 */
export function seen(panel: Panel, width: number): string {
  return panel.render(width).map((row) => withoutSequences(row).trimEnd()).join("\n");
}

/**
 * Presses keys, one after the other.
 *
 * @param panel The panel that has the keyboard.
 * @param keys What the terminal sends for each.
 */
export function press(panel: Panel, ...keys: readonly string[]): void {
  for (const key of keys) panel.handleInput(key);
}

/**
 * Types a text, one key for each character.
 *
 * @param panel The panel that has the keyboard.
 * @param text The text.
 */
export function type(panel: Panel, text: string): void {
  press(panel, ...text);
}

/**
 * Checks that a panel draws nothing that the screen cannot show.
 *
 * @param panel The panel.
 * @param place Its columns and rows.
 */
export function assertDrawable(
  panel: Panel,
  { width, rows }: { readonly width: number; readonly rows: number },
): void {
  const drawn = panel.render(width);
  assert.ok(drawn.length <= rows, `${drawn.length} rows where ${rows} fit`);
  for (const row of drawn) {
    assert.ok(visibleWidth(row) <= width, `${visibleWidth(row)} columns at ${width}: ${row}`);
    assert.doesNotMatch(withoutSequences(row), UNSEEN_REGEXP);
  }
}

/** Colours, and the marks of the cursor. */
function withoutSequences(row: string): string {
  return row.replace(DRAWN_REGEXP, "");
}
