import assert from "node:assert/strict";
import { join } from "node:path";
import { dataOf, shown, withCli } from "../support/cli_harness.ts";
import { linkPackages, startRegistry } from "../support/local_registry.ts";
import { DENO } from "../support/paths.ts";
import { withTempDir } from "../support/temp.ts";

/** Runs the runtime in a folder, as a person would, and fails if it does. */
async function deno(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(DENO, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 0, text);
  return text;
}

Deno.test("A new plugin of a checkout passes its tests, is tidy, and loads as a package", async () => {
  await withCli(async (cli) => {
    const made = await cli.run(["plugins", "new", "alisio-plugin-hi", "--id", "acme.hello"]);
    assert.equal(made.status, 0, shown(made));
    const folder = join(cli.workspace, "alisio-plugin-hi");
    assert.match(await deno(folder, ["test"]), /2 passed \| 0 failed \| 1 ignored/);
    assert.match(await deno(folder, ["task", "test"]), /3 passed \| 0 failed/);
    await deno(folder, ["fmt", "--check"]);
    await deno(folder, ["lint"]);
    await deno(folder, ["task", "build"]);

    await Deno.mkdir(join(cli.workspace, "node_modules"));
    await Deno.rename(folder, join(cli.workspace, "node_modules/alisio-plugin-hi"));
    const run = await cli.run(
      ["run", "/acme.hello:greetings", "--json", "--plugin", "alisio-plugin-hi"],
    );
    assert.equal(dataOf(run, "command_result").text, "Greetings so far: 0", shown(run));
  });
});

Deno.test({
  name: "A new plugin that cannot be written leaves nothing that the next try would stumble over",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withCli(async (cli) => {
      const words = ["plugins", "new", "hi"];
      // No file may be longer than a kilobyte, and some of the plugin's are.
      const wrap = ["bash", "-c", `trap "" XFSZ; ulimit -f 1; exec "$@"`, "bash"];
      const failed = await cli.run(words, { wrap });
      assert.equal(failed.status, 2, shown(failed));
      assert.match(failed.stderr, /^alisio: Cannot write ".*plugin_test\.ts": File too large/m);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(join(cli.workspace, "hi"))), []);
      const made = await cli.run(words);
      assert.equal(made.status, 0, shown(made));
    }),
});

Deno.test({
  name: "A new plugin of the published form passes its tests",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await using registry = await startRegistry();
      await linkPackages(join(dir, "cache"));
      const env = { HOME: dir, DENO_DIR: join(dir, "cache"), JSR_URL: registry.url };
      const alisio = ["run", "-A", "--quiet", "--no-config", "--no-lock", "jsr:@alisio/cli"];
      await deno(dir, [...alisio, "plugins", "new", "hi"], env);
      const config = JSON.parse(await Deno.readTextFile(join(dir, "hi/deno.json")));
      assert.match(config.imports["@alisio/sdk"], /^jsr:@alisio\/sdk@\^\d/);
      assert.match(await deno(join(dir, "hi"), ["test", "-A"], env), /3 passed \| 0 failed/);
    }),
});
