import assert from "node:assert/strict";
import { Highlighter } from "../../../tui/markdown/highlighter.ts";
import { findLanguage, LANGUAGES } from "../../../tui/markdown/languages.ts";
import { textOfLine } from "../../../tui/text/span.ts";

/** Names, and the grammar that they mean. */
const NAMES: readonly (readonly [name: string, language: string | undefined])[] = [
  ["ts", "typescript"],
  ["TSX", "typescript"],
  ["jsx", "javascript"],
  ["sh", "bash"],
  ["yml", "yaml"],
  ["html", "xml"],
  ["md", "markdown"],
  ["toml", "ini"],
  ["c++", "cpp"],
  ["h", "c"],
  ["rs", "rust"],
  ["ts {1,3}", "typescript"],
  ["js title=x", "javascript"],
  ["", undefined],
  ["klingon", undefined],
  ["constructor", undefined],
  ["__proto__", undefined],
];

for (const [name, language] of NAMES) {
  Deno.test(`findLanguage() takes "${name}" for ${language ?? "plain text"}`, () => {
    assert.equal(findLanguage(name), language);
  });
}

Deno.test("Highlighter colours every language, and changes no character of it", async () => {
  const code = 'if (a < 1 && b > "x") { return `y`; } # <b> &amp; 漢字\n\n+ added // end';
  const highlighter = new Highlighter(() => {});
  for (const language of Object.keys(LANGUAGES)) {
    assert.ok(highlighter.lines(code, language).every((line) => line.every(isPlain)));
  }
  await highlighter.loaded();
  const plain: string[] = [];
  for (const language of Object.keys(LANGUAGES)) {
    const lines = highlighter.lines(code, language);
    assert.equal(lines.map(textOfLine).join("\n"), code);
    if (lines.every((line) => line.every(isPlain))) plain.push(language);
  }
  assert.deepEqual(plain, []);
});

Deno.test("Highlighter knows what is a keyword, a text and a comment", async () => {
  let calls = 0;
  const highlighter = new Highlighter(() => {
    calls += 1;
  });
  highlighter.lines("", "ts");
  await highlighter.loaded();
  assert.equal(calls, 1);
  assert.deepEqual(highlighter.lines('const a = "b"; // c', "ts"), [[
    { text: "const", role: "keyword" },
    { text: " a = ", role: "code" },
    { text: '"b"', role: "string" },
    { text: "; ", role: "code" },
    { text: "// c", role: "comment" },
  ]]);
});

Deno.test("Highlighter shows plainly what is too long, and what nobody knows", async () => {
  const highlighter = new Highlighter(() => {});
  highlighter.lines("", "ts");
  await highlighter.loaded();
  const long = `const a = "${"x".repeat(3_000)}";`;
  assert.deepEqual(highlighter.lines(long, "ts"), [[{ text: long, role: "code" }]]);
  const many = "const a = 1;\n".repeat(6_000);
  assert.ok(highlighter.lines(many, "ts").every((line) => line.every(isPlain)));
  assert.deepEqual(highlighter.lines("a", "klingon"), [[{ text: "a", role: "code" }]]);
});

function isPlain({ role }: { readonly role?: string }): boolean {
  return role === "code";
}
