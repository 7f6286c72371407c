import assert from "node:assert/strict";
import { gitBranch } from "../../../tui/screen/git_branch.ts";
import { withTempDir } from "../../support/temp.ts";

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

Deno.test("gitBranch() reads the branch of a repository, from below and through a worktree", async () => {
  await withTempDir(async (dir) => {
    await write(`${dir}/repo/.git/HEAD`, "ref: refs/heads/feat/x\x1b[2J\n");
    await write(`${dir}/repo/a/b/file`, "");
    await write(`${dir}/repo/.git/worktrees/w/HEAD`, `${"0123456789".repeat(4)}\n`);
    await write(`${dir}/w/.git`, `gitdir: ${dir}/repo/.git/worktrees/w\n`);
    await write(`${dir}/odd/.git/HEAD`, "neither\n");
    assert.deepEqual(
      await Promise.all(
        ["repo", "repo/a/b", "w", "odd"].map((name) => gitBranch(`${dir}/${name}`)),
      ),
      [String.raw`feat/x\x1b[2J`, String.raw`feat/x\x1b[2J`, "01234567", undefined],
    );
  });
});
