import type { TextForm } from "./text_encoding.ts";

/** A file's content as a string whose every character is one unit of its encoding. */
export interface TextUnits {
  /** One byte each, or one UTF-16 code unit each; the byte-order mark is not among them. */
  readonly units: string;
  /** Bytes at the end of a UTF-16 file that make no whole unit. */
  readonly rest: Uint8Array;
}

/** Characters that one call of `String.fromCharCode` takes without a deep stack. */
const CHUNK_UNITS = 8192;

/**
 * Splits a file into units, losing nothing: text that is searched and replaced in this form leaves
 * every other byte as it was, whatever the bytes are.
 *
 * @param bytes The whole file.
 * @param form How it holds its text.
 */
export function toTextUnits(bytes: Uint8Array, form: TextForm): TextUnits {
  const body = bytes.subarray(form.bomBytes);
  if (!isWide(form)) return { units: joinUnits(body), rest: new Uint8Array() };
  const count = Math.floor(body.length / 2);
  const view = new DataView(body.buffer, body.byteOffset, count * 2);
  const codes = new Uint16Array(count);
  for (let index = 0; index < count; index++) {
    codes[index] = view.getUint16(index * 2, form.encoding === "utf-16le");
  }
  return { units: joinUnits(codes), rest: body.subarray(count * 2) };
}

/**
 * The inverse of {@linkcode toTextUnits}.
 *
 * @param text Units, and what follows them.
 * @param form How the file holds its text.
 * @param bom The byte-order mark to put first.
 */
export function fromTextUnits(
  text: TextUnits,
  form: TextForm,
  bom: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const width = isWide(form) ? 2 : 1;
  const bytes = new Uint8Array(bom.length + text.units.length * width + text.rest.length);
  bytes.set(bom, 0);
  const view = new DataView(bytes.buffer, bom.length);
  for (let index = 0; index < text.units.length; index++) {
    const code = text.units.charCodeAt(index);
    if (width === 1) view.setUint8(index, code);
    else view.setUint16(index * 2, code, form.encoding === "utf-16le");
  }
  bytes.set(text.rest, bytes.length - text.rest.length);
  return bytes;
}

/**
 * The units that well-formed text has in a file.
 *
 * @param text The text.
 * @param form How the file holds its text.
 */
export function textToUnits(text: string, form: TextForm): string {
  return isWide(form) ? text : joinUnits(new TextEncoder().encode(text));
}

function isWide(form: TextForm): boolean {
  return form.encoding === "utf-16le" || form.encoding === "utf-16be";
}

function joinUnits(codes: Uint8Array | Uint16Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < codes.length; start += CHUNK_UNITS) {
    pieces.push(String.fromCharCode(...codes.subarray(start, start + CHUNK_UNITS)));
  }
  return pieces.join("");
}
