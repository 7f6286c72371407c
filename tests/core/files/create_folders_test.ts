import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { createFolders } from "../../../core/files/create_folders.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const ignore = Deno.build.os === "windows";

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}

Deno.test("createFolders() creates what is missing and leaves what is there", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a/f": "" });
    await createFolders(join(dir, "a/b/c"), join(dir, "a/b/c/new"));
    await createFolders(join(dir, "a/b/c"), join(dir, "a/b/c/new"));
    ok((await Deno.lstat(join(dir, "a/b/c"))).isDirectory);
    deepStrictEqual(await namesIn(join(dir, "a")), ["b", "f"]);
  });
});

Deno.test("createFolders() creates nothing behind a link", { ignore }, async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "out/f": "" });
    await Deno.symlink("out", join(dir, "a"));
    const made = createFolders(join(dir, "a/b/c"), join(dir, "a/b/c/new"));
    await rejects(made, { name: "FileError", code: "path_changed" });
    deepStrictEqual(await namesIn(join(dir, "out")), ["f"]);
  });
});
