import { decodeBytes } from "../process/visible_text.ts";
import { detectFileType } from "./file_type.ts";

/**
 * How text is stored. `unknown-8bit` is anything that holds bytes outside UTF-8: an older
 * encoding such as Latin-1 or GBK, or damaged UTF-8. Its ASCII part is known, the rest is not.
 */
export type TextEncodingName = "utf-8" | "utf-16le" | "utf-16be" | "unknown-8bit";

/** How a file holds its text. */
export interface TextForm {
  /** That there is text. */
  readonly kind: "text";
  /** How its characters are stored. */
  readonly encoding: TextEncodingName;
  /** Length of the byte-order mark; 0 when there is none. */
  readonly bomBytes: 0 | 2 | 3;
}

/** A file that holds no text. */
export interface BinaryForm {
  /** That there is none. */
  readonly kind: "binary";
  /** For example `PNG image`, or `unknown binary data`. */
  readonly type: string;
}

/** How much of a file its control characters are counted in. */
const SAMPLE_BYTES = 65_536;

/**
 * Tells text from binary data, and how the text is stored.
 *
 * NUL and other control characters are text as long as they are few, since valid source holds
 * them. Without a byte-order mark, UTF-16 is not guessed.
 *
 * @param bytes The file, or its start.
 * @param options Whether the bytes are only the start, so that the last character may be cut.
 */
export function detectTextForm(
  bytes: Uint8Array,
  options: { readonly partial?: boolean } = {},
): TextForm | BinaryForm {
  const partial = options.partial === true;
  const marked = detectByteOrderMark(bytes, partial);
  if (marked !== null) return marked;
  const type = detectFileType(bytes);
  if (type?.certain === true) return { kind: "binary", type: type.name };
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const encoding = isUtf8(bytes, partial) ? "utf-8" : "unknown-8bit";
  if (looksBinary(sample, encoding)) {
    return { kind: "binary", type: type?.name ?? describeUnknown(sample) };
  }
  return { kind: "text", encoding, bomBytes: 0 };
}

function detectByteOrderMark(
  bytes: Uint8Array,
  partial: boolean,
): TextForm | BinaryForm | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    const encoding = isUtf8(bytes, partial) ? "utf-8" : "unknown-8bit";
    return { kind: "text", encoding, bomBytes: 3 };
  }
  if (first === 0xff && second === 0xfe) {
    if (third === 0 && fourth === 0) return { kind: "binary", type: "UTF-32 text" };
    return { kind: "text", encoding: "utf-16le", bomBytes: 2 };
  }
  if (first === 0xfe && second === 0xff) {
    return { kind: "text", encoding: "utf-16be", bomBytes: 2 };
  }
  return null;
}

function isUtf8(bytes: Uint8Array, partial: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: partial });
    return true;
  } catch {
    return false;
  }
}

function looksBinary(sample: Uint8Array, encoding: TextEncodingName): boolean {
  if (sample.length === 0) return false;
  let controls = 0;
  let nuls = 0;
  for (const byte of sample) {
    if (byte === 0) nuls++;
    if (byte < 0x20 ? !isTextControl(byte) : byte === 0x7f) controls++;
  }
  const share = controls / sample.length;
  if (encoding === "unknown-8bit") return nuls > 0 || share > 0.05;
  return share > 0.3 || (controls > 8 && share > 0.1);
}

/** Bell to carriage return, and escape: what terminals and old source hold. */
function isTextControl(byte: number): boolean {
  return (byte >= 7 && byte <= 13) || byte === 27;
}

function describeUnknown(sample: Uint8Array): string {
  const pairs = Math.floor(sample.length / 2);
  let even = 0;
  let odd = 0;
  for (let index = 0; index < pairs * 2; index += 2) {
    if (sample[index] === 0) even++;
    if (sample[index + 1] === 0) odd++;
  }
  const isWide = (zeros: number, others: number): boolean =>
    pairs > 0 && zeros / pairs > 0.7 && others / pairs < 0.1;
  return isWide(even, odd) || isWide(odd, even)
    ? "UTF-16 text without a byte-order mark, or binary data"
    : "unknown binary data";
}

/**
 * Encodes text in the form of an existing file, byte-order mark included. Well-formed text comes
 * back from {@linkcode decodeText} as it was; `unknown-8bit` is written as UTF-8.
 *
 * @param text The text, without a byte-order mark.
 * @param form How the file holds its text.
 */
export function encodeText(text: string, form: TextForm): Uint8Array<ArrayBuffer> {
  if (form.encoding === "utf-16le" || form.encoding === "utf-16be") {
    return encodeUtf16(`\ufeff${text}`, form.encoding);
  }
  return new TextEncoder().encode(form.bomBytes === 0 ? text : `\ufeff${text}`);
}

function encodeUtf16(text: string, encoding: "utf-16le" | "utf-16be"): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) {
    view.setUint16(index * 2, text.charCodeAt(index), encoding === "utf-16le");
  }
  return bytes;
}

/**
 * Decodes a file for the eye: without its byte-order mark, and with each byte that belongs to no
 * valid character of an `unknown-8bit` file as `\xNN`.
 *
 * @param bytes The file.
 * @param form How it holds its text.
 */
export function decodeText(bytes: Uint8Array, form: TextForm): string {
  const body = bytes.subarray(form.bomBytes);
  if (form.encoding === "utf-16le" || form.encoding === "utf-16be") {
    return new TextDecoder(form.encoding, { ignoreBOM: true }).decode(body);
  }
  return decodeBytes(body);
}
