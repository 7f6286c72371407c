import assert from "node:assert/strict";
import { join } from "node:path";
import { sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { useModel } from "./_support.ts";

const COUNT = 40;

Deno.test({
  name: "alisio sessions rewind goes on with the same command where kill -9 ended it",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const names = Array.from({ length: COUNT }, (_, at) => `f${at}.txt`);
    await using model = await startModel([
      callTurn(
        ...names.map((path) =>
          ["write_file", { path, content: `of ${path}\n`, expectedHash: null }] as const
        ),
      ),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = await cli.run(["run", "write them", "--json", "--allow-write"]);
      assert.equal(run.status, 0, shown(run));
      const left = async () => {
        const found = await Array.fromAsync(Deno.readDir(cli.workspace));
        return found.map(({ name }) => name).filter((name) => names.includes(name));
      };
      assert.equal((await left()).length, COUNT);
      const rewind = ["sessions", "rewind", sessionOf(run), "last", "--files", "--yes"];
      const watcher = Deno.watchFs(cli.workspace);
      const cut = cli.start(rewind, { wrap: ["setsid"] });
      for await (const { kind } of watcher) if (kind === "remove") break;
      Deno.kill(-cut.pid, "SIGKILL");
      await cut.ended;
      const between = await left();
      assert.ok(between.length < COUNT, "it had begun");
      for (const name of between) {
        assert.equal(await Deno.readTextFile(join(cli.workspace, name)), `of ${name}\n`);
      }
      const done = await cli.run(rewind);
      assert.equal(done.status, between.length === 0 ? done.status : 0, shown(done));
      assert.deepEqual(await left(), []);
      const undone = await cli.run(["sessions", "rewind", sessionOf(run), "--undo", "--yes"]);
      assert.equal(undone.status, 0, shown(undone));
      assert.equal((await left()).length, COUNT);
    });
  },
});
