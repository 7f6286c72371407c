import assert from "node:assert/strict";
import { join } from "node:path";
import { lookAtPaths } from "../../../core/sandbox/found_path.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test({
  name:
    "lookAtPaths() says what is there and where it leads, and leaves out what nothing can close",
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
      assert.deepEqual(await lookAtPaths([...names.map(at), "/"]), [
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
    });
  },
});
