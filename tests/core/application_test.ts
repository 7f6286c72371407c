import assert from "node:assert/strict";
import {
  definePlugin,
  type ModelInfo,
  type ModelProvider,
  type ProviderCreateRequest,
  textResult,
} from "@alisio/sdk";
import type { Application } from "../../core/application.ts";
import type { ApplicationOptions, BuiltinPlugin } from "../../core/application_options.ts";
import { AlisioError } from "../../core/errors.ts";
import { RunCancelledError } from "../../core/run/run_error.ts";
import { writeCredential } from "../../core/provider/credentials.ts";
import type { HostTool } from "../../core/tools/host_tool.ts";
import { createStandardTools, loadSchemaValidator } from "../../tools/standard_tools.ts";
import { withScene } from "../support/application_scene.ts";
import { calls, hangs, PlayedProvider, type PlayedTurn, says } from "../support/run_harness.ts";

const NO_STOP = { signal: new AbortController().signal, observers: [] };

/** Two profiles of the plugin "acme", of which the first is active. */
const PROFILES = JSON.stringify({
  schemaVersion: 1,
  active: { profile: "first", model: "m" },
  profiles: {
    first: { provider: "acme", values: {} },
    second: { provider: "acme", values: {} },
  },
});

interface AcmeScene {
  readonly plugin: BuiltinPlugin;
  readonly created: ProviderCreateRequest[];
  /** How often the plugin was loaded and set up. */
  readonly counts: { loaded: number; setUp: number };
}

/** A plugin that comes with the program, whose providers play `turns`. */
function acme(
  turns: readonly PlayedTurn[] = [says("done")],
  options: { readonly failures?: number; readonly providers?: ModelProvider[] } = {},
): AcmeScene {
  const created: ProviderCreateRequest[] = [];
  const counts = { loaded: 0, setUp: 0 };
  const plugin = definePlugin({
    id: "acme",
    version: "0.1.0",
    apiVersion: 1,
    setup(api) {
      counts.setUp += 1;
      api.providers.register({
        id: "acme",
        name: "Acme",
        fields: [{ name: "apiKey", label: "Key", secret: true }],
        create(request) {
          created.push(request);
          const provider = new PlayedProvider(turns);
          options.providers?.push(provider);
          return provider;
        },
      });
    },
  });
  return {
    created,
    counts,
    plugin: {
      id: "acme",
      async load() {
        counts.loaded += 1;
        const isToFail = counts.loaded <= (options.failures ?? 0);
        // Long enough for everyone who asks at once to find it not loaded yet.
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (isToFail) throw new Error("the module is not there yet");
        return plugin;
      },
    },
  };
}

/** A provider whose catalog never answers, and when it is asked. */
function deafCatalog(turn: PlayedTurn = says("done")): {
  readonly provider: ModelProvider;
  readonly asked: Promise<void>;
} {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const played = new PlayedProvider([turn]);
  return {
    asked,
    provider: {
      id: "deaf",
      stream: (request) => played.stream(request),
      listModels() {
        resolve();
        return new Promise<readonly ModelInfo[]>(() => {});
      },
    },
  };
}

Deno.test("Application.createSession() loads a plugin once, however many ask for it at once", async () => {
  await withScene({ "config/providers.json": PROFILES }, async ({ open }) => {
    const { plugin, counts, created } = acme();
    const application = await open({ plugins: [plugin] });
    const sessions = await Promise.all([1, 2, 3].map(() => application.createSession()));
    assert.deepEqual(counts, { loaded: 1, setUp: 1 });
    assert.equal(created.length, 3);
    assert.equal(new Set(sessions.map(({ id }) => id)).size, 3);
    for (const session of sessions) {
      assert.equal((await session.run("go", NO_STOP)).text, "done");
    }
  });
});

Deno.test("createApplication() loads a plugin of its own that is needed, and never one that is not", async () => {
  await withScene({ "config/providers.json": PROFILES }, async ({ open }) => {
    for (const [isNeeded, disablePlugin, loaded] of [[true, [], 1], [true, ["acme"], 0]] as const) {
      const { plugin, counts } = acme();
      await open({ plugins: [{ ...plugin, isNeeded }], disablePlugin });
      assert.equal(counts.loaded, loaded);
    }
    const { plugin, counts } = acme();
    const application = await open({ plugins: [{ ...plugin, isNeeded: false }] });
    await assert.rejects(application.createSession(), AlisioError);
    assert.equal(counts.loaded, 0);
  });
});

Deno.test("Application.createSession() tries a plugin again that could not be loaded", async () => {
  await withScene({ "config/providers.json": PROFILES }, async ({ open }) => {
    const { plugin, counts } = acme([says("done")], { failures: 1 });
    const application = await open({ plugins: [plugin] });
    await assert.rejects(application.createSession(), /the module is not there yet/);
    const session = await application.createSession();
    assert.equal((await session.run("go", NO_STOP)).text, "done");
    assert.deepEqual(counts, { loaded: 2, setUp: 1 });
  });
});

Deno.test("Application.createSession() does not wait for a catalog that never answers", async () => {
  await withScene({}, async ({ open }) => {
    const { provider } = deafCatalog();
    const application = await open({ provider, model: "m" });
    const session = await application.createSession();
    assert.equal((await session.run("go", NO_STOP)).text, "done");
  });
});

Deno.test("Application.createSession() and openSession() give up with their signal", async () => {
  await withScene({}, async ({ open }) => {
    const first = await open({ provider: new PlayedProvider([says("done")]), model: "m" });
    const { id } = await first.createSession();
    await first.close();
    const ways: readonly ((application: Application, signal: AbortSignal) => Promise<unknown>)[] = [
      (application, signal) => application.createSession({ signal }),
      (application, signal) => application.openSession(id, { signal }),
    ];
    for (const way of ways) {
      const { provider, asked } = deafCatalog();
      const application = await open({ provider, model: "m" });
      const stop = new AbortController();
      const reason = new Error("stop");
      const opening = way(application, stop.signal);
      await asked;
      stop.abort(reason);
      await assert.rejects(opening, (error) => error === reason);
      await assert.rejects(way(application, stop.signal), (error) => error === reason);
      const sessions = application.store.listSessions({ limit: 10 });
      assert.deepEqual(sessions.map((session) => session.id), [id], "nothing new is stored");
      assert.equal(application.store.isLeased(id), false);
    }
  });
});

Deno.test("Application keeps the keys of all its connections out of every session (field case 117)", async () => {
  const keys = { first: "first-sentinel-key", second: "second-sentinel-key" };
  const leak: HostTool = {
    name: "leak",
    description: "prints keys",
    effect: "read",
    inputSchema: { type: "object" },
    execute: () => Promise.resolve(textResult(`keys: ${keys.first} and ${keys.second}`)),
  };
  await withScene({ "config/providers.json": PROFILES }, async ({ folder, open }) => {
    await writeCredential(`${folder}/config`, "first", { apiKey: keys.first });
    await writeCredential(`${folder}/config`, "second", { apiKey: keys.second });
    const providers: ModelProvider[] = [];
    const { plugin, created } = acme([calls([["leak", {}]]), says("done")], { providers });
    const application = await open({ plugins: [plugin], tools: () => [leak] });
    const first = await application.createSession();
    application.store.createSession({
      id: "stored",
      workspace: application.workspace,
      model: "second/m",
      provider: "acme",
      createdAt: 1,
    });
    const second = await application.openSession("stored");
    assert.deepEqual(created.map(({ credentials }) => credentials.apiKey), Object.values(keys));
    for (const session of [first, second]) await session.run("go", NO_STOP);
    const sent = providers.flatMap((each) => each instanceof PlayedProvider ? each.requests : []);
    assert.equal(sent.length, 4);
    const text = JSON.stringify(sent.map(({ messages }) => messages));
    assert.match(text, /keys: \[redacted\] and \[redacted\]/);
    assert.doesNotMatch(text, /sentinel/);
  });
});

Deno.test("Application.openSession() says that the model is another than before, once it runs", async () => {
  await withScene({}, async ({ open }) => {
    const before = await open({ provider: new PlayedProvider([says("one")]), model: "old" });
    const { id } = await before.createSession();
    await before.close();
    const after = await open({ provider: new PlayedProvider([says("two")]), model: "new" });
    const seen: (readonly [string, unknown])[] = [];
    const observers = [
      ({ type, data }: { readonly type: string; readonly data: unknown }) =>
        void seen.push([type, data]),
    ];
    const session = await after.openSession(id);
    assert.equal(after.store.session(id)?.model, "old", "opening alone changes nothing");
    await session.run("go", { ...NO_STOP, observers });
    assert.deepEqual(seen.slice(0, 2), [
      ["run_started", { model: "new" }],
      ["model_changed", { model: "new", previous: "old" }],
    ]);
    assert.equal(after.store.session(id)?.model, "new");
  });
});

Deno.test("Application.close() stops what runs before it closes the record", async () => {
  await withScene({}, async ({ folder, open }) => {
    const begun = Promise.withResolvers<void>();
    const provider = new PlayedProvider([async function* (request) {
      begun.resolve();
      yield* hangs()(request);
    }]);
    const application = await open({ provider, model: "m" });
    const session = await application.createSession();
    const outcome = assert.rejects(session.run("go", NO_STOP), RunCancelledError);
    await begun.promise;
    await Promise.all([session.close(), application.close()]);
    await outcome;
    const again = await open({ provider, model: "m" });
    assert.deepEqual(again.store.eventsOf(session.id).map(({ type }) => type), [
      "run_started",
      "run_cancelled",
    ], folder);
    assert.deepEqual(again.store.runs(session.id).map(({ status }) => status), ["cancelled"]);
    assert.equal(again.store.isLeased(session.id), false);
  });
});

Deno.test("Application offers ask_user_question only to a model whose questions can be answered", async () => {
  const offered = async (options: Partial<ApplicationOptions>) => {
    const provider = new PlayedProvider([says("done")]);
    await withScene({}, async ({ open }) => {
      const application = await open({
        provider,
        model: "m",
        tools: createStandardTools,
        ...options,
      });
      await (await application.createSession()).run("go", NO_STOP);
    });
    return provider.requests[0]?.tools.some(({ name }) => name === "ask_user_question");
  };
  assert.equal(await offered({}), false);
  assert.equal(await offered({ approve: () => Promise.resolve("deny") }), false);
  assert.equal(await offered({ ask: () => Promise.resolve([]) }), true);
});

Deno.test("Application gives a model whole instructions of a folder with the large file it reads", async () => {
  const rules = `${"Use tabs. ".repeat(400)}END OF RULES`;
  const dump: HostTool = {
    name: "dump",
    description: "prints a file",
    effect: "read",
    inputSchema: { type: "object" },
    paths: () => ["deep/large.txt"],
    execute: async (_input, context) =>
      textResult(await Deno.readTextFile(context.path("deep/large.txt").real)),
  };
  const files = {
    "ws/.git/HEAD": "",
    "ws/deep/AGENTS.md": rules,
    "ws/deep/large.txt": "word ".repeat(100_000),
  };
  await withScene(files, async ({ open }) => {
    const provider = new PlayedProvider([calls([["dump", {}]]), says("done")]);
    const application = await open({
      provider,
      model: "m",
      trustProject: true,
      tools: () => [dump],
    });
    await (await application.createSession()).run("go", NO_STOP);
    const result = provider.requests[1]?.messages.at(-1);
    assert.ok(result?.role === "tool" && !result.isError);
    assert.ok(result.text.includes(rules), "no part of them is left out");
    assert.match(result.text, /^word word [\s\S]*characters left out/);
  });
});

Deno.test("Application lets no tool read the file of stored keys", async () => {
  const KEY = "sentinel-of-a-key";
  const rows: readonly (readonly [string, string, string, boolean])[] = [
    ["beside the workspace", "ws", "config", false],
    ["in the workspace", ".", "config", false],
    ["where a link leads to", "ws", "config", true],
    ["where a link in the workspace leads to", ".", "config", true],
    ["in a folder whose name looks like a pattern", "ws", "c{a,b}[c]*?!", false],
    ["in such a folder in the workspace", ".", "c{a,b}[c]*?!", false],
  ];
  for (const [name, workspace, config, isLinked] of rows) {
    await withScene({ [`${config}/kept.md`]: "kept" }, async ({ folder, env, open }) => {
      const home = `${folder}/${config}`;
      const path = `${home}/credentials.json`;
      await writeCredential(home, "p", { apiKey: KEY });
      if (isLinked) {
        await Deno.mkdir(`${folder}/dotfiles`);
        await Deno.rename(path, `${folder}/dotfiles/keys.json`);
        await Deno.symlink(`${folder}/dotfiles/keys.json`, path);
      }
      await Deno.symlink(path, `${folder}/link.json`);
      const refused: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
        ["read_file", { path }],
        ["read_file", { path: `${folder}/link.json` }],
        ["search_text", { path, pattern: KEY }],
        ["list_files", { path }],
        ["write_file", { path, content: "{}", expectedHash: null }],
        ["edit_file", { path, oldText: "apiKey", newText: "x", expectedHash: "0" }],
      ];
      const searches: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
        ["search_text", { path: home, pattern: `${KEY}|kept` }],
        ["search_text", { path: folder, pattern: `${KEY}|kept` }],
        ["list_files", { path: home }],
      ];
      const made = [...refused, ...searches];
      const provider = new PlayedProvider([
        calls(made.map(([tool, input], index) => [tool, input, `c${index}`])),
        says("done"),
      ]);
      const application = await open({
        cwd: `${folder}/${workspace}`,
        env: { ...env, ALISIO_CONFIG_HOME: home },
        provider,
        model: "m",
        addDir: [folder],
        allowWrite: true,
        approve: () => Promise.resolve("once"),
        tools: createStandardTools,
        loadValidator: loadSchemaValidator,
      });
      await (await application.createSession()).run("go", NO_STOP);
      const texts = provider.requests[1]?.messages.flatMap((message) =>
        message.role === "tool" ? [message.text] : []
      ) ?? [];
      assert.equal(texts.length, made.length);
      for (const [index, text] of texts.entries()) {
        const what = `${name}: ${JSON.stringify(made[index])}: ${text}`;
        assert.ok(!text.includes(KEY), what);
        assert.match(text, index < refused.length ? /holds stored keys/ : /kept\.md/, what);
      }
    });
  }
});

Deno.test("Application shows no change of the file of stored keys", async () => {
  await withScene({ "config/kept.md": "kept\n" }, async ({ folder, open }) => {
    const git = async (...args: readonly string[]) => {
      const { success } = await new Deno.Command("git", { args: [...args], cwd: folder }).output();
      assert.ok(success, args.join(" "));
    };
    await writeCredential(`${folder}/config`, "p", { apiKey: "old-sentinel" });
    await git("init", "--quiet");
    await git("add", "config");
    await writeCredential(`${folder}/config`, "p", { apiKey: "new-sentinel" });
    await Deno.writeTextFile(`${folder}/config/kept.md`, "changed\n");
    const provider = new PlayedProvider([calls([["git_diff", {}]]), says("done")]);
    const application = await open({
      cwd: folder,
      provider,
      model: "m",
      tools: createStandardTools,
      loadValidator: loadSchemaValidator,
    });
    await (await application.createSession()).run("go", NO_STOP);
    const result = provider.requests[1]?.messages.at(-1);
    assert.ok(result?.role === "tool");
    assert.match(result.text, /\+changed/);
    assert.doesNotMatch(result.text, /sentinel/);
  });
});

Deno.test("createApplication() puts the paths and the programs of a risk profile in force", async () => {
  const profile = {
    level: "full",
    forbiddenPaths: ["vault"],
    allowedCommands: ["cat"],
    shellEnvPassthrough: ["NAMED"],
    sandboxEnabled: false,
  };
  const files = {
    "config/config.json": JSON.stringify({ riskProfiles: { p: profile } }),
    "ws/open.txt": "needle in the open\n",
    "ws/vault/closed.txt": "needle in the vault\n",
  };
  await withScene(files, async ({ open, env }) => {
    const provider = new PlayedProvider([
      calls([
        ["search_text", { pattern: "needle" }],
        ["shell", { command: "cat open.txt" }],
        ["shell", { command: "printenv NAMED" }],
        ["write_file", { path: "new.txt", content: "", expectedHash: null }],
      ]),
      says("done"),
    ]);
    const notices: string[] = [];
    const application = await open({
      provider,
      model: "m",
      env: { ...env, NAMED: "named" },
      riskProfile: "p",
      allowProcess: true,
      tools: (facts) => {
        assert.deepEqual(facts.profile?.maxCommandMs, 60_000);
        assert.equal(facts.profile?.environment["NAMED"], "named");
        return createStandardTools(facts);
      },
      loadValidator: loadSchemaValidator,
      onNotice: (notice) => notices.push(notice),
    });
    await (await application.createSession()).run("go", NO_STOP);
    const results = provider.requests[1]?.messages.filter(({ role }) => role === "tool");
    const [search, shell, other, write] = (results ?? []).map((each) => JSON.stringify(each));
    assert.match(search ?? "", /in the open/);
    assert.doesNotMatch(search ?? "", /vault/);
    assert.match(shell ?? "", /in the open/);
    assert.match(other ?? "", /Refused: the command was not run/);
    assert.match(write ?? "", /Refused: changing files is not permitted/);
    assert.deepEqual(notices, []);
  });
});

Deno.test("createApplication() asks nobody here where approvals belong elsewhere", async () => {
  const route = { approverChannel: "matrix.ops" };
  const files = {
    "config/config.json": JSON.stringify({
      riskProfiles: {
        far: { approvalRoute: { ...route, onNoApprover: "deny" } },
        near: { approvalRoute: { ...route, onNoApprover: "inherit-originator" } },
      },
    }),
  };
  await withScene(files, async ({ open }) => {
    for (const [riskProfile, questions] of [["far", 0], ["near", 1]] as const) {
      const asked: string[] = [];
      const notices: string[] = [];
      const application = await open({
        provider: new PlayedProvider([
          calls([["write_file", { path: "a", content: "", expectedHash: null }]]),
          says("done"),
        ]),
        model: "m",
        riskProfile,
        tools: createStandardTools,
        loadValidator: loadSchemaValidator,
        onNotice: (notice) => notices.push(notice),
        approve: ({ tool }) => {
          asked.push(tool);
          return Promise.resolve("deny");
        },
      });
      await (await application.createSession()).run("go", NO_STOP);
      assert.equal(asked.length, questions, riskProfile);
      assert.match(notices.join("\n"), /cannot be asked for on "matrix\.ops"/);
    }
  });
});

Deno.test("createApplication() says which tools a risk profile names that there are not", async () => {
  const files = {
    "config/config.json": JSON.stringify({
      riskProfiles: { p: { excludedTools: ["bash", "shell"], alwaysAsk: ["edit_files"] } },
      agents: { build: { riskProfile: "p" } },
    }),
  };
  await withScene(files, async ({ open }) => {
    const notices: string[] = [];
    await open({
      provider: new PlayedProvider([says("done")]),
      model: "m",
      tools: createStandardTools,
      loadValidator: loadSchemaValidator,
      onNotice: (notice) => notices.push(notice),
    });
    assert.deepEqual(notices, [
      '"riskProfiles.p.alwaysAsk" names "edit_files", and no tool is called that; did you mean ' +
      '"edit_file"?',
      '"riskProfiles.p.excludedTools" names "bash", and no tool is called that',
    ]);
  });
});

Deno.test("Application.openSession() refuses a session that needs recovery", async () => {
  await withScene({}, async ({ open }) => {
    const application = await open({ provider: new PlayedProvider([says("done")]), model: "m" });
    const { workspace, store } = application;
    store.createSession({ id: "stored", workspace, model: "m", provider: "p", createdAt: 1 });
    const call = { sessionId: "stored", callId: "c1", runId: "r", arguments: "{}", startedAt: 1 };
    store.beginCall({ ...call, name: "write_file", effect: "write" });
    await assert.rejects(
      application.openSession("stored"),
      (error) => error instanceof AlisioError && error.code === "session_needs_recovery",
    );
    assert.equal(store.isLeased("stored"), false);
  });
});
