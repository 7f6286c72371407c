import assert from "node:assert/strict";
import { join } from "node:path";
import { runQuietly } from "../../../core/sandbox/run_quietly.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test({
  name: "runQuietly() takes the system's programs, and none that PATH names before them",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await writeTree(dir, { "bin/rm": `#!/bin/sh\ntouch ${dir}/hijacked\n`, "gone": "" });
      await Deno.chmod(join(dir, "bin/rm"), 0o755);
      const path = Deno.env.get("PATH") ?? "";
      Deno.env.set("PATH", `${join(dir, "bin")}:${path}`);
      try {
        await runQuietly("rm", ["--", join(dir, "gone")]);
      } finally {
        Deno.env.set("PATH", path);
      }
      const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name);
      assert.deepEqual(names, ["bin"]);
      await runQuietly("no-such-program-anywhere", []);
    }),
});
