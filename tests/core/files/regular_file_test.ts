import { rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { openJudged } from "../../../core/files/regular_file.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const ignore = Deno.build.os === "windows";

Deno.test("openJudged() opens the file that was judged, and no other", { ignore }, async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a/f": "inside", "b/f": "outside" });
    const path = join(dir, "a/f");
    using file = await openJudged(path, "read");
    strictEqual((await file.stat()).size, 6);
    await Deno.rename(join(dir, "a"), join(dir, "aside"));
    await Deno.symlink("b", join(dir, "a"));
    await rejects(openJudged(path, "read"), {
      name: "FileError",
      code: "path_changed",
      message: /a part of its path became a symbolic link or moved .*make the call again$/,
    });
    await Deno.remove(join(dir, "a"));
    await rejects(openJudged(path, "read"), Deno.errors.NotFound);
    await Deno.rename(join(dir, "aside"), join(dir, "a"));
    await Deno.remove(path);
    await Deno.symlink("../b/f", path);
    // A link in place of the file itself is no folder that moved.
    await rejects(openJudged(path, "read"), { name: "FileError", code: "changed" });
  });
});

Deno.test("openJudged() waits for no pipe in the place of the file", { ignore }, async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "pipe");
    await new Deno.Command("mkfifo", { args: [path] }).output();
    await rejects(openJudged(path, "read", { limitMs: 50 }), {
      name: "FileError",
      code: "not_a_file",
    });
    // Somebody to write to it lets the thread go that waits for one.
    (await Deno.open(path, { write: true })).close();
  });
});
