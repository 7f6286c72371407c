import assert from "node:assert/strict";
import { jsonLines, withCli } from "../support/cli_harness.ts";
import { startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";

const LINUX = Deno.build.os === "linux";

/** Permission flags of a run while its first request is open, without what is the same in all. */
async function flagsOf(args: readonly string[]): Promise<readonly string[]> {
  const go = Promise.withResolvers<void>();
  await using model = await startModel([async () => {
    await go.promise;
    return chatReply({ text: "Done" });
  }]);
  let flags: readonly string[] = [];
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = cli.start(["run", "x", ...args]);
    await model.chat(0);
    const words = (await Deno.readTextFile(`/proc/${run.pid}/cmdline`)).split("\0");
    flags = words.filter((word) => word.startsWith("--") || word === "-A")
      .map((word) =>
        word.replaceAll(cli.dir, "DIR").replaceAll(new URL(model.baseUrl).host, "HOST")
      );
    go.resolve();
    assert.equal((await run.ended).status, 0);
  });
  return flags;
}

function valuesOf(flags: readonly string[], name: string): readonly string[] | "all" | "none" {
  const flag = flags.find((each) => each === name || each.startsWith(`${name}=`));
  if (flag === undefined) return "none";
  return flag === name ? "all" : flag.slice(name.length + 1).split(",");
}

Deno.test({
  name: "alisio run limits its own process to what the run could be allowed",
  ignore: !LINUX,
  fn: async () => {
    const flags = await flagsOf([]);
    for (const flag of ["--no-prompt", "--deny-ffi", "--cached-only"]) {
      assert.ok(flags.includes(flag), flag);
    }
    assert.equal(flags.includes("-A"), false);
    assert.deepEqual(valuesOf(flags, "--allow-net"), ["HOST"]);
    const writable = valuesOf(flags, "--allow-write");
    assert.deepEqual(writable, ["DIR/state", "DIR/work/.alisio/cache"]);
    const programs = valuesOf(flags, "--allow-run");
    assert.ok(Array.isArray(programs) && programs.every((path) => /\/(?:rg|git)$/.test(path)));
    assert.ok(valuesOf(flags, "--allow-read") !== "all");
  },
});

Deno.test({
  name: "alisio run opens each wall no further than its flag says",
  ignore: !LINUX,
  fn: async () => {
    const write = await flagsOf(["--allow-write"]);
    assert.ok(valuesOf(write, "--allow-write").includes("DIR/work"));
    for (const name of [".git", "HEAD", ".alisio/config.json", ".alisio/plugins"]) {
      assert.ok(valuesOf(write, "--deny-write").includes(`DIR/work/${name}`), name);
    }
    assert.notEqual(valuesOf(write, "--allow-run"), "all");
    const process = await flagsOf(["--allow-process"]);
    assert.equal(valuesOf(process, "--allow-run"), "all");
    assert.deepEqual(valuesOf(process, "--allow-write"), ["DIR/state", "DIR/work/.alisio/cache"]);
    const readOnly = await flagsOf(["--allow-write", "--allow-process", "--read-only"]);
    assert.notEqual(valuesOf(readOnly, "--allow-run"), "all");
    assert.equal(valuesOf(readOnly, "--allow-write").includes("DIR/work"), false);
  },
});

Deno.test({
  name: "alisio doctor --permissions shows exactly the flags that alisio run starts under",
  ignore: !LINUX,
  fn: async () => {
    const rows = [[], ["--allow-write"], ["--allow-process"], ["--read-only"]];
    for (const args of rows) {
      const go = Promise.withResolvers<void>();
      await using model = await startModel([async () => {
        await go.promise;
        return chatReply({ text: "Done" });
      }]);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const { stdout } = await cli.run(["doctor", "--permissions", "--json", ...args]);
        const { permissions } = JSON.parse(stdout);
        const run = cli.start(["run", "x", ...args]);
        await model.chat(0);
        const words = (await Deno.readTextFile(`/proc/${run.pid}/cmdline`)).split("\0");
        go.resolve();
        assert.equal((await run.ended).status, 0);
        const main = words.findIndex((word) => word.endsWith("/cli/agent.ts"));
        assert.deepEqual(permissions.flags, words.slice(2, main));
      });
    }
  },
});

Deno.test({
  name: "alisio run --no-second-wall leaves the process as it is, and says so loudly",
  ignore: !LINUX,
  fn: async () => {
    const flags = await flagsOf(["--no-second-wall", "--quiet"]);
    assert.ok(flags.includes("-A"));
    await withCli(async (cli) => {
      await using model = await startModel([]);
      await useModel(cli, model);
      const { stderr, status } = await cli.run(["run", "x", "--no-second-wall", "--quiet"]);
      assert.match(stderr, /^Warning: the second wall is off/);
      assert.equal(status, 0);
      const [first] = jsonLines(await cli.run(["run", "x", "--no-second-wall", "--json"]));
      assert.deepEqual([first?.type, first?.data["code"]], ["warning", "second_wall_off"]);
      const [usual] = jsonLines(await cli.run(["run", "x", "--json"]));
      assert.equal(usual?.type, "run_started");
    });
  },
});

Deno.test({
  name: "alisio run closes stored keys to other users although it may not change them",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using model = await startModel([chatReply({ text: "Done" })]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const path = `${cli.configHome}/credentials.json`;
      await Deno.writeTextFile(path, JSON.stringify({ schemaVersion: 1, profiles: {} }));
      await Deno.chmod(path, 0o644);
      const run = await cli.run(["run", "x"]);
      assert.equal(run.status, 0, run.stderr);
      assert.match(
        run.stderr,
        /Other users could read ".*credentials\.json"; its mode is now 0600/,
      );
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
      assert.doesNotMatch((await cli.run(["run", "x"])).stderr, /credentials/);
    });
  },
});
