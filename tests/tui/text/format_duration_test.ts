import assert from "node:assert/strict";
import { formatDuration } from "../../../tui/text/format_duration.ts";

const ROWS: readonly (readonly [ms: number, shown: string])[] = [
  [0, "0ms"],
  [60.4, "60ms"],
  [999, "999ms"],
  [1_000, "1.0s"],
  [2_900, "2.9s"],
  [59_949, "59.9s"],
  [59_950, "1m 00s"],
  [65_000, "1m 05s"],
  [3_599_000, "59m 59s"],
  [7_380_000, "2h 03m"],
  [-1, "0ms"],
  [NaN, "0ms"],
];

for (const [ms, shown] of ROWS) {
  Deno.test(`formatDuration() shows ${ms} as ${shown}`, () => {
    assert.equal(formatDuration(ms), shown);
  });
}
