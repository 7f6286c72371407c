import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";

/**
 * Cuts a text without colours where it is wider than there is room. The terminal library would end
 * what it cuts with a reset of colours.
 *
 * @param text The text.
 * @param width Cells.
 * @param ellipsis What stands at the end of a text that was cut.
 */
export function cutToWidth(text: string, width: number, ellipsis = ""): string {
  if (visibleWidth(text) <= width) return text;
  // deno-lint-ignore no-control-regex -- colour sequences are what this finds
  return truncateToWidth(text, Math.max(0, width), ellipsis).replace(/\x1b\[[0-9;]*m/g, "");
}
