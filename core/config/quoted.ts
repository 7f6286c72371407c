import { escapeCharacter, replaceInvisible } from "../text/invisible_characters.ts";

// deno-lint-ignore no-control-regex -- what steers a terminal
const CONTROL_REGEXP = /[\u0000-\u001f\u007f-\u009f]/g;

/**
 * Quotes a text that the product did not write, for a message or a terminal: bounded, on one line,
 * and without characters that act or cannot be seen.
 *
 * @param text Any text.
 * @param maxChars Longest text that is kept whole.
 */
export function quoted(text: string, maxChars: number = 80): string {
  const kept = text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  const escaped = kept
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replace(CONTROL_REGEXP, escapeControl);
  return `"${replaceInvisible(escaped, escapeCharacter)}"`;
}

function escapeControl(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return escapeCharacter(character);
}
