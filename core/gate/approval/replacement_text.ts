/** How much of an answer in place of a call a model is given, in bytes of UTF-8. */
export const MAX_REPLACEMENT_BYTES = 64 * 1024;

/** Longer texts are cut before anything looks at them. */
const MAX_READ_CHARS = 16 * MAX_REPLACEMENT_BYTES;

/** All but tab and line feed. */
// deno-lint-ignore no-control-regex
const CONTROL_REGEXP = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Makes what a person wrote in place of a call fit for a model: without control characters but tab
 * and line feed, well-formed, and at most 64 KiB, cut between two characters.
 *
 * @param text What the person wrote.
 */
export function replacementText(text: string): string {
  const clean = text.slice(0, MAX_READ_CHARS).replace(CONTROL_REGEXP, "").toWellFormed();
  // Writes whole characters only.
  const { read } = new TextEncoder().encodeInto(clean, new Uint8Array(MAX_REPLACEMENT_BYTES));
  return clean.slice(0, read);
}
