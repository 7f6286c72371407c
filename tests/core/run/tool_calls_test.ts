import assert from "node:assert/strict";
import { batchesOf, repeatedCalls } from "../../../core/run/tool_calls.ts";

function namesOf(names: readonly string[]): readonly string[] {
  const calls = names.map((name, index) => ({ id: `${index}`, name, arguments: "{}" }));
  return batchesOf(calls, (name) => name.startsWith("r")).map((batch) =>
    batch.map(({ name }) => name).join(" ")
  );
}

Deno.test("batchesOf() runs up to four neighbouring reads together and effects alone, in order", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", []],
    ["r1", ["r1"]],
    ["r1 r2 r3 r4", ["r1 r2 r3 r4"]],
    ["r1 r2 r3 r4 r5", ["r1 r2 r3 r4", "r5"]],
    ["w1 w2", ["w1", "w2"]],
    ["r1 w1 r2 r3", ["r1", "w1", "r2 r3"]],
    ["w1 r1 r2 w2", ["w1", "r1 r2", "w2"]],
  ];
  for (const [calls, batches] of rows) {
    assert.deepEqual(namesOf(calls === "" ? [] : calls.split(" ")), batches, calls);
  }
});

Deno.test("repeatedCalls() finds what a response repeats in a row beyond the limit (field case 36)", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", []],
    ["a a a a a a", []],
    ["a a a a a a a a", ["6", "7"]],
    ["a a a a a a b a", []],
    ["a b a b a b a b a b a b a b", []],
    ["b a a a a a a a b", ["7"]],
    ["poll poll poll poll poll poll poll poll", []],
  ];
  for (const [words, expected] of rows) {
    const calls = words.split(" ").map((word, index) => ({
      id: `${index}`,
      name: word === "poll" ? "poll" : "tool",
      arguments: word,
    }));
    assert.deepEqual([...repeatedCalls(calls, (name) => name === "poll")], expected, words);
  }
});

Deno.test("batchesOf() counts no calls of tools that have limits of their own", () => {
  const names = [..."ttttttrrrrtrt"];
  const calls = names.map((name, index) => ({ id: String(index), name, arguments: "{}" }));
  const batches = batchesOf(calls, () => true, (name) => name === "t");
  assert.deepEqual(batches.map((batch) => batch.map(({ name }) => name).join("")), [
    "ttttttrrrrt",
    "rt",
  ]);
});
