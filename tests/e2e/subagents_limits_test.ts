import assert from "node:assert/strict";
import { type CliScene, jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import {
  callTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { startStubServer } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { answers, delegates, hangs, playing, roleOf, said, taskIdOf } from "./_roles.ts";
import { assertResumes, useModel } from "./_support.ts";

/** Profiles of servers, the first of which is the active one. */
async function useProfiles(
  cli: CliScene,
  servers: Readonly<Record<string, string>>,
): Promise<void> {
  const [active = ""] = Object.keys(servers);
  const profiles = Object.fromEntries(
    Object.entries(servers).map(([name, baseURL]) => [name, {
      provider: "openai-compatible",
      values: { baseURL, auth: "none" },
    }]),
  );
  const file = { schemaVersion: 1, active: { profile: active, model: "stub" }, profiles };
  await writeTree(cli.configHome, { "providers.json": JSON.stringify(file) });
}

const NO_CATALOG = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/** A server that drops its first request for an answer, and refuses all connections from then on. */
function startDying(): { readonly baseUrl: string; readonly died: Promise<void> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const die = async () => {
    for await (const connection of listener) {
      using _ = connection;
      const start = new Uint8Array(4);
      await connection.read(start);
      // To leave the loop closes the listener.
      if (new TextDecoder().decode(start) === "POST") return;
      await connection.write(new TextEncoder().encode(NO_CATALOG));
    }
  };
  return { baseUrl: `http://127.0.0.1:${listener.addr.port}/v1`, died: die() };
}

/** The last request of a role. */
function lastOf(model: ScriptedModel, role: string) {
  const last = model.chats.findLast((request) => roleOf(request) === role);
  assert.ok(last !== undefined, `${role} was not asked`);
  return last;
}

Deno.test("alisio run ends at once while a child tries a dead server again (field case 165)", async () => {
  await using model = await startModel(playing({
    root: [delegates(["explore", "child", { model: "dead/stub" }])],
  }));
  await withCli(async (cli) => {
    const { baseUrl, died } = startDying();
    await useProfiles(cli, { home: model.baseUrl, dead: baseUrl });
    const run = cli.start(["run", "root", "--json"]);
    await died;
    const startedAt = performance.now();
    run.kill("SIGINT");
    const ended = await run.ended;
    assert.equal(ended.status, 130, shown(ended));
    // All pauses together are more than seven seconds.
    assert.ok(performance.now() - startedAt < 3_000);
    const events = jsonLines(ended).map(({ type }) => type);
    assert.equal(events.at(-1), "run_cancelled");
    assert.ok(events.includes("tool_completed"), "the call has its result");
    const resumed = await assertResumes(cli, sessionOf(ended));
    const [result] = toolResults(resumed);
    assert.match(result ?? "", /Stopped by SIGINT|cancelled/i);
    assert.equal(toolResults(resumed).length, 1);
  });
});

Deno.test("alisio run ends at once while a server is asked for the models that a task may use", async () => {
  await using model = await startModel(playing({
    root: [delegates(["explore", "child", { model: "dead/stub" }])],
  }));
  const asked = Promise.withResolvers<void>();
  await using silent = await startStubServer(() => {
    asked.resolve();
    return { framing: "raw", steps: [{ do: "hang" }] };
  });
  await withCli(async (cli) => {
    await useProfiles(cli, { home: model.baseUrl, dead: silent.baseUrl });
    const run = cli.start(["run", "root", "--json"]);
    await asked.promise;
    const startedAt = performance.now();
    run.kill("SIGINT");
    const ended = await run.ended;
    assert.equal(ended.status, 130, shown(ended));
    assert.ok(performance.now() - startedAt < 3_000);
    assert.equal(toolResults(await assertResumes(cli, sessionOf(ended))).length, 1);
  });
});

Deno.test("A child whose server refuses connections fails with its id, and goes on where it answers again", async () => {
  let id = "";
  await using model = await startModel(playing({
    root: [
      delegates(["explore", "child", { model: "dead/stub" }]),
      answers("It is down"),
      (request) => {
        id = taskIdOf(toolResults(request)[0]);
        return callTurn(["task", {
          description: "again",
          prompt: "again",
          subagent_type: "explore",
          task_id: id,
        }]);
      },
    ],
  }));
  await using back = await startModel([chatReply({ text: "It is back" })]);
  await withCli(async (cli) => {
    const { baseUrl, died } = startDying();
    await useProfiles(cli, { home: model.baseUrl, dead: baseUrl });
    const run = await cli.run(["run", "root", "--json"]);
    await died;
    assert.equal(run.status, 0, shown(run));
    const failure = JSON.parse(toolResults(lastOf(model, "root"))[0] ?? "");
    assert.deepEqual([failure.agent, failure.state], ["explore", "failed"]);
    assert.match(failure.error, /^Cannot /);
    await useProfiles(cli, { home: model.baseUrl, dead: back.baseUrl });
    const resumed = await cli.run(["resume", sessionOf(run), "go on", "--json"]);
    assert.equal(resumed.status, 0, shown(resumed));
    assert.equal(failure.task_id, id);
    assert.match(toolResults(lastOf(model, "root"))[1] ?? "", /It is back/);
    assert.match(said(back.chats[0] ?? lastOf(model, "root"))[0] ?? "", /^child/);
  });
});

Deno.test("A child has its own limits of answers, tokens and time, and goes on after each", async () => {
  const again = (request: Parameters<typeof toolResults>[0]) =>
    callTurn(
      ...toolResults(request).map((result) =>
        ["task", {
          description: "again",
          prompt: "again",
          subagent_type: "explore",
          task_id: taskIdOf(result),
        }] as const
      ),
    );
  await using model = await startModel(playing({
    root: [delegates(["explore", "slow"], ["explore", "greedy"]), answers("Both failed"), again],
    slow: [
      (request) => said(request)[0]?.includes("again") ? chatReply({ text: "In time" }) : hangs(),
    ],
    greedy: [
      () =>
        chatReply({
          calls: [{ id: "a", name: "list_files", arguments: {} }],
          usage: { input: 900, output: 200 },
        }),
    ],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model, {
      builtinPlugins: {
        subagents: { timeoutMs: 1_000, maxTokensPerChild: 1_000, maxOutputTokensPerChild: 4_321 },
      },
      limits: { maxOutputTokens: 2_000 },
    });
    const run = await cli.run(["run", "root", "--json"]);
    assert.equal(run.status, 0, shown(run));
    for (const request of model.chats) {
      const { max_tokens: limit } = request.json as { readonly max_tokens: number };
      assert.equal(limit, roleOf(request) === "root" ? 2_000 : 4_321);
    }
    const [slow, greedy] = toolResults(lastOf(model, "root")).map((each) => JSON.parse(each));
    assert.deepEqual([slow.state, greedy.state], ["failed", "failed"]);
    assert.match(slow.error, /1000 ms/);
    assert.match(greedy.error, /used 1100 tokens, the limit is 1000/);
    assert.equal(model.chats.filter((request) => roleOf(request) === "greedy").length, 1);
    const resumed = await cli.run(["resume", sessionOf(run), "go on", "--json"]);
    assert.equal(resumed.status, 0, shown(resumed));
    const reports = toolResults(lastOf(model, "root")).slice(2);
    assert.match(reports[0] ?? "", new RegExp(`id="${slow.task_id}"[^]*\nIn time\n`));
    assert.match(reports[1] ?? "", new RegExp(`id="${greedy.task_id}"[^]*\ngreedy is done\n`));
  });
});

Deno.test("A model id that several profiles offer is refused with all of them, before any model is asked", async () => {
  await using model = await startModel(playing({
    root: [delegates(["explore", "child", { model: "stub" }], ["lost", "child"])],
  }));
  await using other = await startModel();
  await withCli(async (cli) => {
    await useProfiles(cli, { home: model.baseUrl, work: other.baseUrl });
    const agents = { lost: { description: "Lost", prompt: "x", model: "stub" } };
    const run = await cli.run(
      ["run", "root", "--json", "--model", "home/stub", "--agents", JSON.stringify(agents)],
    );
    assert.equal(run.status, 0, shown(run));
    const results = toolResults(lastOf(model, "root"));
    assert.equal(results.length, 2);
    for (const result of results) {
      assert.match(JSON.parse(result).error, /several profiles.*"home\/stub".*"work\/stub"/);
    }
    assert.equal(other.chats.length, 0);
    assert.ok(model.chats.every((request) => roleOf(request) === "root"));
  });
});
