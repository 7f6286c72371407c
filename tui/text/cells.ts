import { getGraphemeSegmenter, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";

// deno-lint-ignore no-control-regex -- this finds texts that hold nothing else than ASCII
const ASCII_REGEXP = /^[\x00-\x7f]*$/;

/** Units that are always a character of their own, so that no segmenter has to look at them. */
const SINGLE_REGEXP =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2bff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*$/;

/**
 * How many cells of a terminal a text takes at most. Terminals disagree about emoji that are made of
 * several: whichever counts more is right, so that a row never runs over.
 *
 * @param text Safe text.
 */
export function cellsOf(text: string): number {
  if (ASCII_REGEXP.test(text)) return text.length;
  let cells = 0;
  for (const character of charactersOf(text)) cells += cellsOfCharacter(character);
  return cells;
}

/**
 * The characters of a text as a person counts them.
 *
 * @param text Safe text.
 */
export function charactersOf(text: string): Iterable<string> {
  if (SINGLE_REGEXP.test(text)) return text;
  return segmentsOf(text);
}

/**
 * How many cells a character takes at most.
 *
 * @param character One character as a person counts them.
 */
export function cellsOfCharacter(character: string): number {
  if (character.length === 1) return character < "\x7f" ? 1 : visibleWidth(character);
  let parts = 0;
  for (const part of character) parts += visibleWidth(part);
  return Math.max(parts, visibleWidth(character));
}

function* segmentsOf(text: string): Iterable<string> {
  for (const { segment } of getGraphemeSegmenter().segment(text)) yield segment;
}
