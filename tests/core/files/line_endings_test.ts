import { strictEqual } from "node:assert/strict";
import {
  detectLineEndings,
  lineEndingAt,
  type LineEndings,
  viewLineFeeds,
} from "../../../core/files/line_endings.ts";

const ROWS: readonly (readonly [string, LineEndings])[] = [
  ["", "none"],
  ["a", "none"],
  ["a\rb", "none"],
  ["a\nb", "lf"],
  ["\n", "lf"],
  ["a\r\nb\r\n", "crlf"],
  ["a\r\nb\n", "mixed"],
  ["\n\r\n", "mixed"],
];

for (const [text, endings] of ROWS) {
  Deno.test(`detectLineEndings() says ${endings} for ${JSON.stringify(text)}`, () => {
    strictEqual(detectLineEndings(text), endings);
  });
}

Deno.test("lineEndingAt() takes the end of the line, else of the one before", () => {
  const text = "a\nb\r\nc";
  const expected = ["\n", "\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n"];
  expected.forEach((ending, index) => strictEqual(lineEndingAt(text, index), ending));
  strictEqual(lineEndingAt("", 0), "\n");
});

Deno.test("viewLineFeeds() leads back from every index", () => {
  const original = "\r\na\r\r\n\nb\r\n";
  const view = viewLineFeeds(original);
  strictEqual(view.text, "\na\r\n\nb\n");
  const rebuilt = [...view.text].map((_, index) =>
    original.slice(view.originalIndex(index), view.originalIndex(index + 1))
  );
  strictEqual(rebuilt.join("|"), "\r\n|a|\r|\r\n|\n|b|\r\n");
});
