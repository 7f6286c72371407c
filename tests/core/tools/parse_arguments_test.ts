import assert from "node:assert/strict";
import { parseArguments, replayableArguments } from "../../../core/tools/parse_arguments.ts";

Deno.test("parseArguments() takes an object and no text, and guesses nothing", () => {
  assert.deepEqual(parseArguments('{"path":"a"}'), {
    ok: true,
    input: { path: "a" },
    text: '{"path":"a"}',
  });
  assert.deepEqual(parseArguments(""), { ok: true, input: {}, text: "{}" }, "field case 9");
  assert.deepEqual(parseArguments(" \n"), { ok: true, input: {}, text: "{}" });
});

Deno.test("parseArguments() names the expected object for any other JSON (field case 10)", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["[]", /must be a JSON object.*an array/],
    ['"src"', /must be a JSON object.*a string/],
    ["7", /must be a JSON object.*a number/],
    ["null", /must be a JSON object.*null/],
    ["true", /must be a JSON object.*a boolean/],
  ];
  for (const [text, reason] of rows) {
    const parsed = parseArguments(text);
    assert.ok(!parsed.ok);
    assert.match(parsed.reason, reason);
    assert.equal(replayableArguments(text), "{}", "the replayed history holds an object");
  }
});

Deno.test("parseArguments() takes half a text for a cut call (field case 13)", () => {
  const parsed = parseArguments('{"path":"a.ts","content":"const x');
  assert.ok(!parsed.ok);
  assert.match(parsed.reason, /cut off/);
  assert.equal(replayableArguments('{"path":"a'), "{}");
});
