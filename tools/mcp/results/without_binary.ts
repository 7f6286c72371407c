import { formatBytes } from "./media.ts";

/** Unbroken characters of base64: no word is that long. */
const RUN_REGEXP = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{4096,}={0,2}/g;

/** Shorter data may be any word. */
const MIN_KNOWN_CHARS = 64;

/** A text without base64 data. */
export interface CleanText {
  readonly text: string;
  /** Whether data went that is no part of its own. */
  readonly isLossy: boolean;
}

/**
 * A text without the base64 data in it, which no model can read.
 *
 * @param text Any text.
 * @param known Data that is in the result as a part of its own.
 */
export function withoutBinary(text: string, known: ReadonlySet<string>): CleanText {
  let rest = text;
  for (const data of known) {
    if (data.length >= MIN_KNOWN_CHARS) rest = rest.replaceAll(data, "[data of another part]");
  }
  let isLossy = false;
  const clean = rest.replace(RUN_REGEXP, (run) => {
    // A row of equal letters is no data.
    const isData = /[A-Z]/.test(run) && /[a-z]/.test(run) && /[0-9]/.test(run);
    if (!isData) return run;
    isLossy = true;
    return `[base64 data, ${formatBytes(Math.floor(run.length / 4 * 3))}]`;
  });
  return { text: clean, isLossy };
}
