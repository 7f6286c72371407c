import { strictEqual } from "node:assert/strict";
import { quotePath } from "../../../core/paths/quote_path.ts";

Deno.test("quotePath() escapes control characters", () => {
  strictEqual(quotePath('a\n\x1b[31m"b'), '"a\\n\\u001b[31m\\"b"');
});

Deno.test("quotePath() keeps a message short without splitting a character", () => {
  strictEqual(quotePath("😀".repeat(300)), `"${"😀".repeat(300)}"`);
  strictEqual(quotePath("😀".repeat(301)), `"${"😀".repeat(150)}…${"😀".repeat(150)}"`);
});
