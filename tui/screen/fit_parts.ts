import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { fitRow } from "./fit_row.ts";

/** A part of a row. */
export interface RowPart {
  /** Its text, coloured or not; an empty one is left out. */
  readonly text: string;
  /** The lower, the earlier it is left out where there is no room for all. */
  readonly priority: number;
}

/**
 * Puts parts side by side. Where they do not fit, those of the lowest priority are left out, of two
 * the later one; the last one that is left is cut. Pure.
 *
 * @param parts The parts, from left to right.
 * @param separator What stands between two.
 * @param width Columns.
 */
export function fitParts(parts: readonly RowPart[], separator: string, width: number): string {
  let left = parts.filter(({ text }) => text !== "");
  while (left.length > 1 && widthOf(left, separator) > width) {
    const lowest = left.reduce((low, part) => part.priority <= low.priority ? part : low);
    left = left.filter((part) => part !== lowest);
  }
  return fitRow(left.map(({ text }) => text).join(separator), width);
}

function widthOf(parts: readonly RowPart[], separator: string): number {
  return visibleWidth(parts.map(({ text }) => text).join(separator));
}
