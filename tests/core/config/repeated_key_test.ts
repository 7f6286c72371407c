import assert from "node:assert/strict";
import { findRepeatedKey } from "../../../core/config/repeated_key.ts";

const ROWS: readonly (readonly [string, { readonly key: string; readonly line: number } | null])[] =
  [
    ["{}", null],
    ['[1, 2, "a", "a"]', null],
    ['"a"', null],
    ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', null],
    ['{"a": "a", "b": "a"}', null],
    ['{"a": "\\", \\"a\\": 1", "b": ["}", "{"]}', null],
    ['{"a": 1, "A": 2}', null],
    ['{"a": 1,\n "a": 1}', { key: "a", line: 2 }],
    ['{"a": {}, "b": [0, {"c": 1,\r\n"c": 2}]}', { key: "b[1].c", line: 2 }],
    ['{"level": 1, "le\\u0076el": 2}', { key: "level", line: 1 }],
    ['{"__proto__": {}, "__proto__": {}}', { key: "__proto__", line: 1 }],
    ['{"": 1, "": 2}', { key: "", line: 1 }],
    ['{"a": {"b": [1, [2, "x,y"]]}, "c": true, "a": null}', { key: "a", line: 1 }],
    ['{"\\u001b[2J": 1, "\\u001b[2J": 2}', { key: "\\u001b[2J", line: 1 }],
  ];

for (const [text, expected] of ROWS) {
  Deno.test(`findRepeatedKey() answers ${JSON.stringify(expected)} for ${text}`, () => {
    JSON.parse(text);
    assert.deepEqual(findRepeatedKey(text), expected);
  });
}

Deno.test("findRepeatedKey() reads a large file in linear time", () => {
  const entries = Array.from({ length: 60_000 }, (_, index) => `"key${index}": [${index}, "x"]`);
  assert.equal(findRepeatedKey(`{${entries.join(",")}}`), null);
  assert.equal(findRepeatedKey(`{${[...entries, '"key7": 1'].join(",")}}`)?.key, "key7");
});
