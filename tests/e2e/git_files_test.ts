import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { createRepository, git } from "../tools/_git_repository.ts";
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
    assert.equal(run.status, 5, shown(run));
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

Deno.test("alisio run looks at the repository of a worktree, and at none elsewhere", async () => {
  const calls = callTurn(["git_status", {}], ["git_diff", {}], ["search_text", { pattern: "two" }]);
  await using model = await startModel([calls, chatReply({ text: "Done" }), calls]);
  await withTempDir(async (folder) => {
    await withCli(async (cli) => {
      await useModel(cli, model);
      await createRepository(join(folder, "main"));
      await git(join(folder, "main"), "worktree", "add", "-q", "-b", "other", join(folder, "tree"));
      const pointer = await Deno.readTextFile(join(folder, "tree", ".git"));
      await Deno.remove(cli.workspace, { recursive: true });
      await git(join(folder, "main"), "worktree", "move", join(folder, "tree"), cli.workspace);
      await writeTree(cli.workspace, { "a.txt": "two\n" });
      const run = await cli.run(["run", "x", "--json", "--read-only"]);
      assert.equal(run.status, 0, shown(run));
      const [status = "", diff = "", found = ""] = toolResults(await model.chat(1));
      assert.equal(JSON.parse(status).output, " M a.txt\n");
      assert.match(JSON.parse(diff).output, /\n-one\n\+two\n$/);
      assert.equal(JSON.parse(found).matches.length, 1);

      await Deno.remove(join(cli.workspace, ".git"));
      await writeTree(cli.workspace, { ".git": pointer.replace("/worktrees/tree", "") });
      await cli.run(["run", "x", "--json", "--read-only"]);
      const results = toolResults(await model.chat(3)).slice(0, 2);
      for (const result of results) {
        assert.match(result, /\/main\/\.git", outside the workspace .*; go on without Git$/);
      }
    });
  });
});
