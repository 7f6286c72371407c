import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";

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
