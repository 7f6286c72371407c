import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { locateJsonError } from "../../../core/config/json_error.ts";

const ROWS: readonly (readonly [string, number, number, string])[] = [
  ['{"a": 1,}', 1, 9, 'a comma before "}" is not part of JSON'],
  ["[1, 2,]", 1, 7, 'a comma before "]" is not part of JSON'],
  ['{\n  "a" 1\n}', 2, 7, 'expected ":"'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'expected a comma or "}"'],
  ["{a: 1}", 1, 2, 'expected a name in double quotes or "}"'],
  ["{'a': 1}", 1, 2, "JSON quotes with double quotes only"],
  ['{"a": nope}', 1, 7, "expected a value"],
  ['{"a": NaN}', 1, 7, "expected a value"],
  ['{"a": 01}', 1, 7, "expected a value"],
  ['// note\n{"a": 1}', 1, 1, "comments are not part of JSON"],
  ['{"a": 1} // note', 1, 10, "comments are not part of JSON"],
  ['{"a": 1}}', 1, 9, "expected nothing more"],
  [
    '{"a": "x\ny"}',
    1,
    7,
    "this string is not closed on its line, or holds an unknown escape",
  ],
  ['{"a": "\\x"}', 1, 7, "this string is not closed on its line, or holds an unknown escape"],
  ['{"a": {"b": [1, 2', 1, 18, 'the text ends before a "]"'],
  ['{"a": 1,\r\n"b": 2', 2, 7, 'the text ends before a "}"'],
  ["", 1, 1, "the text ends before a value"],
];

for (const [text, line, column, reason] of ROWS) {
  Deno.test(`locateJsonError() names line ${line}, column ${column} of ${JSON.stringify(text)}`, () => {
    throws(() => JSON.parse(text), SyntaxError);
    deepEqual(locateJsonError(text), { line, column, reason });
  });
}

Deno.test("locateJsonError() agrees with JSON.parse on texts that differ in one character", () => {
  const valid = '{"a": [1, -2.5e3, "x\\u00e9", {"b": null}], "c": {"d": true}}';
  for (let index = 0; index < valid.length; index++) {
    for (const char of ["", ",", '"', "}", "]", ":", "x", "\\", "1"]) {
      const text = valid.slice(0, index) + char + valid.slice(index + 1);
      if (isJson(text)) continue;
      const { line, column } = locateJsonError(text);
      equal(line, 1);
      ok(column >= 1 && column <= text.length + 1, text);
      // What comes before the place can still be completed: the place is not too late.
      const runtime = offsetOf(text);
      if (runtime !== undefined) ok(column - 1 <= runtime + 1, `${text}: ${column} ${runtime}`);
    }
  }
});

Deno.test("locateJsonError() finds the end of deep and long texts", () => {
  deepEqual(locateJsonError("[".repeat(200_000)).column, 200_001);
  deepEqual(locateJsonError(`["${"x".repeat(1_000_000)}"`).column, 1_000_004);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function offsetOf(text: string): number | undefined {
  try {
    JSON.parse(text);
  } catch (error) {
    const found = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    return found === undefined ? undefined : Number(found);
  }
  return undefined;
}
