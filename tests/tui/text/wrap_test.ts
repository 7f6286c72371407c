import assert from "node:assert/strict";
import { cellsOf } from "../../../tui/text/cells.ts";
import { clipText } from "../../../tui/text/clip_text.ts";
import { type Line, lineOf, span, textOfLine } from "../../../tui/text/span.ts";
import { cellsOfLine, clipLine, wrapAnywhere, wrapWords } from "../../../tui/text/wrap.ts";

/** Texts, and the rows of them. */
const WORDS: readonly (readonly [text: string, width: number, rows: readonly string[]])[] = [
  ["", 10, [""]],
  ["one two three", 7, ["one two", "three"]],
  ["one  two", 5, ["one", "two"]],
  ["  one two", 6, ["  one", "two"]],
  ["abcdefghij kl", 4, ["abcd", "efgh", "ij", "kl"]],
  ["a abcdefgh", 4, ["a", "abcd", "efgh"]],
  ["漢字かな交じり", 5, ["漢字", "かな", "交じ", "り"]],
  ["ab漢字", 5, ["ab漢", "字"]],
  ["👨‍👩‍👧 ok", 6, ["👨‍👩‍👧", "ok"]],
  ["a b c", 1, ["a", "b", "c"]],
  ["漢", 1, ["?"]],
  ["    ", 2, [""]],
];

for (const [text, width, rows] of WORDS) {
  Deno.test(`wrapWords() breaks ${JSON.stringify(text)} at ${width}`, () => {
    assert.deepEqual(wrapWords(lineOf(text), width).map(textOfLine), rows);
  });
}

Deno.test("wrapWords() keeps a word together that changes its looks", () => {
  const line: Line = [span("one "), { text: "bo", bold: true }, span("ld,"), span(" two")];
  assert.deepEqual(wrapWords(line, 8).map(textOfLine), ["one", "bold,", "two"]);
  assert.deepEqual(wrapWords(line, 8)[1], [{ text: "bo", bold: true }, { text: "ld," }]);
});

const ANYWHERE: readonly (readonly [text: string, width: number, rows: readonly string[]])[] = [
  ["a b  c", 2, ["a ", "b ", " c"]],
  ["abcd", 4, ["abcd"]],
  ["漢字a", 3, ["漢", "字a"]],
  ["e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
  ["漢字", 1, ["?", "?"]],
];

for (const [text, width, rows] of ANYWHERE) {
  Deno.test(`wrapAnywhere() breaks ${JSON.stringify(text)} at ${width}`, () => {
    assert.deepEqual(wrapAnywhere(lineOf(text), width).map(textOfLine), rows);
  });
}

Deno.test("wrapAnywhere() loses nothing, at each width", () => {
  const line: Line = [span("plain "), span("漢字 mixed é", "code"), span("👩🏽‍💻 🇪🇸 end")];
  for (let width = 8; width < 60; width++) {
    const rows = wrapAnywhere(line, width);
    assert.equal(rows.map(textOfLine).join(""), textOfLine(line));
    for (const row of rows) assert.ok(cellsOfLine(row) <= width);
  }
});

const CLIPS: readonly (readonly [text: string, width: number, shown: string])[] = [
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["漢字漢字", 5, "漢字…"],
  ["漢字漢字", 4, "漢…"],
  ["abc", 1, "a"],
  ["abc", 0, ""],
];

for (const [text, width, shown] of CLIPS) {
  Deno.test(`clipText() shows ${text} at ${width} as "${shown}"`, () => {
    assert.equal(clipText(text, width), shown);
  });
}

Deno.test("clipLine() looks at no more of a long line than it shows", () => {
  const startedAt = performance.now();
  assert.equal(textOfLine(clipLine(lineOf("é".repeat(2_000_000)), 3)), "ééé");
  assert.ok(performance.now() - startedAt < 2_000);
});

/** Characters, and the cells that they take at most. */
const CELLS: readonly (readonly [text: string, cells: number])[] = [
  ["abc", 3],
  ["漢字", 4],
  ["e\u0301", 1],
  ["👩🏽‍💻", 6],
  ["❤️", 2],
  ["\u0301", 0],
  ["한", 2],
  ["שלום", 4],
];

for (const [text, cells] of CELLS) {
  Deno.test(`cellsOf() counts ${cells} for ${text}`, () => {
    assert.equal(cellsOf(text), cells);
  });
}
