import assert from "node:assert/strict";
import { formatTokenBudget, parseTokenBudget } from "../../../core/goals/parse_budget.ts";

const ROWS: readonly (readonly [string, number | null | undefined])[] = [
  ["50k", 50_000],
  ["1.5M", 1_500_000],
  ["1.5m", 1_500_000],
  ["250000", 250_000],
  [" 0.3k ", 300],
  ["clear", null],
  ["None", null],
  ["off", null],
  ["0", null],
  ["", undefined],
  ["50 k", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["0k", undefined],
  ["9".repeat(13), undefined],
  ["50kk", undefined],
  ["1,5M", undefined],
];

for (const [text, tokens] of ROWS) {
  Deno.test(`parseTokenBudget() reads "${text}"`, () => {
    assert.equal(parseTokenBudget(text), tokens);
  });
}

Deno.test("formatTokenBudget() writes what people read", () => {
  const shown = [950, 1_000, 12_340, 999_949, 999_950, 1_500_000].map(formatTokenBudget);
  assert.deepEqual(shown, ["950", "1k", "12.3k", "999.9k", "1M", "1.5M"]);
});
