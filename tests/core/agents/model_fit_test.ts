import assert from "node:assert/strict";
import { modelFit } from "../../../core/agents/model_fit.ts";

Deno.test("modelFit() rules out only what a catalog denies", () => {
  const rows = [
    [undefined, { known: false, effortLevels: null }],
    [{}, { known: false, effortLevels: null }],
    [{ effort: { supportedLevels: [] } }, { known: true, effortLevels: [] }],
    [{ effort: { supportedLevels: ["low"] } }, { known: true, effortLevels: ["low"] }],
  ] as const;
  for (const [model, expected] of rows) assert.deepEqual(modelFit(model), expected);
});
