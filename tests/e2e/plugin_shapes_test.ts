import assert from "node:assert/strict";
import { jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { writeTree } from "../support/temp.ts";

const IMPORT = `import { definePlugin, textResult } from "@alisio/sdk";\n`;

/** Plugins as their authors write them for any host of the contract, and what they register. */
const SHAPES: Readonly<Record<string, readonly [source: string, registered: readonly string[]]>> = {
  "a plain object with what an older host would lack, looked for": [
    `export default {
      id: "acme.plain", version: "0.1.0-beta.1", apiVersion: 1, categories: ["tools"],
      setup(api) {
        api.views?.register({ id: "v", description: "", handler: () => null });
        if (api.apps) throw new Error("it has apps");
        api.decisions?.registerProvider({});
        api.semantic?.registerEmbedding({});
        api.proof?.registerVerifier({});
        const cache = api.paths?.cache; const device = api.options?.device ?? "cpu";
        api.commands.register("where", async () => [cache, device].join(" "), { description: "x" });
      },
    };`,
    ["command acme.plain:where"],
  ],
  "two providers of one point, one of them in another export": [
    `${IMPORT}const mascot = { id: "m", render: () => ["<>"] };
    export default definePlugin({ id: "acme.two", version: "1.0.0", apiVersion: 1,
      extensions: { mascot },
      setup(api) { api.extensions.register("mascot", mascot, { priority: 10 })(); } });
    export const declarative = definePlugin({ id: "acme.other", version: "1.0.0", apiVersion: 1,
      extensions: { mascot }, setup() {} });`,
    ["extension mascot"],
  ],
  "globals of Node, a class, hooks and an asynchronous setup": [
    `${IMPORT}class Greeter {
      id = "acme.node"; version = "0.1.0"; apiVersion = 1;
      async setup(api) {
        await Promise.resolve();
        if (process.env.NO_SUCH_VARIABLE) throw new Error("it is set");
        this.size = Buffer.from("é").length;
        api.session.onStart(async (info) => \`Notes for \${info.workspace}\`);
        api.session.onEnd(async () => {});
        api.tools.register({ name: "hello", description: "Greets", effect: "internal",
          inputSchema: { type: "object", properties: {}, additionalProperties: false },
          execute: async () => textResult("Hello!") });
      }
    }
    export default new Greeter();`,
    ["tool hello external"],
  ],
  "a database at a path of its own": [
    `${IMPORT}export default definePlugin({ id: "acme.db", version: "0.1.0", apiVersion: 1,
      setup(api) {
        const db = api.storage.sqlite(api.paths.state + "/deep/notes.sqlite");
        db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT)");
        db.transaction(() => db.prepare("INSERT INTO notes (text) VALUES (?)").run("hello"));
        const rows = db.prepare("SELECT * FROM notes").all();
        api.commands.register("n" + rows.length, async () => "");
      } });`,
    ["command acme.db:n1"],
  ],
};

Deno.test("Plugins of every shape of the contract load behind the second wall", async () => {
  await withCli(async (cli) => {
    const files = Object.values(SHAPES).map(([source], index) =>
      [`p${index}.mjs`, source] as const
    );
    await writeTree(cli.dir, Object.fromEntries(files));
    const args = files.flatMap(([name]) => ["--plugin", `../${name}`]);
    const doctor = await cli.run(["plugins", "doctor", "--json", ...args]);
    assert.equal(doctor.status, 0, shown(doctor));
    assert.equal(doctor.stderr, "");
    const plugins = jsonLines(doctor).filter(({ type }) => type === "plugin");
    const registered = plugins.map(({ data }) => [
      ...list(data.tools).map(({ name, effect }) => `tool ${String(name).slice(13)} ${effect}`),
      ...list(data.commands).map(({ name }) => `command ${name}`),
      ...list(data.extensions).map(({ point }) => `extension ${point}`),
    ]);
    assert.deepEqual(registered, Object.values(SHAPES).map(([, expected]) => expected));
  });
});

Deno.test("A plugin that needs what this host lacks is refused with the name of it", async () => {
  await withCli(async (cli) => {
    const source = `${IMPORT}export default definePlugin({ id: "my.notes", version: "0.1.0",
      apiVersion: 1, setup(api) { api.proof.register({}); } });`;
    await writeTree(cli.dir, { "p.mjs": source });
    const run = await cli.run(["run", "hi", "--plugin", "../p.mjs"]);
    assert.equal(run.status, 2, shown(run));
    assert.match(run.stderr, /its setup failed: .*; this Alisio has no "api\.proof"\n/);
  });
});

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  assert.ok(Array.isArray(value));
  return value;
}
