import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { resolveRoots, resolveWorkspace } from "../../core/workspace.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const CLOSABLE = Deno.build.os !== "windows" && Deno.uid() !== 0;

Deno.test({
  name: "resolveWorkspace() refuses a directory that this user may not list or look into",
  ignore: !CLOSABLE,
  fn: async () => {
    await withTempDir(async (dir) => {
      const workspace = join(dir, "ws");
      await Deno.mkdir(workspace);
      for (const mode of [0o000, 0o111, 0o222, 0o444]) {
        await Deno.chmod(workspace, mode);
        throws(() => resolveWorkspace(workspace), {
          code: "workspace_invalid",
          message: /: it may not be read; pass an existing directory with --cwd$/,
        });
      }
      await Deno.chmod(workspace, 0o500);
      equal(resolveWorkspace(workspace), workspace);
      await Deno.chmod(workspace, 0o700);
    });
  },
});

Deno.test("resolveRoots() takes directories, each once, and nothing else", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/a": "", "other/b": "" });
    const [workspace, other] = [join(dir, "ws"), join(dir, "other")];
    deepEqual(resolveRoots(workspace, [other, workspace, other]), [workspace, other]);
    const rows = [
      [join(other, "b"), /: it is not a directory; correct --add-dir or "additionalDirectories"$/],
      [join(other, "c"), /: it does not exist; correct --add-dir/],
    ] as const;
    for (const [directory, message] of rows) {
      throws(() => resolveRoots(workspace, [directory]), { code: "workspace_invalid", message });
    }
  });
});
