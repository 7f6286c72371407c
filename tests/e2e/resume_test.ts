import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";

Deno.test("alisio resume finds the script of a session from any directory", async () => {
  await withCli(async (cli) => {
    const turns = { turns: [{ text: "Hi" }], loop: true };
    await Deno.writeTextFile(join(cli.workspace, "s.json"), JSON.stringify(turns));
    const run = await cli.run(["run", "hello", "--json", "--model", "scripted/s.json"]);
    assert.equal(run.status, 0, shown(run));
    const session = String(JSON.parse(run.stdout.split("\n")[0] ?? "").sessionId);
    for (const cwd of [cli.dir, cli.workspace]) {
      const resumed = await cli.run(["resume", session, "again"], { cwd });
      assert.deepEqual([resumed.status, resumed.stdout], [0, "Hi\n"], shown(resumed));
    }
  });
});

Deno.test("alisio resume says so where a session goes on in another directory, and only there", async () => {
  await withCli(async (cli) => {
    const script = join(cli.dir, "script.json");
    await Deno.writeTextFile(script, JSON.stringify({ turns: [{ text: "Hi" }], loop: true }));
    const run = await cli.run(["run", "hello", "--json", "--model", `scripted/${script}`]);
    assert.equal(run.status, 0, shown(run));
    const session = String(JSON.parse(run.stdout.split("\n")[0] ?? "").sessionId);
    const here = await cli.run(["resume", session, "again"]);
    assert.deepEqual([here.status, here.stderr], [0, ""], shown(here));
    const there = await cli.run(["resume", session, "again"], { cwd: cli.dir });
    assert.equal(there.status, 0, shown(there));
    assert.equal(
      there.stderr,
      `Session ${session} was started in "${cli.workspace}" and goes on in "${cli.dir}"; ` +
        "to work there, pass --cwd\n",
    );
  });
});
