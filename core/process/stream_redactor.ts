import { REDACTED, secretForms } from "../redact.ts";

const NOTHING = new Uint8Array(0);

/**
 * Takes configured secrets out of one stream of bytes, wherever the stream is cut into pieces.
 *
 * What may be the beginning of a secret is held back until the next piece shows whether it is one;
 * everything else passes at once. Bytes that are not text stay as they are.
 */
export class StreamRedactor {
  readonly #forms: readonly SearchedForm[];
  /** The end of what came, shorter than the longest form. */
  #held: Uint8Array = NOTHING;
  /** How much of the front of what is held was part of a secret, and is replaced already. */
  #replaced = 0;

  /**
   * Begins at the start of a stream.
   *
   * @param secrets Configured values. Those below 8 characters are left alone.
   */
  constructor(secrets: readonly string[]) {
    const encoder = new TextEncoder();
    this.#forms = secretForms(secrets).map((form) => new SearchedForm(encoder.encode(form)));
  }

  /**
   * Takes the next bytes.
   *
   * @param bytes The bytes. They are not kept.
   * @returns What may be passed on now; it may share the memory of `bytes`.
   */
  write(bytes: Uint8Array): Uint8Array {
    if (this.#forms.length === 0) return bytes;
    const all = this.#held.length === 0 ? bytes : concatenate([this.#held, bytes]);
    const found = this.#find(all);
    const holdFrom = all.length - Math.max(...this.#forms.map((form) => form.begunAtEndOf(all)));
    const passed = replace(all, found, { from: this.#replaced, to: holdFrom });
    this.#held = all.slice(holdFrom);
    this.#replaced = Math.max(0, Math.max(this.#replaced, found.at(-1)?.end ?? 0) - holdFrom);
    return passed;
  }

  /** What was held back and is no secret after all. The stream has ended. */
  end(): Uint8Array {
    const rest = this.#held.subarray(this.#replaced);
    this.#held = NOTHING;
    this.#replaced = 0;
    return rest;
  }

  /** Where secrets are, in order; those that touch or overlap are one. */
  #find(bytes: Uint8Array): readonly Range[] {
    const ranges = this.#forms.flatMap((form) => form.findIn(bytes));
    ranges.sort((a, b) => a.start - b.start);
    const merged: { start: number; end: number }[] = [];
    for (const range of ranges) {
      const last = merged.at(-1);
      if (last === undefined || range.start > last.end) merged.push({ ...range });
      else last.end = Math.max(last.end, range.end);
    }
    return merged;
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** One spelling of a secret, ready to be looked for: Horspool's search, for it passes most bytes. */
class SearchedForm {
  readonly #bytes: Uint8Array;
  /** How far to move on when a byte stands where the last one of the form would. */
  readonly #steps = new Uint32Array(256);

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#steps.fill(bytes.length);
    for (const [index, byte] of bytes.subarray(0, -1).entries()) {
      this.#steps[byte] = bytes.length - 1 - index;
    }
  }

  findIn(bytes: Uint8Array): readonly Range[] {
    const ranges: Range[] = [];
    const form = this.#bytes;
    for (let end = form.length; end <= bytes.length;) {
      const start = end - form.length;
      if (matches(form, form.length, { bytes, start })) ranges.push({ start, end });
      end += this.#steps[bytes[end - 1] ?? 0] ?? 1;
    }
    return ranges;
  }

  /** How many of the last bytes are the beginning of the form, and not all of it. */
  begunAtEndOf(bytes: Uint8Array): number {
    let length = Math.min(this.#bytes.length - 1, bytes.length);
    while (!matches(this.#bytes, length, { bytes, start: bytes.length - length })) length--;
    return length;
  }
}

/** Whether the first `length` bytes of a form stand at a place. */
function matches(
  form: Uint8Array,
  length: number,
  { bytes, start }: { readonly bytes: Uint8Array; readonly start: number },
): boolean {
  for (let index = length - 1; index >= 0; index--) {
    if (bytes[start + index] !== form[index]) return false;
  }
  return true;
}

/** The bytes of `part`, with the mark of a secret in the place of each range. */
function replace(
  bytes: Uint8Array,
  ranges: readonly Range[],
  part: { readonly from: number; readonly to: number },
): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = part.from;
  for (const { start, end } of ranges) {
    if (end <= at) continue;
    if (start > at) pieces.push(bytes.subarray(at, start));
    pieces.push(new TextEncoder().encode(REDACTED));
    at = end;
  }
  if (part.to > at) pieces.push(bytes.subarray(at, part.to));
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : concatenate(pieces);
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
