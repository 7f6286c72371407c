import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

const HEAD = "ref: refs/heads/main\n";

/** Files that would let a person's next Git command start a program. */
const REFUSED: readonly string[] = [
  ".git/config",
  ".git/hooks/post-checkout",
  ".git/info/attributes",
  ".git/modules/library/config",
  ".git/worktrees/other/config.worktree",
  ".git/commondir",
  "src/.git",
  "src/.git/config",
  ".GIT/hooks/pre-commit",
  "bare/hooks/post-receive",
  "new/HEAD",
];

const ALLOWED: readonly string[] = [".gitmodules", ".gitattributes", ".github/x.yml", "src/a.git"];

Deno.test("alisio run writes nothing that makes Git start programs, whatever the flags", async () => {
  const turns = [...REFUSED, ...ALLOWED].map((path) =>
    callTurn(["write_file", { path, content: "x", expectedHash: null }])
  );
  const reading = callTurn(["read_file", { path: ".git/HEAD" }]);
  await using model = await startModel([...turns, reading]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    await writeTree(cli.workspace, {
      ".git/HEAD": HEAD,
      ".git/objects/info/x": "",
      ".git/refs/heads/x": "",
      "bare/HEAD": HEAD,
    });
    const run = await cli.run(["run", "x", "--json", "--allow-write", "--allow-process"]);
    assert.equal(run.status, 0, shown(run));
    const results = toolResults(await model.chat(turns.length + 1));
    for (const [index, path] of REFUSED.entries()) {
      assert.match(results[index] ?? "", /^Refused: .* is not changed by tools/, path);
      await assert.rejects(Deno.lstat(join(cli.workspace, path)), Deno.errors.NotFound, path);
    }
    for (const [index, path] of ALLOWED.entries()) {
      assert.match(results[REFUSED.length + index] ?? "", /"sha256"/, path);
    }
    assert.match(results.at(-1) ?? "", /"content":"1: ref: refs/);
  });
});
