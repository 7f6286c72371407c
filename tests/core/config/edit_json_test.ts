import assert from "node:assert/strict";
import type { JsonValue } from "@alisio/sdk";
import { setJsonValue } from "../../../core/config/edit_json.ts";

const HAND_WRITTEN = `{
    "plugins": ["./a.js",   "b"],
    "limits": { "maxTurns": 1e1, "timeoutMs": 60000 },

    "provider": {
        "model": "qwen\\u0033",
        "prices": {"*": {"inputPerMillion": 0.50, "outputPerMillion": 1.0}}
    }
}
`;

for (
  const [name, text, path, value, expected] of [
    ["fills an empty object", "{}\n", ["a"], 1, '{\n  "a": 1\n}\n'],
    [
      "makes what is missing on the way",
      "{}",
      ["a", "b", "c"],
      true,
      [
        "{",
        '  "a": {',
        '    "b": {',
        '      "c": true',
        "    }",
        "  }",
        "}",
      ].join("\n"),
    ],
    ["stays in one line", '{"a":1}', ["b", "c"], [1], '{"a":1, "b": {"c":[1]}}'],
    ["stays in one line with blanks", '{ "a": 1 }', ["b"], 2, '{ "a": 1, "b": 2 }'],
    [
      "replaces one value",
      HAND_WRITTEN,
      ["limits", "maxTurns"],
      20,
      HAND_WRITTEN.replace("1e1", "20"),
    ],
    [
      "replaces a list",
      HAND_WRITTEN,
      ["plugins"],
      [],
      HAND_WRITTEN.replace('["./a.js",   "b"]', "[]"),
    ],
    [
      "adds behind what is in one line",
      HAND_WRITTEN,
      ["limits", "x"],
      null,
      HAND_WRITTEN.replace("60000 }", '60000, "x": null }'),
    ],
    [
      "adds with the indentation of the file",
      HAND_WRITTEN,
      ["provider", "auth"],
      "none",
      HAND_WRITTEN.replace("1.0}}\n", '1.0}},\n        "auth": "none"\n'),
    ],
    [
      "replaces what stands where an object has to be",
      '{\n\t"a": [1, {"b": 2}]\n}',
      ["a", "b"],
      3,
      '{\n\t"a": {\n\t\t"b": 3\n\t}\n}',
    ],
    [
      "keeps line ends",
      '{\r\n  "a": 1\r\n}',
      ["b"],
      { c: 1 },
      [
        "{",
        '  "a": 1,',
        '  "b": {',
        '    "c": 1',
        "  }",
        "}",
      ].join("\r\n"),
    ],
    ["keeps a byte order mark", '\uFEFF{ "a": 1 }', ["a"], 2, '\uFEFF{ "a": 2 }'],
    ["finds names that are escaped", '{"\\u0061": "}"}', ["a"], "{", '{"\\u0061": "{"}'],
    ["takes the first out", '{ "a": 1, "b": 2 }', ["a"], undefined, '{ "b": 2 }'],
    ["takes the last out", '{\n  "a": 1,\n  "b": 2\n}', ["b"], undefined, '{\n  "a": 1\n}'],
    ["takes the only one out", '{\n  "a": 1\n}\n', ["a"], undefined, "{}\n"],
    [
      "takes empty objects around it out too",
      '{ "a": { "b": { "c": 1 } }, "d": {} }',
      ["a", "b", "c"],
      undefined,
      '{ "d": {} }',
    ],
    [
      "keeps siblings of what it takes out",
      '{ "a": { "b": { "c": 1 }, "d": 1 } }',
      ["a", "b", "c"],
      undefined,
      '{ "a": { "d": 1 } }',
    ],
    ["takes nothing out", HAND_WRITTEN, ["limits", "x", "y"], undefined, HAND_WRITTEN],
    ["takes nothing out of a list", '{"a":[1]}', ["a", "0"], undefined, '{"a":[1]}'],
    ["sets a name of the prototype", "{}", ["__proto__"], 1, '{\n  "__proto__": 1\n}'],
  ] as const satisfies readonly (readonly [
    string,
    string,
    readonly string[],
    JsonValue | undefined,
    string,
  ])[]
) {
  Deno.test(`setJsonValue() ${name}`, () => {
    assert.equal(setJsonValue(text, path, value), expected);
  });
}

Deno.test("setJsonValue() changes what it is told to and nothing else, whatever the text", () => {
  const random = lehmer(20261201);
  for (let round = 0; round < 500; round++) {
    const value = randomObject(random, 3);
    const indent = [undefined, 1, "\t", "   "][Math.floor(random() * 4)];
    const text = JSON.stringify(value, null, indent);
    const path = Array.from({ length: 1 + Math.floor(random() * 3) }, () => name(random));
    const set = random() < 0.3 ? undefined : randomValue(random, 2);
    const changed = setJsonValue(text, path, set);
    assert.deepEqual(JSON.parse(changed), expectedAfter(value, path, set), `${text} ${path}`);
    if (set === undefined || Object.hasOwn(value, path[0] ?? "")) continue;
    // Back again: nothing but the value has moved.
    assert.deepEqual(JSON.parse(setJsonValue(changed, path, undefined)), value);
  }
});

type Tree = { [name: string]: JsonValue };

function expectedAfter(
  tree: Tree,
  [first = "", ...rest]: readonly string[],
  set: JsonValue | undefined,
): Tree {
  const below = tree[first];
  if (rest.length === 0) {
    const { [first]: _, ...others } = tree;
    return set === undefined ? others : { ...tree, [first]: set };
  }
  if (set !== undefined) {
    return { ...tree, [first]: expectedAfter(isTree(below) ? below : {}, rest, set) };
  }
  if (!isTree(below)) return tree;
  const inner = expectedAfter(below, rest, set);
  const { [first]: _, ...others } = tree;
  const isEmptied = Object.keys(inner).length === 0 && Object.keys(below).length > 0;
  return isEmptied ? others : { ...tree, [first]: inner };
}

function isTree(value: JsonValue | undefined): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function name(random: () => number): string {
  return ["a", "b", "c", 'd"', "e\\", "f.g", "{h", ""][Math.floor(random() * 8)] ?? "a";
}

function randomValue(random: () => number, depth: number): JsonValue {
  const kind = random();
  if (depth > 0 && kind < 0.3) return randomObject(random, depth - 1);
  if (depth > 0 && kind < 0.5) {
    return Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth - 1));
  }
  return [1.5, -3e20, true, null, "", 'te"xt', "\\", "}, {", "\n", 0][Math.floor(random() * 10)] ??
    null;
}

function randomObject(random: () => number, depth: number): Tree {
  const length = Math.floor(random() * 4);
  return Object.fromEntries(
    Array.from({ length }, () => [name(random), randomValue(random, depth)]),
  );
}

/** Numbers from 0 to 1 that are the same at each run. */
function lehmer(seed: number): () => number {
  let state = seed % 2147483647;
  return () => (state = state * 48271 % 2147483647) / 2147483647;
}
