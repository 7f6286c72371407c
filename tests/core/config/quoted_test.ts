import { equal } from "node:assert/strict";
import { quoted } from "../../../core/config/quoted.ts";

const ROWS: readonly (readonly [string, string])[] = [
  ["plain", '"plain"'],
  ["ñandú 😀", '"ñandú 😀"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ["line\nnext\t", '"line\\nnext\\t"'],
  ["\x1b]0;title\x07", '"\\u001b]0;title\\u0007"'],
  ["\u009b31m", '"\\u009b31m"'],
  ["a\u202eb", '"a\\u202eb"'],
  ["\ud800", '"\\ud800"'],
  ["a\u{e0041}\u206ab", '"a\\u{e0041}\\u206ab"'],
  ["👩\u200d💻 a\u200db", '"👩\u200d💻 a\\u200db"'],
];

for (const [text, expected] of ROWS) {
  Deno.test(`quoted() writes ${expected}, so that a terminal only shows it (field case 155)`, () => {
    equal(quoted(text), expected);
  });
}

Deno.test("quoted() cuts a long text", () => {
  equal(quoted("a".repeat(100), 10), `"${"a".repeat(10)}…"`);
});
