/** Characters of two cells; whatever is doubtful counts as wide, so that no row is broken. */
const WIDE_REGEXP =
  /[\u1100-\u115f\u2329\u232a\u2600-\u27bf\u2b1b-\u2b55\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * How many cells of a terminal a text takes.
 *
 * @param text A text without control characters.
 */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += WIDE_REGEXP.test(character) ? 2 : 1;
  return cells;
}
