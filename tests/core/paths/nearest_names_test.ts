import { deepStrictEqual } from "node:assert/strict";
import { nearestNames } from "../../../core/paths/nearest_names.ts";

const NAMES = ["main.ts", "Main.ts", "mian.ts", "man.ts", "other.md", "README.md"];

const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["mainn.ts", ["Main.ts", "main.ts", "man.ts"]],
  ["readme.md", ["README.md"]],
  ["zzzzzzzz.json", []],
  ["x".repeat(10_000), []],
];

for (const [name, expected] of ROWS) {
  Deno.test(`nearestNames() finds ${expected.length} names near ${name.slice(0, 20)}`, () => {
    deepStrictEqual(nearestNames(name, NAMES, 3), expected);
  });
}
