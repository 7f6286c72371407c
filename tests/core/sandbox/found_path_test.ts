import assert from "node:assert/strict";
import { join } from "node:path";
import { findPaths, lookAtPaths } from "../../../core/sandbox/found_path.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test({
  name: "lookAtPaths() says what is there and where it leads, and leave out what nothing can close",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      const at = (name: string): string => join(dir, name);
      await writeTree(dir, { "real/file": "", "$(touch x) 'ü\"/-n": "" });
      await Deno.symlink(at("real"), at("link"));
      await Deno.symlink(at("real/file"), at("filelink"));
      await Deno.symlink(at("nothing"), at("dangling"));
      await Deno.symlink("loop", at("loop"));
      const names = [
        "real",
        "real/file",
        "link",
        "link/file",
        "filelink",
        "link/new",
        "gone/new",
        "dangling",
        "loop",
        "$(touch x) 'ü\"/-n",
      ];
      const found = await lookAtPaths([...names.map(at), "/"]);
      assert.deepEqual(found, [
        { path: at("real"), real: at("real"), kind: "folder" },
        { path: at("real/file"), real: at("real/file"), kind: "file" },
        { path: at("link"), real: at("real"), kind: "folder" },
        { path: at("link/file"), real: at("real/file"), kind: "file" },
        { path: at("filelink"), real: at("real/file"), kind: "file" },
        { path: at("link/new"), real: at("real/new"), kind: "missing" },
        { path: at(names[9] ?? ""), real: at(names[9] ?? ""), kind: "file" },
        { path: "/", real: "/", kind: "folder" },
      ]);
      await assert.rejects(Deno.lstat(at("x")), Deno.errors.NotFound);
      assert.deepEqual(await lookAtPaths([]), []);
      // Without a child, where the runtime lets it.
      assert.deepEqual(await findPaths([...names.map(at), "/"]), found);
      assert.deepEqual(await findPaths([]), []);
    });
  },
});
