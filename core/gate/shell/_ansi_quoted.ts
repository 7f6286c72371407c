const PLAIN_REGEXP = /[^'\\]+/y;
const ESCAPE_REGEXP =
  /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([abeEfnrtv\\'"?]))/y;

const LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/**
 * The text that bash reads between `$'` and `'`, or null when it is not closed or not certain.
 * Bytes outside ASCII become the replacement character: no program or option has one.
 *
 * @param text The text around it.
 * @param start Behind the opening quote.
 */
export function decodeAnsiQuoted(
  text: string,
  start: number,
): { readonly text: string; readonly end: number } | null {
  let decoded = "";
  let index = start;
  while (text.charAt(index) !== "'") {
    const pattern = text.charAt(index) === "\\" ? ESCAPE_REGEXP : PLAIN_REGEXP;
    pattern.lastIndex = index;
    const found = pattern.exec(text);
    if (found === null) return null;
    index += found[0].length;
    const character = pattern === PLAIN_REGEXP ? found[0] : decodeEscape(found);
    // Bash drops what follows a NUL; nobody writes one for a good reason.
    if (character === null) return null;
    decoded += character;
  }
  return { text: decoded, end: index + 1 };
}

function decodeEscape(found: RegExpExecArray): string | null {
  const [, octal, hex, short, long, letter] = found;
  if (letter !== undefined) return LETTERS[letter] ?? letter;
  const isByte = octal !== undefined || hex !== undefined;
  const code = octal !== undefined ? parseInt(octal, 8) : parseInt(hex ?? short ?? long ?? "", 16);
  if (isByte && (code & 0xff) === 0) return null;
  if (isByte) return code > 0x7f ? byteCharacter(code) : String.fromCharCode(code);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
  return String.fromCodePoint(code);
}

/** Bash keeps the low eight bits of an octal escape. */
function byteCharacter(code: number): string {
  const byte = code & 0xff;
  return byte > 0x7f ? "\ufffd" : String.fromCharCode(byte);
}
