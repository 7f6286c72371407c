import assert from "node:assert/strict";
import { shadowedNames } from "../../../../core/gate/profile/shadowed_names.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

Deno.test("shadowedNames() finds programs that tools could have put there", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "ws/bin/own": "",
      "ws/bin/plain": "",
      "open/loose": "",
      "safe/own": "",
      "safe/good": "",
    });
    for (const path of ["ws/bin/own", "open/loose", "safe/own", "safe/good"]) {
      await Deno.chmod(`${dir}/${path}`, 0o755);
    }
    await Deno.chmod(`${dir}/open`, 0o777);
    await Deno.symlink(`${dir}/ws/bin/own`, `${dir}/safe/linked`);
    const names = ["own", "plain", "loose", "good", "linked", "missing"];
    const look = (path: string) => shadowedNames(names, { path, folders: [`${dir}/ws`] });
    const folders = [`${dir}/ws/bin`, `${dir}/open`, `${dir}/safe`];
    assert.deepEqual(await look(folders.join(":")), ["own", "loose", "linked"]);
    assert.deepEqual(await look(folders.toReversed().join(":")), ["loose", "linked"]);
    assert.deepEqual(await look("bin"), []);
    const many = Array.from({ length: 65 }, (_, index) => `p${index}`);
    assert.deepEqual(await shadowedNames(many, { path: undefined, folders: [] }), ["p64"]);
  });
});
