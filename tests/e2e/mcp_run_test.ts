import assert from "node:assert/strict";
import { dataOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { offeredServerTools, smallServer } from "./_mcp.ts";
import { isGone, useModel } from "./_support.ts";

Deno.test("alisio run --allow-mcp lets the model use a server that is a program", async () => {
  await using model = await startModel([callTurn(["mcp_small_echo", { value: "hello" }])]);
  await withCli(async (cli) => {
    const pidFile = `${cli.dir}/pid`;
    await useModel(cli, model, { mcp: { servers: { small: smallServer({ pidFile }) } } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(dataOf(run, "tool_started").effect, "external");
    const [result = ""] = toolResults(await model.chat(1));
    assert.match(result, /^echo: hello \(version 1/);
    assert.deepEqual(model.violations, []);
    assert.ok(await isGone(Number(await Deno.readTextFile(pidFile))));
  });
});

for (const flags of [[], ["--read-only", "--allow-mcp"]]) {
  const how = flags.join(" ") || "without a flag";
  Deno.test(`alisio run ${how} starts no server and offers no tool of one`, async () => {
    await using model = await startModel([callTurn(["mcp_small_echo", { value: "hello" }])]);
    await withCli(async (cli) => {
      const pidFile = `${cli.dir}/pid`;
      await useModel(cli, model, { mcpServers: { small: smallServer({ pidFile }) } });
      const run = await cli.run(["run", "x", "--json", ...flags]);
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(offeredServerTools(await model.chat(0)), []);
      assert.match(toolResults(await model.chat(1))[0] ?? "", /^There is no tool "mcp_small_echo"/);
      await assert.rejects(() => Deno.stat(pidFile), Deno.errors.NotFound);
    });
  });
}
