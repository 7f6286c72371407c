import assert from "node:assert/strict";
import {
  characterStart,
  cutMiddle,
  decodeBytes,
  keepEnd,
  keepStart,
  nextCharacterStart,
  printableName,
  utf8Length,
  visibleLines,
  visibleName,
  visibleOutput,
  visibleText,
} from "../../../core/process/visible_text.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("visibleOutput() shows what is not text and drops colours (field cases 92, 155)", () => {
  const rows: readonly (readonly [string, readonly number[] | string, string])[] = [
    ["plain text", "a\tb\r\nc\n", "a\tb\r\nc\n"],
    ["characters of every length", "aé€😀", "aé€😀"],
    ["colour and erase-line sequences", "\x1b[1;31mred\x1b[0m\x1b[K end", "red end"],
    ["colon colour", "\x1b[38:5:1mx\x1b[m", "x"],
    ["cursor move", "\x1b[2Jx", "\\x1b[2Jx"],
    ["window title", "\x1b]0;evil\x07", "\\x1b]0;evil\\x07"],
    ["clipboard", "\x1b]52;c;AA==\x1b\\", "\\x1b]52;c;AA==\\x1b\\"],
    ["unfinished sequence", "x\x1b[3", "x\\x1b[3"],
    ["8-bit control as a character", "\u009b2J", "\\u009b2J"],
    ["8-bit control as a byte", [0x9b, 0x32, 0x4a], "\\x9b2J"],
    ["text that has such bytes inside", "ě Ж", "ě Ж"],
    ["NUL, bell, backspace, delete", "a\0b\x07c\x08d\x7f", "a\\x00b\\x07c\\x08d\\x7f"],
    ["byte order mark", "\ufeffx", "\ufeffx"],
    ["invalid bytes", [0x61, 0xff, 0xfe, 0x62], "a\\xff\\xfeb"],
    ["cut sequence", [0x61, 0xe2, 0x82], "a\\xe2\\x82"],
    ["cut sequence before text", [0xe2, 0x82, 0x61], "\\xe2\\x82a"],
    ["overlong form", [0xc0, 0xaf], "\\xc0\\xaf"],
    ["overlong form of three", [0xe0, 0x80, 0xaf], "\\xe0\\x80\\xaf"],
    ["surrogate", [0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"],
    ["above U+10FFFF", [0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"],
    ["latin-1", [0x63, 0x61, 0x66, 0xe9, 0x21], "caf\\xe9!"],
    ["a mark that was really sent", [0xff, 0xef, 0xbf, 0xbd], "\\xff\ufffd"],
    ["nothing", [], ""],
  ];
  for (const [name, input, expected] of rows) {
    const bytes = typeof input === "string" ? encode(input) : Uint8Array.from(input);
    assert.equal(visibleOutput(bytes), expected, name);
  }
});

Deno.test("visibleLines() lets no text cover what stands before it (field case 155)", () => {
  assert.equal(visibleLines("rm -rf /\rls -l   \r\nnext\r"), "rm -rf /\\x0dls -l   \r\nnext\\x0d");
  assert.equal(visibleLines("a\tb\x1b\n"), "a\tb\\x1b\n");
});

Deno.test("visibleLines() and visibleName() show what is not drawn, to people alone (field case 155)", () => {
  const text = "a\u202eb\u200b\ufeff\u2028\u{e0041}👩\u200d💻 שלום";
  const shown = "a\\u202eb\\u200b\\ufeff\\u2028\\u{e0041}👩\u200d💻 שלום";
  assert.equal(visibleLines(text), shown);
  assert.equal(visibleName(text), shown);
  // A model has to see what is there, and to give a name back.
  for (const forModel of [visibleText, printableName]) assert.equal(forModel(text), text);
  assert.equal(visibleOutput(encode(text)), text);
});

Deno.test("printableName() keeps a name on one line", () => {
  assert.equal(printableName("new\nline\x1b[2J"), "new\\x0aline\\x1b[2J");
});

Deno.test("decodeBytes() agrees with a strict decoder on every sequence of two bytes", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 256; second++) {
      // The last byte is never valid, so that the slow way is taken.
      const bytes = Uint8Array.of(first, second, 0xff);
      let expected: string | null = null;
      try {
        expected = strict.decode(bytes.subarray(0, 2)) + "\\xff";
      } catch {
        // Not UTF-8: something must be escaped beside the last byte.
      }
      const decoded = decodeBytes(bytes);
      if (expected !== null) assert.equal(decoded, expected);
      else assert.match(decoded, /\\x[0-9a-f]{2}.*\\xff$/s);
      assert.ok(!decoded.includes("\ufffd"));
    }
  }
});

Deno.test("visibleName() keeps a name on one line", () => {
  assert.equal(visibleName("a b"), "a b");
  assert.equal(visibleName("new\nline\ttab\x1b[2J"), "new\\x0aline\\x09tab\\x1b[2J");
});

Deno.test("keepStart() and keepEnd() split no character at any offset (field case 92)", () => {
  const text = "aé€😀b";
  for (let maxBytes = 0; maxBytes <= utf8Length(text) + 1; maxBytes++) {
    const start = keepStart(text, maxBytes);
    const end = keepEnd(text, maxBytes);
    assert.ok(text.startsWith(start), `start of ${maxBytes}`);
    assert.ok(text.endsWith(end), `end of ${maxBytes}`);
    for (const kept of [start, end]) {
      assert.ok(utf8Length(kept) <= maxBytes);
      assert.ok(utf8Length(kept) > maxBytes - 4 || kept === text);
    }
  }
});

Deno.test("characterStart() and nextCharacterStart() find the ends of a split character", () => {
  const bytes = encode("a€b");
  const rows = [[0, 0, 0], [1, 1, 1], [2, 1, 4], [3, 1, 4], [4, 4, 4], [5, 5, 5]] as const;
  for (const [index, end, start] of rows) {
    assert.equal(characterStart(bytes, index), end, `end at ${index}`);
    assert.equal(nextCharacterStart(bytes, index), start, `start at ${index}`);
  }
  assert.equal(characterStart(encode("a€").subarray(0, 3), 3), 1, "the text ends inside it");
});

Deno.test("cutMiddle() keeps both ends and says so", () => {
  const note = (head: number, tail: number) => `<${head},${tail}>`;
  assert.equal(cutMiddle("0123456789", 10, note), "0123456789");
  assert.equal(cutMiddle("0123456789", 5, note), "012<3,2>89");
  assert.equal(cutMiddle("€€€€", 7, note), "€<3,3>€");
});
