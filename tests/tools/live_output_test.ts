import assert from "node:assert/strict";
import { join } from "node:path";
import { createRunProcessTool } from "../../tools/run_process.ts";
import { createShellTool } from "../../tools/shell.ts";
import { withTempDir } from "../support/temp.ts";
import { callTool, jsonOf, programPorts } from "./_program_tools.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

/** Prints to both streams, and goes on once its last words were told. */
const SCRIPT =
  "echo one; printf '10%%\\r20%%\\r' >&2; until [ -e seen ]; do sleep 0.02; done; echo end";

const CALLS = [
  { tool: createShellTool, name: "shell", input: { command: SCRIPT } },
  {
    tool: createRunProcessTool,
    name: "run_process",
    input: { command: "sh", args: ["-c", SCRIPT] },
  },
];

for (const { tool, name, input } of CALLS) {
  Deno.test(`LiveOutput tells the last line of what ${name} prints`, unixOnly, async () => {
    await withTempDir(async (workspace) => {
      const told: unknown[] = [];
      const result = await callTool(tool(programPorts(workspace)), input, workspace, {
        onProgress(data) {
          told.push(data);
          if (JSON.stringify(data).includes("20%")) {
            void Deno.writeTextFile(join(workspace, "seen"), "");
          }
        },
      });
      assert.deepEqual(told.at(-1), { line: "20%" });
      assert.equal(jsonOf(result).stdout, "one\nend\n");
    });
  });
}

Deno.test("LiveOutput tells nothing of a command that is quick", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const told: unknown[] = [];
    const result = await callTool(
      createShellTool(programPorts(workspace)),
      { command: "echo one" },
      workspace,
      { onProgress: (data) => told.push(data) },
    );
    assert.deepEqual(told, []);
    assert.equal(jsonOf(result).stdout, "one\n");
  });
});
