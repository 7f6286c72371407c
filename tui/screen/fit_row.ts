import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";

/**
 * Cuts a row to a width. Colours in it end with it; one without colours gets no sequence.
 *
 * @param row One row, coloured or not.
 * @param width Columns.
 */
export function fitRow(row: string, width: number): string {
  if (visibleWidth(row) <= width) return row;
  const cut = truncateToWidth(row, Math.max(0, width), "");
  // The library ends whatever it cuts with a reset of colours.
  return row.includes("\x1b") ? cut : cut.replaceAll("\x1b[0m", "");
}
