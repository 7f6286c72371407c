import type { Theme } from "../theme/theme.ts";
import { clampRows, fitText, oneLine } from "./fit_text.ts";

/** The parts of a panel, from top to bottom. */
export interface PanelParts {
  /** What it is about. */
  readonly title: string;
  /** Short words at the right end of the title, such as a count. */
  readonly aside?: string;
  /** Its rows, drawn already. */
  readonly body: readonly string[];
  /** What keys do, the most important first. */
  readonly help: readonly string[];
}

/**
 * Rows that a panel needs beside its body.
 *
 * @param rows The most that it may take; where there are few, the help is left out.
 */
export function chromeRows(rows: number): number {
  return rows >= 5 ? 2 : 1;
}

/**
 * Puts a panel together.
 *
 * @param parts Its parts; the body has as many rows as there is room.
 * @param place How wide and how high it may be, and in what colours.
 */
export function drawPanel(
  { title, aside = "", body, help }: PanelParts,
  { width, rows, theme }: {
    readonly width: number;
    readonly rows: number;
    readonly theme: Theme;
  },
): string[] {
  const room = width - aside.length - 1;
  const head = aside === "" || room < 12
    ? theme.paint("heading", fitText(oneLine(title, theme), width, theme))
    : `${theme.paint("heading", fitText(oneLine(title, theme), room, theme))} ${
      theme.paint("dim", aside)
    }`;
  const foot = chromeRows(rows) === 2 ? [drawHelp(help, width, theme)] : [];
  return [...clampRows([head, ...body, ...foot], width)].slice(0, Math.max(1, rows));
}

/**
 * One row of help. What does not fit is left out, the last first.
 *
 * @param help What keys do.
 * @param width Columns.
 * @param theme The colours.
 */
export function drawHelp(help: readonly string[], width: number, theme: Theme): string {
  const separator = ` ${theme.glyph("separator")} `;
  let row = help[0] ?? "";
  for (const part of help.slice(1)) {
    if (row.length + separator.length + part.length > width) break;
    row += separator + part;
  }
  return theme.paint("dim", fitText(row, width, theme));
}
