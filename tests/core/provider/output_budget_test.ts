import { deepEqual } from "node:assert/strict";
import { type OutputBudget, resolveOutputBudget } from "../../../core/provider/output_budget.ts";

const ROWS: readonly (readonly [string, number | undefined, number | undefined, OutputBudget])[] = [
  ["the default", undefined, undefined, { maxOutputTokens: 16_384, source: "default" }],
  ["the catalog", undefined, 8192, { maxOutputTokens: 8192, source: "model" }],
  ["the catalog up to a cap", undefined, 131_072, { maxOutputTokens: 65_536, source: "model" }],
  ["the cap itself", undefined, 65_536, { maxOutputTokens: 65_536, source: "model" }],
  ["the person's limit over the catalog", 1000, 8192, { maxOutputTokens: 1000, source: "user" }],
  ["the person's limit unclamped", 500_000, 8192, { maxOutputTokens: 500_000, source: "user" }],
  ["a catalog that says zero", undefined, 0, { maxOutputTokens: 16_384, source: "default" }],
];

for (const [name, explicit, catalog, expected] of ROWS) {
  Deno.test(`resolveOutputBudget() takes ${name}`, () => {
    deepEqual(resolveOutputBudget({ explicit, catalog }), expected);
  });
}
