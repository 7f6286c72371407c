/** How the lines of a text end; `none` when it has one line at most. */
export type LineEndings = "lf" | "crlf" | "mixed" | "none";

/**
 * Tells how the lines of a text end.
 *
 * @param text The text, or its units.
 */
export function detectLineEndings(text: string): LineEndings {
  let lf = false;
  let crlf = false;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") crlf = true;
    else lf = true;
    if (lf && crlf) return "mixed";
  }
  return crlf ? "crlf" : lf ? "lf" : "none";
}

/**
 * The line end that new text at a place should have: the first one at or after the place, else the
 * last one before it, else `\n`.
 *
 * @param text The text, or its units.
 * @param index The place.
 */
export function lineEndingAt(text: string, index: number): "\n" | "\r\n" {
  const after = text.indexOf("\n", index);
  const at = after !== -1 ? after : text.lastIndexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** A text with every line end as `\n`, and the way back to where it came from. */
export interface LineFeedView {
  /** The text with `\n` for each `\r\n`. */
  readonly text: string;
  /**
   * The index in the original text. A line end that was `\r\n` starts at its `\r`.
   *
   * @param index Index in `text`, its length included.
   */
  originalIndex(index: number): number;
}

/**
 * Shows a text with `\n` for each `\r\n`, so that a search need not care. A lone `\r` stays.
 *
 * @param original The text, or its units.
 */
export function viewLineFeeds(original: string): LineFeedView {
  if (!original.includes("\r\n")) return { text: original, originalIndex: (index) => index };
  // Position in the view of each line end that was two characters long.
  const shortened: number[] = [];
  for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
    shortened.push(at - shortened.length);
  }
  return {
    text: original.replaceAll("\r\n", "\n"),
    originalIndex: (index) => index + countBelow(shortened, index),
  };
}

/** How many of the ascending numbers are below a limit. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
