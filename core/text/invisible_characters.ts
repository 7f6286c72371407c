/**
 * Scripts whose words need joiners: U+200C and U+200D change how their letters are drawn.
 */
const JOINING_SCRIPTS = [
  "Arab",
  "Syrc",
  "Nkoo",
  "Mong",
  "Deva",
  "Beng",
  "Guru",
  "Gujr",
  "Orya",
  "Taml",
  "Telu",
  "Knda",
  "Mlym",
  "Sinh",
  "Khmr",
  "Mymr",
  "Tibt",
].map((script) => `\\p{scx=${script}}`).join("");

/** Invisible characters that do their work where they stand, and hide nothing. Each looks back one. */
const WORKING = [
  // Parts of one emoji.
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
  `(?<=[${JOINING_SCRIPTS}])[\\u200c\\u200d]`,
  // Forms of the character before them.
  "(?<=\\p{Emoji})[\\ufe0e\\ufe0f]",
  "(?<=[\\p{Ideographic}\\p{Sm}])[\\ufe00-\\ufe02]",
  "(?<=\\p{Ideographic})[\\u{e0100}-\\u{e01ef}]",
  "(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]",
].join("|");

/**
 * Everything that is not drawn, turns the direction of what stands beside it, or breaks a line
 * without being a line end; and halves of a surrogate pair.
 */
const HIDDEN = "[\\p{Default_Ignorable_Code_Point}\\p{Surrogate}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb]";

/** Most texts hold nothing else, and are not looked at any closer. */
const ABOVE_ASCII_REGEXP = /[\u0080-\uffff]/;

/**
 * Replaces every character that a reader cannot see, or that makes a text read otherwise than it
 * stands there: direction marks, zero-width characters, tags, selectors, fillers. Those that an
 * emoji or a word of its script needs stay, and so does every letter.
 *
 * @param text Any text.
 * @param show What takes the place of one such character.
 */
export function replaceInvisible(text: string, show: (character: string) => string): string {
  if (!ABOVE_ASCII_REGEXP.test(text)) return text;
  const pattern = new RegExp(`(${WORKING})|${HIDDEN}`, "gu");
  return text.replace(
    pattern,
    (character, working?: string) => working === undefined ? show(character) : character,
  );
}

/**
 * A character as an escape, `\u202e` or `\u{e0041}`.
 *
 * @param character One character.
 */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
