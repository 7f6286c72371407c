/**
 * Everything that could steer a terminal or hide what a text says: control characters, line and
 * paragraph separators, direction marks, and lone surrogates.
 */
const UNSAFE_REGEXP =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

/**
 * Quotes a text that the product did not write, for a message or a terminal: bounded, on one line,
 * and without characters that act.
 *
 * @param text Any text.
 * @param maxChars Longest text that is kept whole.
 */
export function quoted(text: string, maxChars: number = 80): string {
  const kept = text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  const escaped = kept
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replace(UNSAFE_REGEXP, escapeCharacter);
  return `"${escaped}"`;
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
