import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { oneLine, padText, wrapText } from "../panels/fit_text.ts";
import type { Theme } from "../theme/theme.ts";

/** Something with a name, and what is said of it. */
export interface Entry {
  readonly name: string;
  readonly text: string;
}

/** A heading, and what stands below it. */
export interface Section {
  /** Empty for none. */
  readonly heading: string;
  readonly entries: readonly Entry[];
}

/** A window that is less wide has no room for two columns. */
const TWO_COLUMNS = 60;
const GAP = 2;
const INDENT = 2;

/**
 * Lays out sections: names in a column of their own where the window is wide enough, else above
 * what is said of them. Whatever could drive a terminal is shown as an escape.
 *
 * @param sections Those without entries are left out.
 * @param place How wide, and in what colours.
 */
export function layOutSections(
  sections: readonly Section[],
  { width, theme }: { readonly width: number; readonly theme: Theme },
): readonly string[] {
  const filled = sections.filter(({ entries }) => entries.length > 0).map((section) => ({
    heading: oneLine(section.heading, theme),
    entries: section.entries.map(({ name, text }) => ({
      name: oneLine(name, theme),
      text: oneLine(text, theme),
    })),
  }));
  const names = filled.flatMap(({ entries }) => entries.map(({ name }) => visibleWidth(name)));
  const column = Math.min(Math.floor(width * 0.4), Math.max(0, ...names));
  return filled.flatMap(({ heading, entries }, at) => [
    ...at === 0 ? [] : [""],
    ...heading === "" ? [] : wrapText(heading, width).map((row) => theme.paint("heading", row)),
    ...entries.flatMap((entry) =>
      width < TWO_COLUMNS ? stacked(entry, width, theme) : beside(entry, { width, theme, column })
    ),
  ]);
}

function beside(
  { name, text }: Entry,
  { width, theme, column }: {
    readonly width: number;
    readonly theme: Theme;
    readonly column: number;
  },
): readonly string[] {
  const left = wrapText(name, column);
  const right = text === "" ? [] : wrapText(text, width - INDENT - column - GAP);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const cell = padText(left[at] ?? "", column + GAP);
    return `${" ".repeat(INDENT)}${theme.paint("accent", cell)}${right[at] ?? ""}`;
  });
}

function stacked({ name, text }: Entry, width: number, theme: Theme): readonly string[] {
  return [
    ...wrapText(name, width - INDENT).map((row) => " ".repeat(INDENT) + theme.paint("accent", row)),
    ...text === ""
      ? []
      : wrapText(text, width - 2 * INDENT).map((row) => " ".repeat(2 * INDENT) + row),
  ];
}
