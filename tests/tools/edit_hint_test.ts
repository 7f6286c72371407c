import { match } from "node:assert/strict";
import { explainNoMatch } from "../../tools/_edit_hint.ts";

const TEXT = 'function main() {\n\tconst answer = 42;\n\treturn "answer";\n}\n';

const ROWS: readonly (readonly [string, RegExp])[] = [
  ["1: function main() {\n2: \tconst answer = 42;", /numbers that read_file shows/],
  ["    const answer = 42;", /^line 2 on differs only in white space/],
  ["const answer = 42;\r\nreturn “answer”;", /^line 2 on differs only in white space/],
  ["const answer = 43;", /^the nearest line is 2: "const answer = 42;"$/],
  ["something else entirely", /^no line is like it/],
  ["\n\n\n\n\n", /^no line is like it/],
];

for (const [oldText, expected] of ROWS) {
  Deno.test(`explainNoMatch() explains ${JSON.stringify(oldText)}`, () => {
    match(explainNoMatch(TEXT, oldText), expected);
  });
}

Deno.test("explainNoMatch() quotes no more than the start of a long line", () => {
  const line = `const text = "${"x".repeat(5_000)}";`;
  match(
    explainNoMatch(line, line.replace("const", "final")),
    /^the nearest line is 1: ".{100,140}…"$/,
  );
});
