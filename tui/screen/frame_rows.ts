import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";

/**
 * Cuts a row to a width. Colours in it end with it.
 *
 * @param row One row, coloured or not.
 * @param width Columns.
 */
export function fitRow(row: string, width: number): string {
  return visibleWidth(row) <= width ? row : truncateToWidth(row, Math.max(0, width), "");
}

/**
 * A row with a text at its left end and one at its right end. Where both do not fit, the right one
 * is left out.
 *
 * @param left The left text.
 * @param right The right text.
 * @param width Columns.
 */
export function spreadRow(left: string, right: string, width: number): string {
  const space = width - visibleWidth(left) - visibleWidth(right);
  return space < 1 || right === "" ? fitRow(left, width) : `${left}${" ".repeat(space)}${right}`;
}
