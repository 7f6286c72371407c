import assert from "node:assert/strict";
import { parseSince } from "../../cli/parse_since.ts";

const NOW = Date.parse("2026-12-01T12:00:00Z");

Deno.test("parseSince() reads durations and dates", () => {
  const rows: readonly (readonly [string, number])[] = [
    ["90s", NOW - 90_000],
    ["30m", NOW - 1_800_000],
    ["2h", NOW - 7_200_000],
    ["7d", NOW - 604_800_000],
    ["4w", NOW - 2_419_200_000],
    ["0s", NOW],
    ["2026-02-28", new Date(2026, 1, 28).getTime()],
    ["2028-02-29", new Date(2028, 1, 29).getTime()],
    ["2026-12-01T08:05", new Date(2026, 11, 1, 8, 5).getTime()],
    ["2026-12-01T08:05:06", new Date(2026, 11, 1, 8, 5, 6).getTime()],
    ["2026-12-01T08:05:06.789Z", Date.UTC(2026, 11, 1, 8, 5, 6, 789)],
    ["2026-12-01T08:05+02:00", Date.UTC(2026, 11, 1, 6, 5)],
  ];
  for (const [value, time] of rows) assert.equal(parseSince(value, NOW), time, value);
});

Deno.test("parseSince() refuses what is near a duration or a date", () => {
  const values = [
    "",
    "2",
    "h",
    "-2h",
    "2 h",
    "1.5h",
    "2y",
    "2H",
    "9999999d",
    "yesterday",
    "2026",
    "2026-12",
    "2026-13-01",
    "2026-00-10",
    "2026-02-29",
    "2026-12-00",
    "2026-12-32",
    "2026-12-01T24:00",
    "2026-12-01T08:60",
    "2026-12-01T8:00",
    "2026-12-01 08:00",
    "01/12/2026",
    "2026-12-01T08:00Zx",
  ];
  for (const value of values) {
    assert.throws(() => parseSince(value, NOW), {
      code: "usage",
      message: /^Flag "--since" needs a duration such as/,
    }, value);
  }
});
