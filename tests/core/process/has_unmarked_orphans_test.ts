import assert from "node:assert/strict";
import { join } from "node:path";
import { hasUnmarkedOrphans } from "../../../core/process/has_unmarked_orphans.ts";
import { withTempDir } from "../../support/temp.ts";

Deno.test({
  name: "hasUnmarkedOrphans() tells orphans of a folder and a time from everything else",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withTempDir(async (dir) => {
      const folder = join(dir, "it's a folder");
      const other = join(dir, "other");
      await Promise.all([folder, other].map((path) => Deno.mkdir(path)));
      const began = performance.now();
      const pids: number[] = [];
      const leave = async (cwd: string, how: "orphan" | "child") => {
        const wait = how === "child" ? "; wait" : "";
        const child = new Deno.Command("/bin/sh", {
          args: ["-c", `env -i setsid /bin/sleep 60 >/dev/null 2>&1 & echo $!${wait}`],
          cwd,
          stdin: "null",
          stdout: "piped",
        }).spawn();
        const reader = child.stdout.getReader();
        pids.push(Number(new TextDecoder().decode((await reader.read()).value)));
        await reader.cancel();
        if (how === "orphan") await child.status;
        return child;
      };
      const children: Deno.ChildProcess[] = [];
      try {
        await leave(other, "orphan");
        children.push(await leave(folder, "child"));
        assert.equal(await hasUnmarkedOrphans(folder, began), false);
        await leave(folder, "orphan");
        assert.equal(await hasUnmarkedOrphans(folder, began), true);
        await new Promise((resolve) => setTimeout(resolve, 50));
        assert.equal(await hasUnmarkedOrphans(folder, performance.now()), false);
      } finally {
        for (const pid of pids) Deno.kill(pid, "SIGKILL");
        await Promise.all(children.map(({ status }) => status));
      }
    });
  },
});
