import assert from "node:assert/strict";
import { asciiText, safeLine, safeOutput, safeText } from "../../../tui/text/safe_text.ts";

const ROWS: readonly (readonly [text: string, shown: string])[] = [
  ["plain é 漢 👩‍💻", "plain é 漢 👩‍💻"],
  ["\x1b]0;x\x07", "\\x1b]0;x\\x07"],
  ["\x9b31m", "\\u009b31m"],
  ["a\r\nb\rc", "a\nb\\x0dc"],
  ["\u202eabc\u2066", "\\u202eabc\\u2066"],
  ["a\u200bb\ufeff", "a\\u200bb\\ufeff"],
  ["\u3164\u115f", "\\u3164\\u115f"],
  ["▞▞ Allow", "\\u259e\\u259e Allow"],
  ["a\tb\tcdef\tg", "a   b   cdef    g"],
  ["漢\tb\n\tc", "漢  b\n    c"],
];

for (const [text, shown] of ROWS) {
  Deno.test(`safeText() shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () => {
    assert.equal(safeText(text), shown);
  });
}

Deno.test("safeOutput() drops colours and nothing else", () => {
  assert.equal(safeOutput("\x1b[1;31mred\x1b[0m\x1b[K \x1b[2J"), "red \\x1b[2J");
});

Deno.test("safeLine() makes one line", () => {
  assert.equal(safeLine("  a\n\n b\tc\r\n\x07 "), "a b c \\x07");
});

Deno.test("asciiText() keeps what has a likeness and the width of what has none", () => {
  assert.equal(asciiText("“a” – b… → 漢é 👍"), '"a" - b... -> ??? ??');
});
