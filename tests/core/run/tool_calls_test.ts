import assert from "node:assert/strict";
import { batchesOf } from "../../../core/run/tool_calls.ts";

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
