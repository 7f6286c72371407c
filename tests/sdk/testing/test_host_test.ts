import assert from "node:assert/strict";
import { definePlugin, type Plugin, type PluginAPI, textResult } from "@alisio/sdk";
import { setUpPlugin, type TestHost, textOf } from "@alisio/sdk/testing";
import { testPluginApi } from "../../contracts/plugin_api_contract.ts";

testPluginApi("setUpPlugin()", () => {
  const hosts: TestHost[] = [];
  return Promise.resolve({
    add: async (plugin: Plugin) => void hosts.push(await setUpPlugin(plugin)),
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host.close()));
    },
  });
});

function plugin(setup: (api: PluginAPI) => void | Promise<void>, rest: Partial<Plugin> = {}) {
  return definePlugin({ id: "acme.one", version: "0.1.0", apiVersion: 1, setup, ...rest });
}

Deno.test("setUpPlugin() refuses what Alisio would not load, and passes on what setup throws", async () => {
  const rows: readonly (readonly [Partial<Plugin>, RegExp])[] = [
    [{ id: "Acme" }, /Cannot set plugin "Acme" up: its id is not/],
    [{ version: "1" }, /its version is none such as 0\.1\.0/],
    [{ apiVersion: 2 as never }, /its apiVersion is not 1/],
    [{ setup: undefined as never }, /it has no function setup\(api\)/],
    [{ setup: () => Promise.reject(new Error("no licence")) }, /^Error: no licence$/],
  ];
  for (const [rest, reason] of rows) {
    await assert.rejects(() => setUpPlugin(plugin(() => {}, rest)), reason);
  }
});

Deno.test("callTool() passes a copy of the input and the context, and checks the result", async () => {
  await using host = await setUpPlugin(plugin((api) => {
    api.tools.register({
      name: "echo",
      description: "Echoes",
      inputSchema: { type: "object" },
      execute: (input, { workspace, session, signal, emit }) => {
        emit({ done: 1 });
        input.seen = true;
        return Promise.resolve(textResult(`${workspace} ${session} ${signal.aborted}`));
      },
    });
    api.tools.register({
      name: "wrong",
      description: "Answers nothing",
      inputSchema: { type: "object" },
      execute: () => Promise.resolve("text" as never),
    });
  }));
  const input = {};
  assert.equal(textOf(await host.callTool("echo", input)), "/workspace undefined false");
  const signal = AbortSignal.abort();
  const context = { workspace: "/w", session: "s", signal };
  assert.equal(textOf(await host.callTool("echo", input, context)), "/w s true");
  assert.deepEqual([input, host.progress], [{}, [{ done: 1 }, { done: 1 }]]);
  await assert.rejects(() => host.callTool("wrong"), /Tool "wrong" answered no result/);
  await assert.rejects(
    () => host.callTool("other"),
    /There is no tool "other"; the plugin registered "echo", "wrong"/,
  );
});

Deno.test("A test host runs commands, hands on events and asks for context", async () => {
  const seen: string[] = [];
  let disposed = 0;
  const host = await setUpPlugin(
    plugin((api) => {
      api.commands.register(
        "greet",
        (args, context) => Promise.resolve(`${args} ${context?.sessionId}`),
        { description: "Greets" },
      );
      api.events.on(async ({ type, seq }) => {
        await Promise.resolve();
        seen.push(`${type} ${seq}`);
        if (type === "run_failed") throw new Error("cannot count");
      });
      api.context.register(() => Promise.resolve("Be kind"));
      api.state.set("last", api.options?.device ?? null);
    }, { dispose: () => void disposed++ }),
    {
      members: { proof: { registerVerifier: () => () => {} } },
      options: { device: "cpu" },
      state: { first: 1 },
      without: ["paths", "providers"],
    },
  );
  assert.deepEqual(host.commands, [{ name: "greet", description: "Greets" }]);
  assert.equal(await host.runCommand("greet", "Ada", { sessionId: "s" }), "Ada s");
  await assert.rejects(() => host.runCommand("other"), /There is no command "other"/);
  await host.emit({ type: "run_started" });
  await assert.rejects(() => host.emit({ type: "run_failed" }), /cannot count/);
  assert.deepEqual(seen, ["run_started 1", "run_failed 2"]);
  assert.deepEqual(await host.contextTexts(), ["Be kind"]);
  assert.deepEqual(host.state, { first: 1, last: "cpu" });
  assert.deepEqual(["providers" in host.api, "proof" in host.api], [false, true]);
  await host.close();
  await host.close();
  assert.deepEqual([disposed, host.commands, host.tools], [1, [], []]);
});

Deno.test("A test host takes providers for extension points, declared and registered", async () => {
  const kite = { id: "kite", render: () => "<>~" };
  const screen = { id: "screen", render: () => ["x"] };
  await using host = await setUpPlugin(plugin((api) => {
    api.extensions.register("startup-screen", screen, { priority: 3 })();
    api.extensions.register("startup-screen", screen, { priority: 4 });
  }, { extensions: { mascot: kite } }));
  assert.deepEqual(host.extensions, [
    { point: "mascot", provider: kite, priority: 0 },
    { point: "startup-screen", provider: screen, priority: 4 },
  ]);
});

Deno.test("A test host begins and ends sessions", async () => {
  const ended: string[] = [];
  await using host = await setUpPlugin(plugin((api) => {
    api.session.onStart(({ workspace, reason }) => `${reason} in ${workspace}`);
    api.session.onStart(() => {});
    const off = api.session.onStart(() => "never");
    off();
    api.session.onEnd(async ({ sessionId, reason, messages }) => {
      await Promise.resolve();
      ended.push(`${sessionId} ${reason} ${messages.length}`);
    });
  }));
  assert.deepEqual(await host.startSession({ workspace: "/w" }), ["start in /w"]);
  await host.endSession({ sessionId: "s" });
  await host.endSession({ reason: "clear" });
  assert.deepEqual(ended, ["s exit 0", "session-1 clear 0"]);
});

Deno.test("A test host has the models that the test names", async () => {
  const model = { provider: "p", model: "m", reference: "p/m", isDefault: true };
  await using host = await setUpPlugin(plugin(() => {}), { models: [model] });
  assert.deepEqual(await host.api.models.list(), [model]);
  assert.deepEqual(await host.api.models.resolve("m"), model);
  assert.equal(await host.api.models.resolve("n"), undefined);
});

Deno.test("A test host answers completions only with a model of the test's", async () => {
  const use = (api: PluginAPI) => {
    api.commands.register(
      "shorten",
      (text) => api.model.complete({ system: "Shorten", messages: [{ role: "user", text }] }),
    );
  };
  await using alone = await setUpPlugin(plugin(use));
  await assert.rejects(() => alone.runCommand("shorten", "long"), /No model can be used/);
  await using host = await setUpPlugin(plugin(use), {
    complete: ({ system, messages }) => `${system}: ${messages[0]?.text}`,
  });
  assert.equal(await host.runCommand("shorten", "long"), "Shorten: long");
});

Deno.test("A test host shows texts and panels, and the test answers questions", async () => {
  const use = (api: PluginAPI) => {
    api.ui.status("a", "one");
    api.ui.status("b", "two");
    api.ui.status("a", undefined);
    api.ui.panel("tasks", { title: "Tasks", nodes: () => [] });
    api.commands.register("pick", async () => {
      if (!api.ui.interactive()) return "nobody";
      return await api.ui.select({ title: "Which?", options: [] }) ?? "nothing";
    });
  };
  await using alone = await setUpPlugin(plugin(use));
  assert.deepEqual([alone.statuses, Object.keys(alone.panels)], [{ b: "two" }, ["tasks"]]);
  assert.equal(await alone.runCommand("pick"), "nobody");
  await using host = await setUpPlugin(plugin(use), { select: ({ title }) => `${title} this` });
  assert.equal(await host.runCommand("pick"), "Which? this");
});
