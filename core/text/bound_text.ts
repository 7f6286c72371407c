/** A text that was cut to a limit, and how much of it is gone. */
export interface BoundedText {
  /** The text, with a visible mark where something is gone. */
  readonly text: string;
  /** Whether anything is gone. */
  readonly truncated: boolean;
}

/** Characters of a tool's text that a model is sent: 48 KB, `spec` of tool results. */
export const MAX_RESULT_CHARS = 48 * 1024;

/**
 * Keeps the head and the tail of a text that is longer than a limit, and says in between how much
 * was left out. Never splits a surrogate pair.
 *
 * @param text Any text.
 * @param maxChars How many UTF-16 units may stay.
 */
export function boundText(text: string, maxChars: number): BoundedText {
  if (text.length <= maxChars) return { text, truncated: false };
  const head = safeEnd(text, Math.floor(maxChars * 0.6));
  const tail = safeEnd(text, text.length - (maxChars - Math.floor(maxChars * 0.6)));
  return {
    text: text.slice(0, head) + leftOutMark(tail - head) + text.slice(tail),
    truncated: true,
  };
}

/**
 * What stands where a part of a text is gone.
 *
 * @param chars How many UTF-16 units are gone.
 */
export function leftOutMark(chars: number): string {
  return `\n… [${chars} characters left out] …\n`;
}

/**
 * The first characters of a text on one line, for previews and messages.
 *
 * @param text Any text.
 * @param maxChars How many UTF-16 units may stay.
 */
export function previewText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, safeEnd(text, maxChars))}…`;
}

function safeEnd(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const splitsPair = unit >= 0xdc00 && unit <= 0xdfff;
  return splitsPair ? index - 1 : index;
}
