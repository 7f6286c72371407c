import assert from "node:assert/strict";
import { type CliScene, dataOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, type ScriptedModel, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { onlySession } from "./_support.ts";

/** A cent for a thousand tokens of a response, and nothing for requests. */
const PRICE = { inputPerMillion: 0, outputPerMillion: 10 };
const CENT = { input: 50, output: 1_000 };

async function limitTo(
  cli: CliScene,
  model: ScriptedModel,
  profile: Readonly<Record<string, unknown>>,
  prices: Readonly<Record<string, unknown>> = { stub: PRICE },
): Promise<void> {
  await cli.configure({
    provider: { baseURL: model.baseUrl, model: "stub", prices },
    riskProfiles: { p: { sandboxBackend: "none", ...profile } },
    agents: { build: { riskProfile: "p" } },
  });
}

Deno.test("alisio run stops before the request that the day has no money left for", async () => {
  const listing = chatReply({
    calls: [{ id: "call_1", name: "list_files", arguments: {} }],
    usage: CENT,
  });
  await using model = await startModel([
    listing,
    listing,
    callTurn(["list_files", {}]),
    chatReply({ text: "Done" }),
  ]);
  await withCli(async (cli) => {
    await limitTo(cli, model, { maxCostPerDayCents: 2 });
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 1, shown(run));
    const { code, error } = dataOf(run, "run_failed");
    assert.equal(code, "cost_limit");
    assert.match(
      String(error),
      /2\.0 cents are spent today, "riskProfiles\.p\.maxCostPerDayCents"/,
    );
    assert.equal(model.chats.length, 2);
    // Another session, another profile of the same person, and a deleted session: one day.
    const other = await cli.run(["run", "y"]);
    assert.equal(other.status, 1, shown(other));
    assert.match(other.stderr, /^alisio: The limit of costs for a day is reached/);
    assert.equal(model.chats.length, 2);
    for (const _ of [0, 1]) {
      const ids = (await cli.run(["sessions", "list", "--json"])).stdout.split("\n");
      const { id } = JSON.parse(ids[0] ?? "{}");
      const deleted = await cli.run(["sessions", "delete", id, "--yes"]);
      assert.equal(deleted.status, 0, shown(deleted));
    }
    assert.equal((await cli.run(["run", "z"])).status, 1);
    // Raised, the work goes on.
    await limitTo(cli, model, { maxCostPerDayCents: 3 });
    const session = await onlySession(cli);
    const resumed = await cli.run(["resume", session, "go on"]);
    assert.equal(resumed.status, 0, shown(resumed));
  });
});

Deno.test("alisio run takes the price that the server's catalog states, and estimates what it does not count", async () => {
  const pricing = { prompt: "0.00001", completion: "0.00003" };
  await using model = await startModel([chatReply({ text: "Hello" })], { entry: { pricing } });
  await withCli(async (cli) => {
    await limitTo(cli, model, { maxCostPerDayCents: 1 }, {});
    const first = await cli.run(["run", "x".repeat(5_000)]);
    assert.equal(first.status, 0, shown(first));
    assert.equal(first.stderr, "");
    const second = await cli.run(["run", "y"]);
    assert.equal(second.status, 1, shown(second));
    assert.match(second.stderr, /\d\.\d cents are spent today/);
  });
});

Deno.test("alisio run says once that a limit cannot be kept, where the profile names it", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await limitTo(cli, model, { maxCostPerDayCents: 100 }, { other: PRICE });
    const run = await cli.run(["run", "x"]);
    assert.equal(run.status, 0, shown(run));
    const notice =
      /"riskProfiles\.p\.maxCostPerDayCents" cannot be kept: no price is known of model/g;
    assert.equal(run.stderr.match(notice)?.length, 1, shown(run));
    assert.match(run.stderr, /"provider\.prices"/);
    await limitTo(cli, model, {}, {});
    const silent = await cli.run(["run", "x"]);
    assert.deepEqual([silent.status, silent.stderr], [0, ""], shown(silent));
    assert.match(
      (await cli.run(["doctor"])).stdout,
      /\nCost limit +500 cents a day, if the server/,
    );
    await limitTo(cli, model, { maxCostPerDayCents: 0 }, {});
    const none = await cli.run(["run", "x", "--json"]);
    assert.equal(dataOf(none, "run_failed")["code"], "cost_limit", shown(none));
  });
});

Deno.test("alisio run lets no project choose what has no price, where a limit is named", async () => {
  await using model = await startModel([chatReply({ text: "One", usage: CENT })]);
  await withCli(async (cli) => {
    const provider = { baseURL: model.baseUrl, model: "other", auth: "none" };
    await Deno.mkdir(`${cli.workspace}/.alisio`);
    await Deno.writeTextFile(`${cli.workspace}/.alisio/config.json`, JSON.stringify({ provider }));
    await limitTo(cli, model, { maxCostPerDayCents: 100 });
    const run = await cli.run(["run", "x", "--trust-project"]);
    assert.equal(run.status, 2, shown(run));
    assert.match(run.stderr, /Cannot use model "other", which ".*config\.json" chooses: no price/);
    assert.equal(model.chats.length, 0);
    // Neither does it by selecting a profile that names no limit itself.
    const riskProfile = { build: { riskProfile: "q" } };
    await Deno.writeTextFile(
      `${cli.workspace}/.alisio/config.json`,
      JSON.stringify({ provider, agents: riskProfile }),
    );
    const q = { sandboxBackend: "none" };
    await cli.configure({
      provider: { baseURL: model.baseUrl, model: "stub", prices: { stub: PRICE } },
      riskProfiles: { p: { ...q, maxCostPerDayCents: 1_000 }, q },
      agents: { build: { riskProfile: "p" } },
    });
    assert.equal((await cli.run(["run", "x", "--trust-project"])).status, 2);
    await Deno.writeTextFile(`${cli.workspace}/.alisio/config.json`, JSON.stringify({ provider }));
    // Named by nobody, or with a price, it may.
    await limitTo(cli, model, {});
    assert.equal((await cli.run(["run", "x", "--trust-project"])).status, 0);
    await limitTo(cli, model, { maxCostPerDayCents: 100 }, { other: PRICE });
    assert.equal((await cli.run(["run", "x", "--trust-project"])).status, 0);
  });
});

Deno.test("alisio run takes no price from a project", async () => {
  await using model = await startModel([chatReply({ text: "One", usage: CENT })]);
  await withCli(async (cli) => {
    await limitTo(cli, model, { maxCostPerDayCents: 1 });
    const free = { stub: { inputPerMillion: 0, outputPerMillion: 0 } };
    await Deno.mkdir(`${cli.workspace}/.alisio`);
    const provider = { baseURL: model.baseUrl, model: "stub", auth: "none", prices: free };
    await Deno.writeTextFile(`${cli.workspace}/.alisio/config.json`, JSON.stringify({ provider }));
    const first = await cli.run(["run", "x", "--trust-project"]);
    assert.equal(first.status, 0, shown(first));
    assert.match(first.stderr, /provider\.prices/);
    const second = await cli.run(["run", "x", "--trust-project", "--json"]);
    assert.equal(dataOf(second, "run_failed")["code"], "cost_limit", shown(second));
  });
});
