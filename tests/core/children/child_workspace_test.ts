import assert from "node:assert/strict";
import { childWorkspace, repositoryOfWorktree } from "../../../core/children/child_workspace.ts";
import { withScene } from "../../support/application_scene.ts";
import { calls, says } from "../../support/run_harness.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";
import { childrenOf, delegating } from "./_scene.ts";

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args],
    cwd,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** A repository with a commit. */
async function repository(folder: string): Promise<void> {
  await git(folder, "init", "-q");
  await writeTree(folder, { "a.txt": "old" });
  await git(folder, "add", ".");
  await git(folder, "commit", "-qm", "First");
}

Deno.test("childWorkspace() takes folders of the parent, and worktrees of its repository alone", async () => {
  await withTempDir(async (folder) => {
    for (const name of ["ws", "other"]) {
      await Deno.mkdir(`${folder}/${name}`);
      await repository(`${folder}/${name}`);
    }
    await git(`${folder}/ws`, "worktree", "add", "-q", "../tree", "-b", "b");
    await git(`${folder}/other`, "worktree", "add", "-q", "../stranger", "-b", "b");
    await writeTree(folder, {
      "ws/packages/shop/x.txt": "",
      // It only says that it is a worktree.
      "liar/.git": `gitdir: ${folder}/ws/.git/worktrees/tree\n`,
      "plain/x.txt": "",
    });
    await Deno.symlink(`${folder}/plain`, `${folder}/ws/link`);
    const roots = [`${folder}/ws`];
    assert.equal(childWorkspace("packages/shop", roots), `${folder}/ws/packages/shop`);
    assert.equal(childWorkspace(`${folder}/tree`, roots), `${folder}/tree`);
    assert.equal(
      childWorkspace(`${folder}/tree`, [`${folder}/ws/packages/shop`]),
      `${folder}/tree`,
    );
    // A worktree of a worktree is one of the same repository.
    await git(`${folder}/tree`, "worktree", "add", "-q", "../deeper", "-b", "c");
    assert.equal(childWorkspace(`${folder}/deeper`, [`${folder}/tree`]), `${folder}/deeper`);
    assert.equal(repositoryOfWorktree(`${folder}/ws`), null);
    for (const name of ["stranger", "liar", "plain", "other"]) {
      assert.throws(
        () => childWorkspace(`${folder}/${name}`, roots),
        /its parent may not touch that folder/,
        name,
      );
    }
    assert.throws(() => childWorkspace("link", roots), /may not touch/);
    assert.throws(() => childWorkspace("a.txt", roots), /no folder that can be opened/);
  });
});

Deno.test("ChildSessions.run() works in a worktree as in its own workspace", async () => {
  await withScene({}, async ({ open, folder }) => {
    const { options, provider } = delegating(
      calls([["read_file", { path: "AGENTS.md" }]]),
      calls([["write_file", { path: "b.txt", content: "x", expectedHash: null }]]),
      calls([["write_file", { path: ".git", content: "x", expectedHash: null }]]),
      calls([["write_file", { path: `${folder}/ws/c.txt`, content: "x", expectedHash: null }]]),
      calls([["write_file", { path: `${folder}/state/d.txt`, content: "x", expectedHash: null }]]),
      says("done"),
    );
    await writeTree(folder, { "ws/AGENTS.md": "Old words" });
    await repository(`${folder}/ws`);
    await writeTree(folder, { "ws/AGENTS.md": "New words" });
    const application = await open({ ...options, allowWrite: true, trustProject: true });
    const session = await application.createSession();
    const worktree = `${folder}/state/worktrees/w1`;
    await git(`${folder}/ws`, "worktree", "add", "-q", worktree, "-b", "alisio/w1");
    const children = childrenOf(application);
    const child = children.spawn({
      title: "Write",
      agent: "general",
      parentId: session.id,
      workspace: worktree,
    });
    assert.equal(child.workspace, worktree);
    assert.equal((await children.run(child.id, "Go")).status, "completed");
    const [first] = provider.requests;
    assert.match(first?.system ?? "", /Old words/);
    assert.ok(first?.system.includes(worktree) && !first.system.includes("New words"));
    assert.equal(await Deno.readTextFile(`${worktree}/b.txt`), "x");
    for (const path of ["ws/c.txt", "state/d.txt"]) {
      await assert.rejects(Deno.stat(`${folder}/${path}`), Deno.errors.NotFound, path);
    }
    assert.match(await Deno.readTextFile(`${worktree}/.git`), /^gitdir: /);
  });
});
