import assert from "node:assert/strict";
import { join } from "../../core/paths/path.ts";
import { worktreeFolders } from "../../cli/wall_worktrees.ts";

Deno.test("worktreeFolders() opens a folder of worktrees or an empty one, and no other", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    const homes = { config: join(base, "config"), state: join(base, "state") };
    const at = (name: string) => join(base, name);
    for (const name of ["config/in", "state/in", "empty", "trees/one", "mixed/one", "repo/.git"]) {
      await Deno.mkdir(at(name), { recursive: true });
    }
    await Deno.writeTextFile(at("trees/one/.git"), "gitdir: elsewhere\n");
    await Deno.writeTextFile(at("mixed/file"), "mine\n");
    await Deno.symlink(at("empty"), at("link"));
    const opens = async (name: string) => await worktreeFolders(at(name), homes);
    assert.deepEqual(await opens("empty"), [at("empty")]);
    assert.deepEqual(await opens("trees"), [at("trees")]);
    assert.deepEqual(await opens("link"), [at("link"), at("empty")], "under both names");
    for (const name of ["missing", "mixed", "mixed/file", "repo", "config/in", "state/in", "."]) {
      assert.deepEqual(await opens(name), [], name);
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
