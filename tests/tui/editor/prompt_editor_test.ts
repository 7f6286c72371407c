import assert from "node:assert/strict";
import { withPromptEditor } from "../../support/prompt_editor_scene.ts";

const RULE_40 = "─".repeat(40);
const RULE_80 = "─".repeat(80);

/** What is typed, and the text afterwards, the cursor marked by `|`. */
const EDITS: readonly (readonly [name: string, bytes: readonly string[], text: string])[] = [
  ["typed text", ["héllo"], "héllo|"],
  ["a Kitty letter", ["\x1b[97u", "\x1b[97:65;2u"], "aA|"],
  ["Ctrl+J", ["a\n", "b"], "a\nb|"],
  ["Shift+Enter of Kitty", ["a\x1b[13;2u", "b"], "a\nb|"],
  ["Alt+Enter", ["a\x1b\r", "b"], "a\nb|"],
  ["a backslash before Enter", ["a\\", "\r", "b"], "a\nb|"],
  ["left and right", ["abc\x1b[D\x1b[D", "X\x1b[C", "Y"], "aXbY|c"],
  ["emoji with joiners as one", ["a👨‍👩‍👧b", "\x1b[D", "\x1b[D"], "a|👨‍👩‍👧b"],
  ["an emoji deleted whole", ["a👩🏽‍🚀", "\x7f"], "a|"],
  ["a flag deleted whole", ["🇪🇸x\x1b[D", "\x7f"], "|x"],
  ["a combining mark with its letter", ["ae\u0301", "\x7f"], "a|"],
  ["Hangul and wide characters", ["한글", "\x1b[D"], "한|글"],
  ["Home and End", ["ab cd\x1b[H", "X", "\x1b[F", "Y"], "Xab cdY|"],
  ["word moves", ["one two-three\x1bb", "X"], "one two-X|three"],
  ["word moves of Kitty", ["one two\x1b[1;5D", "X\x1b[1;5C", "Y"], "one XtwoY|"],
  ["Ctrl+W and yank", ["one two\x17", "x\x19"], "one xtwo|"],
  ["cuts in a row are one", ["one two\x17\x17", "\x19"], "one two|"],
  ["yank pop", ["one\x17", "two\x17", "\x19", "\x1by"], "one|"],
  ["Ctrl+U and Ctrl+K", ["abcd\x1b[D\x1b[D\x15", "\x0b", "\x19"], "abcd|"],
  ["Ctrl+K at a line end", ["a\nb\x1b[A", "\x05\x0b"], "a|b"],
  ["delete across lines", ["a\nb\x01", "\x7f"], "a|b"],
  ["undo of a word", ["one two", "\x1f"], "one|"],
  ["undo of everything", ["one two", "\x1f\x1f"], "|"],
  ["undo of a cut", ["one two\x15", "\x1f"], "one two|"],
  ["up and down keep the column", ["abcd\n\nefgh\x1b[D\x1b[A", "\x1b[A", "X"], "abcX|d\n\nefgh"],
  ["up from a wide line keeps the cell", ["abcdef\n한글\x1b[A", "X"], "abcdX|ef\n한글"],
  ["down at the end goes to the end", ["abc\x1b[H", "\x1b[B", "X"], "abcX|"],
  ["an unknown sequence is no text", ["a\x1b[99~", "\x1b[?1;2c", "b"], "ab|"],
  ["a lone control character is no text", ["a\x02\x01", "b"], "b|a"],
];

for (const [name, bytes, text] of EDITS) {
  Deno.test(`PromptEditor takes ${name}`, () =>
    withPromptEditor(async ({ type, editor, draw }) => {
      for (const each of bytes) await type(each);
      assert.equal(editor.text(), text.replace("|", ""));
      const rows = draw(80).split("\n").slice(1, -1).map((row) => row.slice(2));
      assert.equal(marked(rows.join("\n")), text);
    }));
}

/** `⟦x⟧` is a cursor before `x`, `⟦ ⟧` one at the end of a line. */
function marked(drawn: string): string {
  return drawn.replace(/⟦ ⟧(?=\n|$)/, "|").replace(/⟦(.+?)⟧/, "|$1");
}

Deno.test("PromptEditor draws wrapped, wide and hidden characters at 40 columns", () =>
  withPromptEditor(async ({ type, draw, editor }) => {
    await type("한글 テスト 👨‍👩‍👧 with words that go on to the next row");
    await type("\n");
    await type("\x1b[200~tab\there \u202eevil \x9b31m\x1b]0;title\x07 end\x1b[201~");
    assert.equal(
      draw(40),
      [
        RULE_40,
        "› 한글 テスト 👨‍👩‍👧 with words that go on",
        "  to the next row",
        "  tab    here \\u202eevil",
        "  \\u009b31m\\x1b]0;title\\x07 end⟦ ⟧",
        RULE_40,
      ].join("\n"),
    );
    assert.ok(editor.text().endsWith("tab\there \u202eevil \x9b31m\x1b]0;title\x07 end"));
  }));

Deno.test("PromptEditor is drawn at each width without a row that is too wide", () =>
  withPromptEditor(async ({ type, draw }) => {
    await type("\x1b[200~🇪🇸👩🏽‍🚀 한글한글 e\u0301 שלום עולם \u3164 ﷽ \tx\x1b[201~");
    await type(`\x1b[200~${"line\n".repeat(20)}\x1b[201~`);
    for (let width = 1; width <= 120; width++) draw(width);
  }));

Deno.test("PromptEditor scrolls a long text within its share of the window", () =>
  withPromptEditor(async ({ type, draw }) => {
    for (let line = 1; line <= 9; line++) await type(`line ${line}\n`);
    assert.equal(
      draw(40),
      [
        "── ↑ 3 more ────────────────────────────",
        ...[4, 5, 6, 7, 8, 9].map((line) => `  line ${line}`),
        "  ⟦ ⟧",
        RULE_40,
      ].join("\n"),
    );
    for (let line = 1; line <= 8; line++) await type("\x1b[A");
    assert.equal(draw(40).split("\n")[1], "  ⟦l⟧ine 2");
    assert.equal(draw(40).split("\n").at(-1), "── ↓ 2 more ────────────────────────────");
  }));

Deno.test("PromptEditor sends on Enter, trimmed, and is empty then", () =>
  withPromptEditor(async ({ type, draw, sent }) => {
    await type("  do it \r");
    assert.deepEqual(sent, [{ prompt: "do it" }]);
    assert.equal(draw(80), [RULE_80, "› ⟦ ⟧", RULE_80].join("\n"));
    await type("\r");
    assert.equal(sent.length, 1);
    await type("\x1f");
    assert.equal(draw(80), [RULE_80, "› ⟦ ⟧", RULE_80].join("\n"));
  }));
