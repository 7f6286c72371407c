import assert from "node:assert/strict";
import { join } from "node:path";
import { computeCeiling } from "../../../core/wall/ceiling.ts";
import { previewLandlock } from "../../../core/wall/landlock.ts";
import { describeKernelWall } from "../../../core/wall/launch.ts";
import { DENO } from "../../support/paths.ts";
import { withTempDir } from "../../support/temp.ts";
import { FIXTURES } from "./_entry.ts";
import { createWorld, factsOf } from "./_world.ts";

const MODULE = new URL("../../../core/wall/current_wall.ts", import.meta.url).href;

Deno.test("currentWall() asks the runtime, not the environment", async () => {
  const rows: readonly (readonly [readonly string[], boolean, string])[] = [
    [["-A"], false, "none"],
    [["-A"], true, "none"],
    [["-A", "--deny-ffi"], false, "none"],
    [["-A", "--deny-import"], false, "none"],
    [["--allow-ffi"], false, "none"],
    [["-A", "--deny-ffi", "--deny-import"], false, "flags"],
    [["--deny-ffi", "--allow-import=127.0.0.1:1", "--allow-read"], false, "flags"],
    [[], false, "flags"],
    [[], true, "revoked"],
  ];
  await withTempDir(async (root) => {
    const main = join(root, "main.ts");
    const lines = [
      `import { currentWall } from "${MODULE}";`,
      `console.log(currentWall(Deno.args[0] === "true"));`,
    ];
    await Deno.writeTextFile(main, lines.join("\n"));
    for (const [flags, standalone, expected] of rows) {
      const { stdout } = await new Deno.Command(DENO, {
        args: ["run", "--no-prompt", "--no-config", ...flags, main, String(standalone)],
        env: { ALISIO_LAUNCHED: "as 1", ALISIO_KERNEL_WALL: "Landlock version 7" },
      }).output();
      assert.equal(new TextDecoder().decode(stdout).trim(), expected, flags.join(" "));
    }
  });
});

Deno.test({
  ignore: Deno.build.os === "windows",
  name: "revokeBeyond() gives up what a compiled binary does not need, and says what stays wide",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      const facts = factsOf(world);
      const { code, stdout, stderr } = await new Deno.Command(DENO, {
        args: [
          ...["run", "-A", "--no-prompt", "--no-config", join(FIXTURES, "standalone.ts")],
          JSON.stringify(facts),
          join(world.outside, "written"),
        ],
        stdin: "null",
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      const kernel = previewLandlock(computeCeiling(facts));
      const closed = kernel.status === "applied";
      assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
        before: "none",
        after: "revoked",
        wider: ["read", "write", "run"],
        kernel: describeKernelWall(kernel),
        ffi: "NotCapable",
        sys: "NotCapable",
        net: "NotCapable",
        inside: "done",
        outside: closed ? "PermissionDenied" : "done",
        shell: closed ? "PermissionDenied" : "done",
        again: "denied",
      });
    }),
});
