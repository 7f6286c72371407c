import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { applyEdit, type EditOutcome } from "../../../core/files/apply_edit.ts";
import { detectTextForm, encodeText } from "../../../core/files/text_encoding.ts";

/** One character for each byte. */
function edit(file: string, oldText: string, newText: string): EditOutcome | string {
  const bytes = Uint8Array.from(file, (character) => character.charCodeAt(0));
  const form = detectTextForm(bytes);
  if (form.kind === "binary") throw new TypeError(`Row is binary: ${form.type}`);
  const outcome = applyEdit(bytes, form, { oldText, newText });
  return outcome.kind === "edited" ? String.fromCharCode(...outcome.bytes) : outcome;
}

interface Row {
  readonly name: string;
  readonly file: string;
  readonly oldText: string;
  readonly newText: string;
  readonly result: EditOutcome | string;
}

const ROWS: readonly Row[] = [
  { name: "one word", file: "a b c", oldText: "b", newText: "x", result: "a x c" },
  { name: "by nothing", file: "a b c", oldText: " b", newText: "", result: "a c" },
  { name: "a missing text", file: "a", oldText: "b", newText: "c", result: { kind: "no_match" } },
  {
    name: "a repeated text",
    file: "x\ny\nx\n",
    oldText: "x",
    newText: "z",
    result: { kind: "several_matches", count: 2, lines: [1, 3] },
  },
  {
    name: "an overlapping text",
    file: "aaa",
    oldText: "aa",
    newText: "b",
    result: { kind: "several_matches", count: 2, lines: [1, 1] },
  },
  {
    name: "LF text in a CRLF file (field case 59)",
    file: "one\r\ntwo\r\nthree\r\nfour\r\n",
    oldText: "two\nthree",
    newText: "TWO\nnew\nthree",
    result: "one\r\nTWO\r\nnew\r\nthree\r\nfour\r\n",
  },
  {
    name: "CRLF text in an LF file (field case 59)",
    file: "one\ntwo\nthree\n",
    oldText: "one\r\ntwo",
    newText: "ONE\ntwo",
    result: "ONE\ntwo\nthree\n",
  },
  {
    name: "only touched lines of a mixed file (field case 59)",
    file: "a\r\nb\nc\r\nd\n",
    oldText: "a\nb\nc\nd\n",
    newText: "a\nb\nC\nd\n",
    result: "a\r\nb\nC\r\nd\n",
  },
  {
    name: "lines by the line ends beside them (field case 59)",
    file: "a\nb\r\nc\r\n",
    oldText: "b\n",
    newText: "b1\nb2\n",
    result: "a\nb1\r\nb2\r\nc\r\n",
  },
  {
    name: "with explicit CRLF as given",
    file: "a\nb\n",
    oldText: "b",
    newText: "b\r\nc",
    result: "a\nb\r\nc\n",
  },
  { name: "a deleted CRLF", file: "a\r\nb\r\n", oldText: "a\nb", newText: "ab", result: "ab\r\n" },
  { name: "half of a CRLF", file: "a\r\nb", oldText: "a\r", newText: "c", result: "c\nb" },
  {
    name: "the last line without a final newline (field case 65)",
    file: "a\nb",
    oldText: "b",
    newText: "c",
    result: "a\nc",
  },
  {
    name: "the last line and its newline (field case 65)",
    file: "a\nb\n",
    oldText: "b\n",
    newText: "c",
    result: "a\nc",
  },
  {
    name: "beside a NUL (field case 51)",
    file: 'const a = "\0";\nconst b = 1;\n',
    oldText: "b = 1",
    newText: "b = 2",
    result: 'const a = "\0";\nconst b = 2;\n',
  },
  {
    name: "below a byte-order mark (field case 53, field case 61)",
    file: "\xef\xbb\xbffirst\ncaf\xc3\xa9\n",
    oldText: "first",
    newText: "1st",
    result: "\xef\xbb\xbf1st\ncaf\xc3\xa9\n",
  },
  {
    name: "a copied byte-order mark (field case 53)",
    file: "\xef\xbb\xbffirst\n",
    oldText: "\ufefffirst",
    newText: "\ufeff1st",
    result: "\xef\xbb\xbf1st\n",
  },
  {
    name: "non-ASCII text in UTF-8",
    file: "caf\xc3\xa9\n",
    oldText: "é",
    newText: "è",
    result: "caf\xc3\xa8\n",
  },
  {
    name: "ASCII in Latin-1 (field case 62)",
    file: "caf\xe9 au lait\n",
    oldText: "lait",
    newText: "the",
    result: "caf\xe9 au the\n",
  },
  {
    name: "ASCII in GBK (field case 62)",
    file: "name = \xd6\xd0\xce\xc4;\n",
    oldText: "name",
    newText: "title",
    result: "title = \xd6\xd0\xce\xc4;\n",
  },
  {
    name: "ASCII in cut UTF-8 (field case 62)",
    file: "word \xe6\xbc",
    oldText: "word",
    newText: "text",
    result: "text \xe6\xbc",
  },
  {
    name: "non-ASCII in an unknown encoding (field case 62)",
    file: "caf\xe9\n",
    oldText: "caf",
    newText: "café",
    result: { kind: "not_ascii" },
  },
  {
    // The letter is the second half of a Shift-JIS character.
    name: "half of a character (field case 62)",
    file: "\x83A;\xff",
    oldText: "A;",
    newText: "B;",
    result: { kind: "inside_character" },
  },
  {
    name: "a space after a character (field case 62)",
    file: "\x83A\xe9 x;\xff",
    oldText: " x",
    newText: " y",
    result: "\x83A\xe9 y;\xff",
  },
];

for (const { name, file, oldText, newText, result } of ROWS) {
  Deno.test(`applyEdit() replaces ${name}`, () => {
    deepStrictEqual(edit(file, oldText, newText), result);
  });
}

Deno.test("applyEdit() inserts dollar sequences verbatim (field case 64)", () => {
  const newText = "$$ $& $` $' $1 $<x>";
  strictEqual(edit("before MARK after", "MARK", newText), `before ${newText} after`);
});

for (const encoding of ["utf-16le", "utf-16be"] as const) {
  Deno.test(`applyEdit() keeps every other byte of ${encoding}`, () => {
    const form = { kind: "text", encoding, bomBytes: 2 } as const;
    const tail = [0xd8, 0x00, 0x41];
    const file = Uint8Array.from([...encodeText("één 漢\r\ntwee\r\n", form), ...tail]);
    const outcome = applyEdit(file, form, { oldText: "漢\ntwee", newText: "字\ndrie" });
    const expected = Uint8Array.from([...encodeText("één 字\r\ndrie\r\n", form), ...tail]);
    deepStrictEqual(outcome, { kind: "edited", bytes: expected });
    // The bytes of this text occur, but at an odd place.
    const odd = encoding === "utf-16le" ? "\u0a00" : "\u0d00";
    deepStrictEqual(applyEdit(file, form, { oldText: odd, newText: "x" }), { kind: "no_match" });
  });
}

Deno.test("applyEdit() handles a megabyte of CRLF lines in bounded time", () => {
  const lines = Array.from({ length: 80_000 }, (_, index) => `line ${index}`);
  const file = new TextEncoder().encode(lines.join("\r\n"));
  const form = { kind: "text", encoding: "utf-8", bomBytes: 0 } as const;
  const startedAt = performance.now();
  const edit = { oldText: "line 79998\nline 79999", newText: "end" };
  const outcome = applyEdit(file, form, edit);
  strictEqual(outcome.kind, "edited");
  strictEqual(performance.now() - startedAt < 5_000, true);
});
