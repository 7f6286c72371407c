import assert from "node:assert/strict";
import { join } from "node:path";
import { DENO, ROOT } from "../../support/paths.ts";

/** Little more than what the bounds admit: a word that costs more than its characters ends it. */
const HEAP_MIB = 96;

const FLOODS = [
  ["chat", "text", "characters of text"],
  ["chat", "reasoning", "characters of text"],
  ["chat", "arguments", "characters of tool arguments"],
  ["chat", "name", "characters of tool arguments"],
  ["responses", "text", "characters of text"],
  ["responses", "reasoning", "characters of text"],
  ["responses", "arguments", "characters of tool arguments"],
  ["responses", "opaque", "characters of text"],
  ["responses", "items", "parts"],
] as const;

for (const [mode, field, bound] of FLOODS) {
  Deno.test(`A ${mode} reader ends a flood of ${field} in little time and memory`, async () => {
    const script = join(ROOT, "tests", "plugins", "openai_compatible", "_flood_reader.ts");
    const heap = `--v8-flags=--max-old-space-size=${HEAP_MIB}`;
    const { code, stdout, stderr } = await new Deno.Command(DENO, {
      args: ["run", "--no-check", "--quiet", heap, script, mode, field],
      signal: AbortSignal.timeout(30_000),
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr).slice(0, 1_000));
    const { error, chars } = JSON.parse(new TextDecoder().decode(stdout));
    assert.match(error, new RegExp(`holds more than \\d+ ${bound}`));
    assert.ok(chars <= 16 * 1024 * 1024, `${chars} characters`);
  });
}
