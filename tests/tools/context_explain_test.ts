import assert from "node:assert/strict";
import { explainInstructions } from "../../core/context/explain_instructions.ts";
import { createContextExplainTool } from "../../tools/context_explain.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { callFileTool, OutsideError } from "./_call_file_tool.ts";

Deno.test("context_explain lists the files that apply, closest last, without their text", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "config/AGENTS.md": "SENTINEL",
      "p/AGENTS.md": "SENTINEL",
      "p/src/AGENTS.override.md": "SENTINEL",
      "p/src/a.ts": "",
    });
    const workspace = `${dir}/p`;
    const answer = await callFileTool(toolOf(dir), { path: "src/a.ts" }, { workspace });
    assert.deepEqual(answer.json, {
      path: "src/a.ts",
      files: [
        {
          path: `${dir}/config/AGENTS.md`,
          scope: "global",
          kind: "agents",
          bytes: 8,
          loaded: true,
        },
        { path: "AGENTS.md", scope: "project", kind: "agents", bytes: 8, loaded: true },
        {
          path: "src/AGENTS.override.md",
          scope: "project",
          kind: "override",
          bytes: 8,
          loaded: false,
          note: "given when a tool first touches its folder",
        },
      ],
    });
    assert.ok(!answer.text.includes("SENTINEL"));
  });
});

Deno.test("context_explain answers for a path that does not exist, and not outside", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "p/AGENTS.md/x": "" });
    const workspace = `${dir}/p`;
    const { json } = await callFileTool(toolOf(dir), { path: "new/file.ts" }, { workspace });
    assert.deepEqual(json["files"], []);
    assert.match(String(json["notices"]), /^Left out instructions ".*": it is not a regular file$/);
    await assert.rejects(
      () => callFileTool(toolOf(dir), { path: "../other" }, { workspace }),
      OutsideError,
    );
  });
});

function toolOf(dir: string): ReturnType<typeof createContextExplainTool> {
  return createContextExplainTool({
    explain: (real) =>
      explainInstructions(real, {
        configHome: `${dir}/config`,
        root: `${dir}/p`,
        cwd: `${dir}/p`,
        trusted: true,
        claudeMdFallback: false,
        maxBytes: 32_768,
      }),
  });
}
