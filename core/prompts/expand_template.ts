const PLACEHOLDER_REGEXP = /\$(?:ARGUMENTS|([1-9]))/g;

/**
 * Puts arguments into a template. Pure; what an argument holds is never expanded again.
 *
 * `$ARGUMENTS` is all of them, `$1` to `$9` are single ones. Where the template has no placeholder,
 * they follow it after a blank line.
 *
 * @param body The template.
 * @param args What the person wrote after its name.
 */
export function expandTemplate(body: string, args: string): string {
  const whole = args.trim();
  if (body.search(PLACEHOLDER_REGEXP) < 0) return whole === "" ? body : `${body}\n\n${whole}`;
  const words = splitArguments(whole);
  return body.replace(
    PLACEHOLDER_REGEXP,
    (_match, digit: string | undefined) =>
      digit === undefined ? whole : words[Number(digit) - 1] ?? "",
  );
}

/**
 * Splits arguments at white space; quotes, single or double, keep words together. A quote that is
 * never closed, such as an apostrophe, is a character like any other.
 *
 * @param text The arguments.
 */
export function splitArguments(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const end = character === '"' || character === "'" ? text.indexOf(character, at + 1) : -1;
    if (end >= 0) {
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  return word === null ? words : [...words, word];
}
