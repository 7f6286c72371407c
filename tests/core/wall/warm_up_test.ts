import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runtimeCache, warmUp, warmUpNoteName } from "../../../core/wall/warm_up.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test("warmUp() loads the modules once for each version, without any permission", async () => {
  await withTempDir(async (root) => {
    await writeTree(root, {
      "deno.json": "{}",
      "main.ts": `Deno.writeTextFileSync("${join(root, "loaded")}", "x");`,
      "good.ts": "export const good: number = 1;",
    });
    const address = (name: string): string => pathToFileURL(join(root, name)).href;
    const options = {
      modules: [address("good.ts")],
      main: address("good.ts"),
      config: join(root, "deno.json"),
      notePath: join(root, "note"),
      version: "1",
    };
    assert.deepEqual(await warmUp(options), { status: "warmed" });
    assert.deepEqual(await warmUp(options), { status: "ready" });
    assert.deepEqual(await warmUp({ ...options, version: "2" }), { status: "warmed" });
    const harmful = await warmUp({ ...options, modules: [address("main.ts")] });
    assert.equal(harmful.status, "failed");
    assert.match(harmful.status === "failed" ? harmful.reason : "", /Requires write access/);
    await assert.rejects(() => Deno.stat(join(root, "loaded")), Deno.errors.NotFound);
    const missing = await warmUp({ ...options, modules: [address("none.ts")] });
    assert.match(missing.status === "failed" ? missing.reason : "", /none\.ts/);
    // A failure is not noted.
    assert.deepEqual(await warmUp({ ...options, version: "2" }), { status: "ready" });
  });
});

Deno.test({
  name: "runtimeCache() is the folder that the runtime names",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const env = { HOME: "/home/a", DENO_DIR: "", XDG_CACHE_HOME: "" };
    for (const change of [{}, { XDG_CACHE_HOME: "/tmp/xdg" }, { DENO_DIR: "/tmp/own" }]) {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["info", "--json"],
        env: { ...env, ...change },
      }).output();
      const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
      assert.equal(runtimeCache({ ...env, ...change }), denoDir);
    }
    assert.equal(runtimeCache({}), null);
  },
});

Deno.test("warmUpNoteName() keeps apart programs that share a cache", () => {
  const mains = ["file:///a/cli/agent.ts", "file:///b/cli/agent.ts", "https://jsr.io/a.ts"];
  const names = mains.map(warmUpNoteName);
  assert.equal(new Set(names).size, 3);
  assert.deepEqual(mains.map(warmUpNoteName), names);
  for (const name of names) assert.match(name, /^alisio-warm-[0-9a-f]{1,8}\.json$/);
});
