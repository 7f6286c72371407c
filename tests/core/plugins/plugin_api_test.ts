import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonValue, Plugin, PluginAPI, RunEvent } from "@alisio/sdk";
import { PluginHost, type PluginHostPorts } from "../../../core/plugins/plugin_host.ts";
import { openPluginDatabase } from "../../../core/plugins/plugin_storage.ts";
import { runPluginCommand } from "../../../core/plugins/run_plugin_command.ts";
import { openSessionStore } from "../../../core/session/session_store.ts";
import { withTempDir } from "../../support/temp.ts";

interface Scene {
  readonly host: PluginHost;
  readonly failures: readonly string[];
  /** Adds an external plugin and returns what its setup was given. */
  add(id: string, setup?: (api: PluginAPI) => void): Promise<PluginAPI>;
}

async function withHost(
  dir: string,
  fn: (scene: Scene) => Promise<void>,
  options: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {},
): Promise<void> {
  const store = openSessionStore(join(dir, "state/sessions.sqlite"));
  const failures: string[] = [];
  const ports: PluginHostPorts = {
    registerTool: () => () => {},
    registerProvider: () => () => {},
    disposeTimeoutMs: 1_000,
    state: {
      get: (plugin, key) => store.pluginState(plugin, key),
      set: (plugin, key, value) => store.setPluginState(plugin, key, value),
    },
    openDatabase: openPluginDatabase,
    folders: { state: join(dir, "state"), config: join(dir, "config") },
    optionsOf: (id) => options[id],
    onFailure: ({ notice }) => void failures.push(notice),
  };
  const host = new PluginHost(ports);
  const add = async (id: string, setup: (api: PluginAPI) => void = () => {}) => {
    const given = Promise.withResolvers<PluginAPI>();
    const plugin: Plugin = {
      id,
      version: "0.1.0",
      apiVersion: 1,
      setup(api) {
        given.resolve(api);
        setup(api);
      },
    };
    await host.add(plugin, { label: id, origin: "flag", folder: dir, timeoutMs: 1_000 });
    return await given.promise;
  };
  try {
    await fn({ host, failures, add });
  } finally {
    await host.close();
    store.close();
  }
}

const EVENT: RunEvent = {
  schemaVersion: 1,
  runId: "r",
  sessionId: "s",
  seq: 1,
  timestamp: "2026-01-01T00:00:00.000Z",
  type: "run_started",
  data: { model: "m" },
};

const never = new AbortController().signal;

Deno.test("events.on sees every event, and what it throws is said once", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host, failures, add }) => {
      const seen: string[] = [];
      await add("acme.bad", (api) => {
        api.events.on(() => {
          throw new Error("cannot count");
        });
        api.events.on(() => Promise.reject(new Error("never said: once is enough")));
      });
      const api = await add("acme.good");
      const off = api.events.on(({ type }) => void seen.push(type));
      host.observe(EVENT);
      host.observe({ ...EVENT, type: "run_completed" });
      await new Promise((resolve) => setTimeout(resolve));
      off();
      off();
      host.observe(EVENT);
      assert.deepEqual(seen, ["run_started", "run_completed"]);
      assert.deepEqual(failures, [
        'Plugin "acme.bad" failed in events.on, and the run goes on: cannot count',
      ]);
    })
  );
});

Deno.test("A plugin that computes without a pause is named, and where", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host, failures, add }) => {
      await add("acme.busy", (api) => {
        api.events.on(() => {
          const end = performance.now() + 1_100;
          while (performance.now() < end);
        });
      });
      host.observe(EVENT);
      assert.equal(failures.length, 1);
      assert.match(
        failures[0] ?? "",
        /^Plugin "acme\.busy" let nothing else go on for 1\.\d s in events\.on$/,
      );
    })
  );
});

Deno.test("context.register adds bounded text, and no plugin hurts another's", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host, failures, add }) => {
      const add1 = (id: string, source: () => unknown) =>
        add(id, (api) => {
          api.context.register(source as () => Promise<string>);
        });
      await add1("acme.a", () => Promise.resolve("  remember the tests\n"));
      await add1("acme.empty", () => Promise.resolve(" "));
      await add1("acme.throws", () => {
        throw new Error("offline");
      });
      await add1("acme.hangs", () => new Promise(() => {}));
      await add1("acme.number", () => Promise.resolve(42));
      await add1("acme.long", () => Promise.resolve("x".repeat(20_000)));
      const texts = await host.contextTexts(50);
      assert.equal(texts.length, 2);
      assert.equal(texts[0], "# From plugin acme.a\n\nremember the tests");
      assert.ok((texts[1]?.length ?? 0) < 16_200, "a long text is cut");
      assert.deepEqual(failures.toSorted(), [
        'Plugin "acme.hangs" failed in context.register, and the run goes on: it did not end ' +
        "within 50 ms",
        'Plugin "acme.number" failed in context.register, and the run goes on: it returned no text',
        'Plugin "acme.throws" failed in context.register, and the run goes on: offline',
      ]);
    })
  );
});

Deno.test("state keeps small values of each plugin apart, and refuses what is none", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ add }) => {
      const [one, two] = [await add("acme.one"), await add("acme.two")];
      one.state.set("key", { list: [1, "two", null] });
      two.state.set("key", "other");
      assert.deepEqual(one.state.get("key"), { list: [1, "two", null] });
      assert.equal(two.state.get("key"), "other");
      one.state.set("key", undefined);
      assert.equal(one.state.get("key"), undefined);
      const refused: readonly (readonly [string, unknown, RegExp])[] = [
        ["", 1, /no text of 1 to 200 characters/],
        ["k".repeat(201), 1, /no text of 1 to 200 characters/],
        ["k", () => 1, /it is no JSON value/],
        ["k", "x".repeat(70_000), /it is longer than 65536 characters of JSON; keep larger things/],
      ];
      for (const [key, value, reason] of refused) {
        assert.throws(() => one.state.set(key, value as JsonValue), reason, key.slice(0, 10));
      }
    })
  );
});

Deno.test("storage.sqlite opens a private file with FTS5 and nested transactions", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ add, host }) => {
      const api = await add("acme.notes");
      const db = api.storage.sqlite("deep/notes.sqlite");
      const file = join(dir, "state/plugins/acme.notes/deep/notes.sqlite");
      if (Deno.build.os !== "windows") {
        assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
        assert.equal(((await Deno.stat(join(file, ".."))).mode ?? 0) & 0o777, 0o700);
      }
      db.exec("CREATE VIRTUAL TABLE notes USING fts5 (text)");
      const insert = db.prepare("INSERT INTO notes (text) VALUES (?)");
      assert.equal(db.prepare("INSERT INTO notes (text) VALUES (?)"), insert);
      db.transaction(() => {
        insert.run("the quick fox");
        db.transaction(() => insert.run("a slow dog"));
      });
      assert.throws(() =>
        db.transaction(() => {
          db.transaction(() => insert.run("lost"));
          throw new Error("taken back");
        }), /taken back/);
      assert.throws(
        () => db.transaction(() => Promise.resolve(insert.run("lost"))),
        /asynchronous/,
      );
      const find = db.prepare("SELECT text FROM notes WHERE notes MATCH ?");
      assert.deepEqual({ ...find.get("quick") }, { text: "the quick fox" });
      assert.deepEqual(find.all("lost"), []);
      assert.equal(find.get("absent"), undefined);
      assert.throws(() => api.storage.sqlite(dir), /^Error: Cannot open database ".*": /);
      for (const path of ["../../x.db", "..", ".", "deep/../../acme.other/x.db"]) {
        assert.throws(() => api.storage.sqlite(path), {
          name: "TypeError",
          message:
            `Cannot open database "${path}": a relative path must stay in the plugin's own ` +
            `folder, "${join(dir, "state/plugins/acme.notes")}"`,
        });
      }
      assert.throws(() => api.storage.sqlite(""), /storage\.sqlite needs the path of a file/);
      api.storage.sqlite(join(dir, "elsewhere.sqlite")).close();
      await host.close();
      assert.throws(() => find.get("quick"), "its databases are closed with it");
      db.close();
      assert.throws(() => api.storage.sqlite("late.sqlite"), /it is not loaded/);
    })
  );
});

Deno.test("paths are folders of the plugin's own, made when they are read", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ add }) => {
      const { paths } = await add("acme.paths");
      await assert.rejects(Deno.stat(join(dir, "state/plugins")), Deno.errors.NotFound);
      assert.equal(paths?.state, join(dir, "state/plugins/acme.paths"));
      assert.equal(paths?.cache, join(dir, "state/plugins/acme.paths/cache"));
      assert.equal(paths?.config, join(dir, "config/plugins/acme.paths"));
      for (const path of [paths.state, paths.cache, paths.config]) {
        const { isDirectory, mode } = await Deno.stat(path);
        assert.ok(isDirectory, path);
        if (Deno.build.os !== "windows") assert.equal((mode ?? 0) & 0o777, 0o700, path);
      }
    })
  );
});

Deno.test("ui answers as the contract says where nobody is there to see or answer", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ add }) => {
      const { ui } = await add("acme.ui");
      ui.status("key", "text", "detail");
      ui.panel("tree", { title: "Tree", nodes: () => [] })();
      const request = { title: "Which?", options: [{ value: "a", label: "A" }] };
      assert.deepEqual(
        [await ui.select(request), ui.open("session"), ui.interactive()],
        [undefined, false, false],
      );
    })
  );
});

Deno.test("options are what the configuration says, and cannot be changed", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ add }) => {
      const { options } = await add("acme.a");
      assert.deepEqual(options, { deep: { list: [1] } });
      assert.ok(Object.isFrozen(options) && Object.isFrozen(options?.deep));
      assert.deepEqual((await add("acme.b")).options, {});
    }, { "acme.a": { deep: { list: [1] } } })
  );
});

Deno.test("runPluginCommand() runs the command of a prompt and leaves others to the model", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host, add }) => {
      await add("acme.hello", (api) => {
        api.commands.register("echo", (args) => Promise.resolve(`<${args}>`));
        api.commands.register("fail", () => Promise.reject(new Error("no network")));
        api.commands.register("odd", () => Promise.resolve(42) as unknown as Promise<string>);
        api.commands.register("hang", () => new Promise(() => {}));
        assert.throws(() => api.commands.register("echo", () => Promise.resolve("")), /is taken/);
        assert.throws(() => api.commands.register("a b", () => Promise.resolve("")), /a name has/);
      });
      const run = (prompt: string, signal = never) => runPluginCommand(prompt, host, signal);
      const echo = "acme.hello:echo";
      assert.deepEqual(await run("/acme.hello:echo"), { command: echo, text: "<>" });
      assert.deepEqual(await run("  /acme.hello:echo a  b\nc "), {
        command: echo,
        text: "<a  b\nc>",
      });
      for (const long of ["/command acme.hello:echo a b", " /command  /acme.hello:echo a b"]) {
        assert.deepEqual(await run(long), { command: echo, text: "<a b>" });
      }
      await assert.rejects(run("/command other:echo"), {
        code: "usage",
        message: 'There is no command "other:echo" of a plugin',
      });
      for (
        const prompt of [
          "/command",
          "/help",
          "/other:echo",
          "/usr/bin/x is broken",
          "say /acme.hello:echo",
        ]
      ) {
        assert.equal(await run(prompt), null, prompt);
      }
      await assert.rejects(run("/acme.hello:fail"), {
        code: "plugin_failed",
        message: 'Command "/acme.hello:fail" failed: no network',
      });
      await assert.rejects(run("/acme.hello:odd"), /failed: it answered no text/);
      await assert.rejects(run("/acme.hello:ecoh"), {
        code: "usage",
        message: 'Plugin "acme.hello" has no command "/acme.hello:ecoh": did you mean ' +
          '"/acme.hello:echo"?',
      });
      const stop = new AbortController();
      const hanging = run("/acme.hello:hang", stop.signal);
      stop.abort(new Error("stopped"));
      await assert.rejects(hanging, /^Error: stopped$/);
    })
  );
});

Deno.test("A plugin whose setup failed leaves nothing behind and can register nothing more", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host, failures, add }) => {
      let kept: PluginAPI | undefined;
      await assert.rejects(add("acme.bad", (api) => {
        kept = api;
        api.commands.register("x", () => Promise.resolve(""));
        api.events.on(() => {
          throw new Error("still there");
        });
        api.context.register(() => Promise.resolve("still there"));
        throw new Error("no licence");
      }));
      host.observe(EVENT);
      assert.deepEqual(await host.contextTexts(1_000), []);
      assert.deepEqual([host.commands(), host.plugins(), failures], [[], [], []]);
      assert.throws(() => kept?.events.on(() => {}), /plugin "acme\.bad": it is not loaded$/);
    })
  );
});

Deno.test("resources are folders from the plugin's own file on, until they are taken back", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host, add }) => {
      const api = await add("acme.a", ({ resources }) => {
        resources.skills("./skills");
        resources.skills("/elsewhere");
        resources.prompts("../prompts");
      });
      const off = api.resources.agents("agents");
      await add("acme.b", ({ resources }) => void resources.skills("skills/"));
      assert.deepEqual(api.resources.list("skills"), [
        { plugin: "acme.a", path: join(dir, "skills") },
        { plugin: "acme.a", path: "/elsewhere" },
        { plugin: "acme.b", path: join(dir, "skills") },
      ]);
      assert.deepEqual(host.resources("prompts"), [
        { plugin: "acme.a", path: join(dir, "..", "prompts") },
      ]);
      assert.deepEqual(host.resources("agents"), [{ plugin: "acme.a", path: join(dir, "agents") }]);
      off();
      assert.deepEqual(host.resources("agents"), []);
      for (const path of ["", "a\0b", undefined as unknown as string]) {
        assert.throws(() => api.resources.skills(path), {
          name: "TypeError",
          message: "resources.skills needs the path of a folder",
        });
      }
      await assert.rejects(
        add("acme.fails", ({ resources }) => {
          resources.skills("gone");
          throw new Error("after all");
        }),
        /after all/,
      );
      assert.equal(host.resources("skills").length, 3);
      await host.close();
      assert.deepEqual(host.resources("skills"), []);
      assert.throws(() => api.resources.skills("late"), /it is not loaded/);
    })
  );
});

Deno.test("A plugin without a file of its own adds folders by their absolute paths alone", async () => {
  await withTempDir((dir) =>
    withHost(dir, async ({ host }) => {
      const plugin = (path: string): Plugin => ({
        id: "built-in",
        version: "0.1.0",
        apiVersion: 1,
        setup: ({ resources }) => void resources.skills(path),
      });
      await assert.rejects(host.add(plugin("skills")), {
        message: 'Cannot load plugin "built-in": its setup failed: resources.skills needs an ' +
          "absolute path: this plugin has no file",
      });
      await host.add(plugin(dir));
      assert.deepEqual(host.resources("skills"), [{ plugin: "built-in", path: dir }]);
    })
  );
});
