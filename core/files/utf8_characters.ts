import { decodeBytes } from "../process/visible_text.ts";

/**
 * Length in bytes of the UTF-8 character at an index: 1 to 4, or -1 when the byte there starts no
 * valid character, or 0 when the bytes end before that can be known.
 *
 * @param bytes Any bytes.
 * @param index Where the character starts.
 */
export function characterLength(bytes: Uint8Array, index: number): number {
  const lead = bytes[index];
  if (lead === undefined) return 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xc2 && lead < 0xe0
    ? 2
    : lead >= 0xe0 && lead < 0xf0
    ? 3
    : lead >= 0xf0 && lead < 0xf5
    ? 4
    : -1;
  for (let offset = 1; offset < length; offset++) {
    const byte = bytes[index + offset];
    if (byte === undefined) return 0;
    const [low, high] = offset === 1 ? secondByteRange(lead) : [0x80, 0xbf];
    if (byte < low || byte > high) return -1;
  }
  return length;
}

/** Excludes overlong forms, surrogates and what lies above U+10FFFF. */
function secondByteRange(lead: number): readonly [number, number] {
  switch (lead) {
    case 0xe0:
      return [0xa0, 0xbf];
    case 0xed:
      return [0x80, 0x9f];
    case 0xf0:
      return [0x90, 0xbf];
    case 0xf4:
      return [0x80, 0x8f];
    default:
      return [0x80, 0xbf];
  }
}

/** What {@linkcode takeCharacters} took. */
export interface TakenCharacters {
  /** The characters; a byte that belongs to none is shown as `\xNN`. */
  readonly text: string;
  /** How many bytes they are. */
  readonly byteLength: number;
  /** How many characters they are; a byte that belongs to none counts as one. */
  readonly characters: number;
  /** How many bytes the text needs inside a JSON string. */
  readonly jsonBytes: number;
}

/**
 * Takes whole characters from the start of bytes, as many as fit into a budget.
 *
 * @param bytes UTF-8, possibly with invalid bytes in it.
 * @param maxJsonBytes The budget, measured inside a JSON string.
 * @param atEnd Whether nothing follows: then an unfinished character at the end is shown as
 * invalid bytes, else it is left.
 */
export function takeCharacters(
  bytes: Uint8Array,
  maxJsonBytes: number,
  atEnd: boolean,
): TakenCharacters {
  let index = 0;
  let characters = 0;
  let jsonBytes = 0;
  while (index < bytes.length) {
    const length = characterLength(bytes, index);
    if (length === 0 && !atEnd) break;
    const cost = length > 0 ? jsonCost(bytes[index] ?? 0, length) : INVALID_BYTE_COST;
    if (jsonBytes + cost > maxJsonBytes) break;
    jsonBytes += cost;
    characters++;
    index += Math.max(1, length);
  }
  return {
    text: decodeBytes(bytes.subarray(0, index)),
    byteLength: index,
    characters,
    jsonBytes,
  };
}

/** `\\xNN` */
const INVALID_BYTE_COST = 5;

function jsonCost(first: number, length: number): number {
  if (length > 1) return length;
  if (first === 0x22 || first === 0x5c) return 2;
  if (first >= 0x20) return 1;
  return first === 8 || first === 9 || first === 10 || first === 12 || first === 13 ? 2 : 6;
}

/** Where {@linkcode skipCharacters} stopped. */
export interface SkippedCharacters {
  /** Index of the first byte that was not skipped. */
  readonly index: number;
  /** How many characters were skipped. */
  readonly characters: number;
}

/**
 * Skips whole characters, but never past a line feed or an unfinished character at the end.
 *
 * @param bytes UTF-8, possibly with invalid bytes in it.
 * @param start Index of the first byte.
 * @param count How many characters to skip at most.
 */
export function skipCharacters(bytes: Uint8Array, start: number, count: number): SkippedCharacters {
  let index = start;
  let characters = 0;
  while (characters < count && index < bytes.length && bytes[index] !== 0x0a) {
    const length = characterLength(bytes, index);
    if (length === 0) break;
    index += Math.max(1, length);
    characters++;
  }
  return { index, characters };
}
