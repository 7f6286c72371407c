import { escapeCharacter, replaceInvisible } from "../text/invisible_characters.ts";

const ENCODER = new TextEncoder();

// deno-lint-ignore no-control-regex -- colour and erase-line sequences are what this finds
const COLOUR_REGEXP = /\x1b\[[0-9;:]*[mK]/g;
// deno-lint-ignore no-control-regex -- every control character except tab and line ends
const TEXT_CONTROL_REGEXP = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
// deno-lint-ignore no-control-regex -- every control character
const NAME_CONTROL_REGEXP = /[\x00-\x1f\x7f-\x9f]/g;

/**
 * What a program printed, as text that a model can read and a terminal can show.
 *
 * Colour sequences are dropped, because they carry no meaning for a reader. Every other control
 * character except tab and line ends is shown as an escape (`\x1b`), and so is every byte that is
 * not UTF-8, so nothing is replaced in silence and nothing can drive a terminal.
 *
 * @param bytes The output.
 */
export function visibleOutput(bytes: Uint8Array): string {
  return visibleText(decodeBytes(bytes).replace(COLOUR_REGEXP, ""));
}

/**
 * Text with its control characters, except tab and line ends, shown as escapes. For a model, which
 * has to see what a file really holds: whatever else a reader cannot see stays.
 *
 * @param text Any text.
 */
export function visibleText(text: string): string {
  return text.replace(TEXT_CONTROL_REGEXP, escapeControl);
}

/**
 * Text for a person: like {@linkcode visibleText}, with everything shown that makes a text look
 * like another one. A carriage return that ends no line covers what stands before it; direction
 * marks, zero-width characters and tags are not drawn.
 *
 * @param text Any text.
 */
export function visibleLines(text: string): string {
  return replaceInvisible(visibleText(text), escapeCharacter).replace(/\r(?!\n)/g, escapeControl);
}

/**
 * A name or anything else for a person, on one line: control characters, line ends included, and
 * whatever is not drawn are shown as escapes.
 *
 * @param name A name or a path.
 */
export function visibleName(name: string): string {
  return replaceInvisible(printableName(name), escapeCharacter);
}

/**
 * A file name on one line, for a model that is to give it back: only control characters are shown
 * as escapes.
 *
 * @param name A name or a path.
 */
export function printableName(name: string): string {
  return name.replace(NAME_CONTROL_REGEXP, escapeControl);
}

/**
 * Decodes UTF-8 and shows every byte that is not part of it as `\xNN`. A byte order mark is kept.
 *
 * @param bytes The bytes.
 */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeWithEscapes(bytes);
  }
}

/**
 * The longest start of a text that has at most `maxBytes` bytes of UTF-8.
 *
 * @param text The text.
 * @param maxBytes How many bytes may be kept.
 */
export function keepStart(text: string, maxBytes: number): string {
  const bytes = ENCODER.encode(text);
  if (bytes.length <= maxBytes) return text;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    bytes.subarray(0, characterStart(bytes, maxBytes)),
  );
}

/**
 * The longest end of a text that has at most `maxBytes` bytes of UTF-8.
 *
 * @param text The text.
 * @param maxBytes How many bytes may be kept.
 */
export function keepEnd(text: string, maxBytes: number): string {
  const bytes = ENCODER.encode(text);
  if (bytes.length <= maxBytes) return text;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    bytes.subarray(nextCharacterStart(bytes, bytes.length - maxBytes)),
  );
}

/**
 * Keeps the start and the end of a text, in equal parts, with a note between them.
 *
 * @param text The text.
 * @param maxBytes How many bytes of UTF-8 may be kept, the note not counted.
 * @param formatNote Makes the note from the bytes that are kept on its two sides.
 */
export function cutMiddle(
  text: string,
  maxBytes: number,
  formatNote: (headBytes: number, tailBytes: number) => string,
): string {
  if (utf8Length(text) <= maxBytes) return text;
  const head = keepStart(text, Math.ceil(maxBytes / 2));
  const tail = keepEnd(text, Math.floor(maxBytes / 2));
  return head + formatNote(utf8Length(head), utf8Length(tail)) + tail;
}

/**
 * How many bytes a text has in UTF-8.
 *
 * @param text The text.
 */
export function utf8Length(text: string): number {
  return ENCODER.encode(text).length;
}

/**
 * Where to end a text of at most `index` bytes so that no character is split.
 *
 * @param bytes UTF-8, possibly with other bytes in it; it may end at `index`.
 * @param index Where the cut is wanted.
 */
export function characterStart(bytes: Uint8Array, index: number): number {
  let start = index - 1;
  while (start > 0 && index - start < 4 && isContinuation(bytes[start])) start--;
  return start + sequenceLength(bytes[start]) > index ? start : index;
}

/**
 * The start of the first character at or after `index`.
 *
 * @param bytes UTF-8, possibly with other bytes in it.
 * @param index Where the cut is wanted.
 */
export function nextCharacterStart(bytes: Uint8Array, index: number): number {
  let start = index;
  while (start < bytes.length && start - index < 3 && isContinuation(bytes[start])) start++;
  return start;
}

function decodeWithEscapes(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts: string[] = [];
  let validFrom = 0;
  let index = 0;
  while (index < bytes.length) {
    const length = validSequenceLength(bytes, index);
    if (length > 0) {
      index += length;
      continue;
    }
    parts.push(decoder.decode(bytes.subarray(validFrom, index)), escapeByte(bytes[index] ?? 0));
    index++;
    validFrom = index;
  }
  parts.push(decoder.decode(bytes.subarray(validFrom)));
  return parts.join("");
}

/** Length of the well-formed UTF-8 sequence at `index`, or 0 where there is none. */
function validSequenceLength(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  const length = sequenceLength(lead);
  if (length <= 1) return length;
  for (let offset = 1; offset < length; offset++) {
    if (!isContinuation(bytes[index + offset])) return 0;
  }
  const second = bytes[index + 1] ?? 0;
  // Overlong forms, surrogates and values above U+10FFFF are not UTF-8.
  if (lead === 0xe0 && second < 0xa0) return 0;
  if (lead === 0xed && second > 0x9f) return 0;
  if (lead === 0xf0 && second < 0x90) return 0;
  if (lead === 0xf4 && second > 0x8f) return 0;
  return length;
}

/** Length that a lead byte announces, 0 for a byte that cannot lead. */
function sequenceLength(lead: number | undefined): number {
  if (lead === undefined) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function escapeControl(character: string): string {
  const code = character.charCodeAt(0);
  // A control character above ASCII is told apart from a byte that is not UTF-8.
  return code < 0x80 ? escapeByte(code) : `\\u${code.toString(16).padStart(4, "0")}`;
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}
