import { deepEqual, equal } from "node:assert/strict";
import {
  type ContextWindow,
  type ContextWindowFacts,
  resolveContextWindow,
  resolveRunTokens,
} from "../../../core/provider/token_limits.ts";

const WINDOWS: readonly (readonly [string, ContextWindowFacts, ContextWindow | undefined])[] = [
  ["nothing where nothing is known", {}, undefined],
  ["the catalog", { catalog: 3 }, { tokens: 3, source: "catalog" }],
  ["the profile over the catalog", { catalog: 3, profile: 2 }, { tokens: 2, source: "profile" }],
  [
    "the configuration over all",
    { catalog: 3, profile: 2, configuration: 9 },
    { tokens: 9, source: "configuration" },
  ],
  ["the catalog past a zero", { profile: 0, catalog: 3 }, { tokens: 3, source: "catalog" }],
  [
    "what an overflow has shown, when it is less",
    { configuration: 128_000, learned: 8000 },
    { tokens: 8000, source: "learned" },
  ],
  [
    "the configuration when it is less than what was learned",
    { configuration: 4000, learned: 8000 },
    { tokens: 4000, source: "configuration" },
  ],
  ["what was learned where nothing else is", { learned: 8000 }, {
    tokens: 8000,
    source: "learned",
  }],
];

for (const [name, facts, expected] of WINDOWS) {
  Deno.test(`resolveContextWindow() takes ${name} (field case 43)`, () => {
    deepEqual(resolveContextWindow(facts), expected);
  });
}

const RUN_TOKENS: readonly (readonly [number | undefined, number | undefined, number])[] = [
  [undefined, undefined, 1_000_000],
  [undefined, 8000, 400_000],
  [undefined, 50_000, 400_000],
  [undefined, 128_000, 1_024_000],
  [undefined, 1_000_000, 8_000_000],
  [undefined, 2_000_000, 8_000_000],
  [5, 128_000, 5],
  [99_000_000, undefined, 99_000_000],
];

for (const [explicit, contextWindow, expected] of RUN_TOKENS) {
  Deno.test(`resolveRunTokens() is ${expected} for ${explicit} and a window of ${contextWindow}`, () => {
    equal(resolveRunTokens({ explicit, contextWindow }), expected);
  });
}
