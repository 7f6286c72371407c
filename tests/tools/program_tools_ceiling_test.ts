import assert from "node:assert/strict";
import { join } from "node:path";
import { findExecutable } from "../../core/process/find_executable.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

Deno.test({
  name: "read tools work where the process may run rg and git alone",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withTempDir(async (folder) => {
      const workspace = join(folder, "app");
      const path = Deno.env.get("PATH");
      const rg = await findExecutable("rg", { path, exclude: [] });
      const git = await findExecutable("git", { path, exclude: [] });
      assert.ok(rg !== null && git !== null);
      const names = Array.from({ length: 300 }, (_, index) => `f${1000 + index}`);
      await writeTree(workspace, Object.fromEntries(names.map((name) => [name, "needle\n"])));
      await new Deno.Command(git, { args: ["init", "-q"], cwd: workspace }).output();
      const script = join(folder, "main.ts");
      await Deno.writeTextFile(
        script,
        `
import { callTool, jsonOf, programPorts } from "${ROOT}/tests/tools/_program_tools.ts";
import { createGitDiffTool } from "${ROOT}/tools/git_diff.ts";
import { createGitStatusTool } from "${ROOT}/tools/git_status.ts";
import { createListFilesTool } from "${ROOT}/tools/list_files.ts";
import { createSearchTextTool } from "${ROOT}/tools/search_text.ts";
const [workspace, rg, git] = Deno.args;
const ports = programPorts(workspace, {
  findExecutable: (name) => Promise.resolve({ rg, git }[name] ?? null),
});
const call = async (create, input) => jsonOf(await callTool(create(ports), input, workspace));
const page = await call(createListFilesTool, { limit: 2 });
const found = await call(createSearchTextTool, { pattern: "needle" });
const status = await call(createGitStatusTool, {});
const diff = await call(createGitDiffTool, {});
console.log(JSON.stringify([
  page.files, page.nextOffset, found.matches.length, status.output.split("\\n").length, diff.output,
]));
`,
      );
      const { stdout, stderr } = await new Deno.Command(DENO, {
        args: [
          "run",
          "--no-prompt",
          "--no-check",
          "--allow-env",
          "--deny-ffi",
          `--config=${join(ROOT, "deno.json")}`,
          `--allow-read=${workspace}`,
          `--allow-run=${rg},${git}`,
          script,
          workspace,
          rg,
          git,
        ],
        // A library path that the person has set must not keep programs from starting.
        env: { LD_LIBRARY_PATH: "/opt/lib" },
      }).output();
      assert.equal(
        new TextDecoder().decode(stdout).trim(),
        JSON.stringify([["f1000", "f1001"], 2, 300, 301, ""]),
        new TextDecoder().decode(stderr),
      );
    });
  },
});
