import { equal } from "node:assert/strict";
import { nearestName } from "../../../core/config/nearest_name.ts";

const KNOWN = ["maxTurns", "maxTokens", "timeoutMs", "mcp", "model", "--read-only"];

const ROWS: readonly (readonly [string, string | undefined])[] = [
  ["maxTruns", "maxTurns"],
  ["max_turns", "maxTurns"],
  ["MAXTOKENS", "maxTokens"],
  ["timeoutMS", "timeoutMs"],
  ["mpc", "mcp"],
  ["modle", "model"],
  ["--readonly", "--read-only"],
  ["banana", undefined],
  ["", undefined],
  ["x", undefined],
  ["m".repeat(5000), undefined],
];

for (const [name, nearest] of ROWS) {
  Deno.test(`nearestName() answers ${nearest} for "${name.slice(0, 20)}"`, () => {
    equal(nearestName(name, KNOWN), nearest);
  });
}

Deno.test("nearestName() prefers the nearest, not the first", () => {
  equal(nearestName("maxTokenz", ["maxTurns", "maxTokens"]), "maxTokens");
});
