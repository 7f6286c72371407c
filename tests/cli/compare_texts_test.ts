import assert from "node:assert/strict";
import { compareTexts } from "../../cli/compare_texts.ts";

const ROWS: readonly (readonly [string, string, string, readonly string[]])[] = [
  ["nothing where only ends of lines differ", "a\nb", "a\r\nb\n", []],
  ["a changed line", "a\nb\nc", "a\nB\nc", ["@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]],
  ["an added line", "a", "a\nb", ["@@ -1,1 +1,2 @@", " a", "+b"]],
  ["lines that look like headers", "--- x", "+++ x", ["@@ -1,1 +1,1 @@", "---- x", "++++ x"]],
];

for (const [name, before, after, expected] of ROWS) {
  Deno.test(`compareTexts() shows ${name}`, async () => {
    assert.deepEqual(await compareTexts(before, after), expected);
  });
}

Deno.test("compareTexts() shows two texts whole that share nothing", async () => {
  const lines = (mark: string) =>
    Array.from({ length: 5_000 }, (_, index) => `${mark}${index}`).join("\n");
  const shown = await compareTexts(lines("a"), lines("b"));
  assert.deepEqual([shown.length, shown[1], shown[5_001]], [10_001, "-a0", "+b0"]);
});
