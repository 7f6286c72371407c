import assert from "node:assert/strict";
import { RecordSplitter } from "../../tools/_record_splitter.ts";

Deno.test("RecordSplitter splits alike however the bytes arrive", () => {
  const input = new TextEncoder().encode("one\n\nthree-is-long\nfour\nunfinished");
  for (let step = 1; step <= input.length; step++) {
    const records: (readonly [string, boolean])[] = [];
    const splitter = new RecordSplitter(0x0a, 8, (record, isComplete) => {
      records.push([new TextDecoder().decode(record), isComplete]);
    });
    for (let from = 0; from < input.length; from += step) {
      splitter.write(input.subarray(from, from + step));
    }
    assert.deepEqual(
      records,
      [["one", true], ["", true], ["three-is", false], ["four", true]],
      `step ${step}`,
    );
  }
});
