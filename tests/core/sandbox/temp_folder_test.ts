import assert from "node:assert/strict";
import { join } from "node:path";
import { TempFolders, withTempVariables } from "../../../core/sandbox/temp_folder.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

Deno.test("TempFolders gives each command a folder that is gone afterwards", unixOnly, async () => {
  await withTempDir(async (dir) => {
    const folders = await TempFolders.open(dir);
    const used = await folders.with(async (folder) => {
      assert.equal(((await Deno.stat(folder)).mode ?? 0) & 0o777, 0o700);
      await writeTree(folder, { "closed/file": "", "deep/er/file": "" });
      await Deno.chmod(join(folder, "closed"), 0);
      return folder;
    });
    await assert.rejects(Deno.lstat(used), Deno.errors.NotFound);
    await assert.rejects(
      folders.with(() => Promise.reject(new Error("it failed"))),
      /it failed/,
    );
    assert.deepEqual(await namesIn(join(dir, "tmp")), []);
  });
});

Deno.test(
  "TempFolders removes what was left long ago, and nothing that may be in use",
  unixOnly,
  async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "tmp/old/file": "", "tmp/new/file": "", "outside/file": "" });
      await Deno.symlink(join(dir, "outside"), join(dir, "tmp/old/link"));
      const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1_000);
      await Deno.utime(join(dir, "tmp/old"), longAgo, longAgo);
      await TempFolders.open(dir);
      assert.deepEqual(await namesIn(join(dir, "tmp")), ["new"]);
      assert.deepEqual(await namesIn(join(dir, "outside")), ["file"]);
    });
  },
);

Deno.test("withTempVariables() sets TMPDIR, and the others only where they are set", () => {
  assert.deepEqual(withTempVariables({ A: "1" }, "/t"), { A: "1", TMPDIR: "/t" });
  assert.deepEqual(withTempVariables({ TMPDIR: "/x", TEMP: "/x", TMP: "" }, "/t"), {
    TMPDIR: "/t",
    TEMP: "/t",
    TMP: "/t",
  });
});

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.toSorted();
}
