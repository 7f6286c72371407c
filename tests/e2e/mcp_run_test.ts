import assert from "node:assert/strict";
import { EXIT_STATUS } from "../../cli/exit_status.ts";
import { dataOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { writeTree } from "../support/temp.ts";
import { offeredServerTools, offeredTools, smallServer } from "./_mcp.ts";
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
      const told = /No tool of the MCP servers "small" is there, .*: pass --allow-mcp/;
      assert.equal(told.test(run.stderr), flags.length === 0, run.stderr);
    });
  });
}

Deno.test("alisio run does not wait for a slow server, whose tools come later (field case 124)", async () => {
  await withCli(async (cli) => {
    const waitFor = `${cli.dir}/go`;
    await using model = await startModel([
      async () => {
        await Deno.writeTextFile(waitFor, "");
        return callTurn(["mcp_connect", { server: "slow" }]);
      },
      callTurn(["mcp_slow_echo", { value: "late" }]),
    ]);
    const servers = { slow: smallServer({ waitFor }) };
    await useModel(cli, model, { mcp: { servers, startupWaitMs: 100 } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(offeredServerTools(await model.chat(0)), ["mcp_connect"]);
    assert.ok(offeredServerTools(await model.chat(1)).includes("mcp_slow_echo"));
    const [connected = "", echoed = ""] = toolResults(await model.chat(2));
    assert.equal(JSON.parse(connected).state, "connected");
    assert.match(echoed, /^echo: late/);
  });
});

Deno.test("alisio run gives up a server that never answers, and says what to raise", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([callTurn(["mcp_connect", { server: "mute" }])]);
    const servers = { mute: smallServer({ waitFor: `${cli.dir}/never` }, { timeoutMs: 1_000 }) };
    await useModel(cli, model, { mcp: { servers, startupWaitMs: 0 } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(toolResults(await model.chat(1))[0] ?? "", /"mcp\.servers\.mute\.timeoutMs"/);
    assert.match(run.stderr, /mute/);
  });
});

Deno.test("alisio run tells why a server died, and connects again for the next call (field case 130)", async () => {
  await using model = await startModel([
    callTurn(["mcp_small_echo", { value: "a" }]),
    callTurn(["mcp_small_die", {}]),
    callTurn(["mcp_small_echo", { value: "b" }]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { mcp: { servers: { small: smallServer() } } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    const [first = "", died = "", second = ""] = toolResults(await model.chat(3));
    assert.equal(died.split("out of luck").length, 2, died);
    const pidOf = (text: string) => /pid (\d+)/.exec(text)?.[1];
    assert.notEqual(pidOf(second), undefined, second);
    assert.notEqual(pidOf(second), pidOf(first));
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("alisio run cancels a call without an answer, and goes on with the server (field case 132)", async () => {
  await using model = await startModel([
    callTurn(["mcp_small_echo", { value: "a" }]),
    callTurn(["mcp_small_slow", {}]),
    callTurn(["mcp_small_echo", { value: "b" }]),
  ]);
  await withCli(async (cli) => {
    const servers = { small: smallServer({}, { callTimeoutMs: 1_000 }) };
    await useModel(cli, model, { mcp: { servers } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    const [first = "", slow = "", second = ""] = toolResults(await model.chat(3));
    assert.match(slow, /gave no answer/);
    assert.equal(second, first.replace("echo: a", "echo: b"));
  });
});

Deno.test("alisio run runs no call of a tool that its server changed meanwhile", async () => {
  await using model = await startModel([
    callTurn(["mcp_small_change", {}], ["mcp_small_echo", { value: "stale" }]),
    callTurn(["mcp_small_echo", { value: "fresh" }]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { mcp: { servers: { small: smallServer() } } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    const [, stale = "", fresh = ""] = toolResults(await model.chat(2));
    assert.match(stale, /^Not run: /);
    assert.match(fresh, /^echo: fresh \(version 2/);
    const shownThen = offeredTools(await model.chat(1)).find(({ name }) =>
      name === "mcp_small_echo"
    );
    assert.match(shownThen?.description ?? "", /version 2/);
    assert.match(run.stderr, /changed its tool "echo"/);
  });
});

Deno.test("alisio run lets a model search where tools are too many to be sent", async () => {
  await using model = await startModel([
    callTurn(["mcp_search", { query: "number 77" }]),
    callTurn(["mcp_small_tool_77", {}]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { mcp: { servers: { small: smallServer({ many: 300 }) } } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    const first = offeredServerTools(await model.chat(0));
    assert.ok(first.includes("mcp_search") && !first.includes("mcp_small_echo"), String(first));
    assert.ok(offeredServerTools(await model.chat(1)).includes("mcp_small_tool_77"));
    assert.match(toolResults(await model.chat(2))[1] ?? "", /^tool_77: /);
  });
});

Deno.test("alisio run lists and reads resources and prompts of servers", async () => {
  await using model = await startModel([
    callTurn(["mcp_resource", { server: "small" }]),
    callTurn(["mcp_resource", { server: "small", uri: "memo://a" }]),
    callTurn(["mcp_prompt", { server: "small" }]),
    callTurn(["mcp_prompt", { server: "small", name: "greet", arguments: { who: "Ada" } }]),
    callTurn(["mcp_prompt", { server: "other" }]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { mcp: { servers: { small: smallServer() } } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    const [listed = "", read = "", prompts = "", got = "", none = ""] = toolResults(
      await model.chat(5),
    );
    assert.equal(JSON.parse(listed).resources[0].uri, "memo://a");
    assert.match(read, /what a says/);
    assert.equal(JSON.parse(prompts).prompts[0].name, "greet");
    assert.match(got, /Greet Ada/);
    assert.match(none, /There is no MCP server "other"; there are: "small"/);
  });
});

Deno.test("mcp.allow consents from the person's own file, and from no other", async () => {
  await withCli(async (cli) => {
    const pidFile = `${cli.dir}/pid`;
    const servers = { small: smallServer({ pidFile }) };
    await using model = await startModel();
    await useModel(cli, model);
    await writeTree(cli.workspace, {
      ".alisio/config.json": JSON.stringify({ mcp: { allow: true, servers } }),
    });
    const project = await cli.run(["run", "x", "--json", "--trust-project"]);
    assert.equal(project.status, 0, shown(project));
    assert.match(project.stderr, /"?mcp\.allow"?/);
    assert.deepEqual(offeredServerTools(await model.chat(0)), []);
    await assert.rejects(() => Deno.stat(pidFile), Deno.errors.NotFound);
    await useModel(cli, model, { mcp: { allow: true } });
    const untrusted = await cli.run(["run", "x", "--json"]);
    assert.equal(untrusted.status, 0, shown(untrusted));
    assert.deepEqual(offeredServerTools(await model.chat(1)), []);
    const trusted = await cli.run(["run", "x", "--json", "--trust-project"]);
    assert.equal(trusted.status, 0, shown(trusted));
    assert.ok(offeredServerTools(await model.chat(2)).includes("mcp_small_echo"));
  });
});

Deno.test("alisio run starts no server for the agent that only looks, whatever is consented to", async () => {
  await using model = await startModel([callTurn(["mcp_connect", { server: "small" }])]);
  await withCli(async (cli) => {
    const pidFile = `${cli.dir}/pid`;
    const servers = { small: smallServer({ pidFile }) };
    await useModel(cli, model, { mcp: { allow: true, servers }, agents: { active: "plan" } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, EXIT_STATUS.callRefused, shown(run));
    assert.deepEqual(offeredServerTools(await model.chat(0)), []);
    assert.match(toolResults(await model.chat(1))[0] ?? "", /^Refused: |There is no tool/);
    await assert.rejects(() => Deno.stat(pidFile), Deno.errors.NotFound);
    assert.doesNotMatch(run.stderr, /small/);
  });
});

Deno.test("alisio run keeps tools of servers to the risk profile, whatever was consented to", async () => {
  const turn = callTurn(["mcp_small_echo", { value: "hello" }]);
  const riskProfiles = {
    quiet: { level: "readonly" },
    asking: { preset: "yolo", alwaysAsk: ["mcp_small_echo"] },
    loose: { preset: "yolo" },
  };
  const rows = [
    ["quiet", false, /^There is no tool "mcp_small_echo"/],
    // Nobody is there to be asked, so it is not offered.
    ["asking", false, /^Not run: "mcp_small_echo" .*was not shown to you/],
    ["loose", true, /^echo: hello/],
  ] as const;
  await withCli(async (cli) => {
    for (const [profile, isOffered, expected] of rows) {
      await using model = await startModel([turn]);
      await useModel(cli, model, { riskProfiles, mcp: { servers: { small: smallServer() } } });
      const flags = ["--allow-mcp", "--risk-profile", profile];
      const run = await cli.run(["run", "x", "--json", ...flags]);
      assert.equal(run.status, 0, profile + shown(run));
      const offered = offeredServerTools(await model.chat(0));
      assert.equal(offered.includes("mcp_small_echo"), isOffered, profile);
      assert.match(toolResults(await model.chat(1))[0] ?? "", expected, profile);
    }
  });
});
