import assert from "node:assert/strict";
import { parseScript } from "../../../plugins/scripted/script.ts";
import { ROOT } from "../../support/paths.ts";

const TURN = { text: "hi" };

const BAD_SCRIPTS: readonly { readonly script: unknown; readonly message: RegExp }[] = [
  { script: [], message: /^the script must be an object$/ },
  { script: {}, message: /^the script must have "turns"$/ },
  { script: { turns: [] }, message: /^"turns" must have at least 1 item$/ },
  { script: { turns: {} }, message: /^"turns" must be a list$/ },
  { script: { turns: [TURN], extra: 1 }, message: /^"extra" is not known; known are turns, loop/ },
  { script: { turns: [TURN, { txt: "" }] }, message: /^"turns\[1\]\.txt" is not known/ },
  { script: { turns: [{ text: 1 }] }, message: /^"turns\[0\]\.text" must be a string$/ },
  {
    script: { turns: [{ calls: [{ name: "a" }] }] },
    message: /^"turns\[0\]\.calls\[0\]" must have "arguments"$/,
  },
  {
    script: { turns: [{ calls: [{ name: "a", arguments: [] }] }] },
    message: /^"turns\[0\]\.calls\[0\]\.arguments" must be an object or a string$/,
  },
  { script: { turns: [{ usage: { input: 1 } }] }, message: /usage" must have "output"$/ },
  { script: { turns: [{ usage: { input: -1, output: 1 } }] }, message: /whole number from 0$/ },
  { script: { turns: [{ delayMs: 1e9 }] }, message: /delayMs" must be at most 3600000$/ },
  {
    script: { turns: [{ error: { code: "oops", message: "m" } }] },
    message: /error\.code" must be one of "authentication", /,
  },
  { script: { turns: [{ expect: { tool: "x" } }] }, message: /expect\.tool" is not known/ },
  { script: { turns: [TURN], models: [{}] }, message: /^"models\[0\]" must have "id"$/ },
  { script: { turns: [{ toString: 1 }] }, message: /^"turns\[0\]\.toString" is not known/ },
];

Deno.test("parseScript() names the place of what is wrong", () => {
  for (const { script, message } of BAD_SCRIPTS) {
    assert.throws(() => parseScript(JSON.stringify(script)), (error: unknown) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("parseScript() rejects text that is not JSON", () => {
  assert.throws(() => parseScript('{"turns": [}'), SyntaxError);
});

Deno.test("parseScript() returns every field as it stands", () => {
  const script = {
    turns: [{
      text: "t",
      reasoning: "r",
      calls: [{ name: "a", arguments: "{", id: "1" }, { name: "b", arguments: { c: 1 } }],
      usage: { input: 1, output: 2, cachedInput: 1 },
      truncated: true,
      error: { code: "overloaded", message: "m", retryable: true, retryAfterMs: 5, times: 1 },
      delayMs: 0,
      expect: { lastToolIncludes: "x", toolIsError: true, promptIncludes: "y" },
    }],
    loop: false,
    models: [{ id: "m", contextWindow: 8000, effort: { supportedLevels: ["low"] } }],
  };
  assert.deepEqual(parseScript(JSON.stringify(script)), script);
});

Deno.test("parseScript() reads the example of its page", async () => {
  const page = await Deno.readTextFile(`${ROOT}/docs/scripted-provider.md`);
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].flatMap(([, text]) => text ?? []);
  assert.equal(examples.length, 1);
  for (const example of examples) assert.equal(parseScript(example).turns.length, 3);
});
