import assert from "node:assert/strict";
import type { JsonObject, Plugin, PluginAPI, ToolDefinition } from "@alisio/sdk";
import { textResult } from "@alisio/sdk";

/** A host of plugins. */
export interface ApiHost extends AsyncDisposable {
  /** Sets a plugin up; throws what its setup throws, or an error with that message in it. */
  add(plugin: Plugin): Promise<void>;
}

const TOOL: ToolDefinition = {
  name: "greet",
  description: "Greets",
  inputSchema: { type: "object" },
  execute: () => Promise.resolve(textResult("hello")),
};

const PROVIDER = { id: "acme", name: "Acme", fields: [], create: () => assert.fail("It was used") };

const MASCOT = { id: "kite", render: () => "" };

/** What no host takes, with a part of the reason. */
const REFUSED: Readonly<Record<string, readonly [(api: PluginAPI) => unknown, RegExp]>> = {
  "a tool with a long name": [
    (api) => api.tools.register({ ...TOOL, name: "x".repeat(52) }),
    /Cannot register tool "x+": a name has 1 to 51/,
  ],
  "a tool with an odd name": [
    (api) => api.tools.register({ ...TOOL, name: "a.b" }),
    /Cannot register tool "a\.b": a name has/,
  ],
  "a tool without a schema": [
    (api) => api.tools.register({ ...TOOL, inputSchema: undefined as never }),
    /"greet": its inputSchema is no JSON Schema object/,
  ],
  "a tool with a schema of a text": [
    (api) => api.tools.register({ ...TOOL, inputSchema: { type: "string" } }),
    /"greet": its inputSchema is not the one of an object/,
  ],
  "a tool with a schema that cannot be sent": [
    (api) => {
      const properties: Record<string, JsonObject> = {};
      properties["again"] = { type: "object", properties };
      api.tools.register({ ...TOOL, inputSchema: { type: "object", properties } });
    },
    /"greet": its inputSchema is not JSON/,
  ],
  "a tool that does nothing": [
    (api) => api.tools.register({ ...TOOL, execute: undefined as never }),
    /"greet": it has no function execute\(input, context\)/,
  ],
  "a tool whose paths is a list": [
    (api) => api.tools.register({ ...TOOL, paths: ["a"] as never }),
    /"greet": its paths is no function/,
  ],
  "two tools with one name": [
    (api) => [api.tools.register(TOOL), api.tools.register(TOOL)],
    /greet": (?:the )?name is taken/,
  ],
  "a command with a slash": [
    (api) => api.commands.register("/a", () => Promise.resolve("")),
    /Cannot register command "\/a": a name has 1 to 64/,
  ],
  "two commands with one name": [
    (api) => ["a", "a"].map((name) => api.commands.register(name, () => Promise.resolve(""))),
    /the name is taken/,
  ],
  "two providers with one id": [
    (api) => [api.providers.register(PROVIDER), api.providers.register(PROVIDER)],
    /acme/,
  ],
  "an extension for a point that there is not": [
    (api) => api.extensions.register("panel" as "mascot", MASCOT),
    /Cannot register an extension for "panel": there is no such point; there are mascot, startup-/,
  ],
  "an extension without an id": [
    (api) => api.extensions.register("mascot", { ...MASCOT, id: " " }),
    /for "mascot": the provider has no id of 1 to 100 characters/,
  ],
  "an extension that is none": [
    (api) => api.extensions.register("mascot", null as never),
    /for "mascot": the provider is no object/,
  ],
  "an endless priority": [
    (api) => api.extensions.register("mascot", MASCOT, { priority: Infinity }),
    /for "mascot": the priority is no finite number/,
  ],
  "a handler that is none": [(api) => api.events.on("x" as never), /events\.on needs a function/],
  "a hook that is none": [
    (api) => [api.session.onStart(() => ""), api.session.onEnd(1 as never)],
    /session\.onEnd needs a function/,
  ],
  "hooks of a compaction that are none": [
    (api) => api.compaction.register({ afterCompact: 1 as never }),
    /compaction\.register.* needs a function/,
  ],
  "no hook of a compaction": [
    (api) => api.compaction.register({}),
    /compaction\.register needs beforeCompact or afterCompact/,
  ],
  "a source that is none": [
    (api) => api.context.register(1 as never),
    /context\.register needs a function/,
  ],
  "an empty key": [(api) => api.state.get(""), /no text of 1 to 200 characters/],
  "a long key": [(api) => api.state.set("k".repeat(201), 1), /no text of 1 to 200 characters/],
  "a function as state": [(api) => api.state.set("k", (() => 1) as never), /it is no JSON value/],
  "state that is too large": [
    (api) => api.state.set("k", "x".repeat(65_537)),
    /Cannot store "k": it is longer than 65536 characters/,
  ],
  "a folder of skills without a path": [
    (api) => api.resources.skills(""),
    /resources\.skills needs the path of a folder/,
  ],
  "a folder of prompts that is none": [
    (api) => api.resources.prompts(1 as never),
    /resources\.prompts needs the path of a folder/,
  ],
  "a database without a path": [
    (api) => api.storage.sqlite(""),
    /storage\.sqlite needs the path of a file/,
  ],
  "a database outside the plugin's folder": [
    (api) => api.storage.sqlite("a/../../x.db"),
    /"a\/\.\.\/\.\.\/x\.db": a relative path must stay in the plugin's own folder/,
  ],
  "the plugin's folder as a database": [
    (api) => api.storage.sqlite("."),
    /"\.": a relative path must stay in the plugin's own folder/,
  ],
  "an asynchronous transaction": [
    (api) => api.storage.sqlite("t.sqlite").transaction(() => Promise.resolve(1)),
    /Cannot run an asynchronous function in a transaction/,
  ],
};

/**
 * What every host of plugins does, the real one and the one for tests.
 *
 * @param name Of the host, for the names of tests.
 * @param open Opens one with nothing in it.
 */
export function testPluginApi(name: string, open: () => Promise<ApiHost>): void {
  for (const [what, [use, reason]] of Object.entries(REFUSED)) {
    Deno.test(`${name} refuses ${what}`, async () => {
      await using host = await open();
      await assert.rejects(() => host.add(plugin(use)), reason);
    });
  }

  Deno.test(`${name} keeps state as JSON, apart from what the plugin holds`, async () => {
    await using host = await open();
    await host.add(plugin((api) => {
      const value = { list: [1] };
      api.state.set("a", value);
      value.list.push(2);
      assert.deepEqual(api.state.get("a"), { list: [1] });
      api.state.set("a", undefined);
      assert.equal(api.state.get("a"), undefined);
    }));
  });

  Deno.test(`${name} opens databases with FTS5 and transactions that join`, async () => {
    await using host = await open();
    await host.add(plugin((api) => {
      const db = api.storage.sqlite("notes.sqlite");
      db.exec("CREATE VIRTUAL TABLE notes USING fts5 (text)");
      const add = db.prepare("INSERT INTO notes (text) VALUES (?)");
      assert.equal(db.prepare("INSERT INTO notes (text) VALUES (?)"), add);
      db.transaction(() => db.transaction(() => add.run("red kite")));
      assert.throws(() =>
        db.transaction(() => {
          db.transaction(() => add.run("blue kite"));
          throw new Error("no");
        })
      );
      const find = db.prepare("SELECT text FROM notes WHERE notes MATCH ?");
      assert.deepEqual(find.all("kite").map(({ text }) => text), ["red kite"]);
      assert.equal(find.get("boat"), undefined);
      const again = api.storage.sqlite("notes.sqlite");
      assert.equal(again.prepare("SELECT count(*) AS n FROM notes").get()?.n, 1);
      db.close();
      db.close();
      assert.throws(() => db.exec("SELECT 1"));
    }));
  });

  Deno.test(`${name} lists the folders of plugins by kind, until they are taken back`, async () => {
    await using host = await open();
    await host.add(plugin((api) => {
      const off = api.resources.skills("/s");
      api.resources.prompts("/p");
      assert.deepEqual(api.resources.list("skills"), [{ plugin: "acme.one", path: "/s" }]);
      off();
      off();
      assert.deepEqual(api.resources.list("skills"), []);
      assert.deepEqual(api.resources.list("prompts"), [{ plugin: "acme.one", path: "/p" }]);
      assert.deepEqual(api.resources.list("agents"), []);
    }));
  });

  Deno.test(`${name} gives back a name that was taken back, and options that stay`, async () => {
    await using host = await open();
    let kept: PluginAPI | undefined;
    await host.add(plugin((api) => {
      kept = api;
      const unregister = api.tools.register(TOOL);
      unregister();
      api.tools.register(TOOL);
      unregister();
      assert.throws(() => api.tools.register(TOOL), /name is taken/);
      const command = () => api.commands.register("greet", () => Promise.resolve(""));
      const forget = command();
      forget();
      command();
      forget();
      assert.throws(command, /name is taken/);
      assert.ok(Object.isFrozen(api.options));
    }));
    await host[Symbol.asyncDispose]();
    assert.throws(
      () => kept?.tools.register({ ...TOOL, name: "late" }),
      /Cannot register anything for plugin "acme\.one": it is not loaded/,
    );
  });
}

function plugin(use: (api: PluginAPI) => unknown): Plugin {
  return { id: "acme.one", version: "0.1.0", apiVersion: 1, setup: (api) => void use(api) };
}
