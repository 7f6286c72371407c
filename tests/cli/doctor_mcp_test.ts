import assert from "node:assert/strict";
import { examineMcp, formatMcp } from "../../cli/doctor_mcp.ts";
import { loadConfiguration } from "../../core/config/load_config.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const ON = { command: "x" };
const OFF = { command: "y", enabled: false };

const ROWS = [
  [{ servers: { a: ON } }, { readOnly: false, allowMcp: false }, /^1: not started .*--allow-mcp/],
  [{ servers: { a: ON } }, { readOnly: false, allowMcp: true }, /^1: may be started/],
  [
    { allow: true, servers: { a: ON, b: OFF } },
    { readOnly: false, allowMcp: false },
    /^1, and 1 switched off: may/,
  ],
  [{ allow: true, servers: { a: ON } }, { readOnly: true, allowMcp: true }, /--read-only$/],
] as const;

for (const [mcp, flags, expected] of ROWS) {
  Deno.test(`examineMcp() tells of ${JSON.stringify(mcp)} under ${JSON.stringify(flags)}`, async () => {
    await withTempDir(async (folder) => {
      await writeTree(folder, { "config.json": JSON.stringify({ mcp }) });
      const options = { configHome: folder, workspace: folder, trusted: false, env: {} };
      const { configuration } = await loadConfiguration(options);
      const report = examineMcp(configuration.mcp, flags);
      assert.ok(report !== null);
      assert.match(formatMcp(report), expected);
    });
  });
}

Deno.test("examineMcp() is silent where no server is configured", async () => {
  await withTempDir(async (folder) => {
    const options = { configHome: folder, workspace: folder, trusted: false, env: {} };
    const { configuration } = await loadConfiguration(options);
    assert.equal(examineMcp(configuration.mcp, { readOnly: false, allowMcp: true }), null);
  });
});
