import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin, ToolDefinition } from "@alisio/sdk";
import { AlisioError } from "../../../core/errors.ts";
import { loadPlugins } from "../../../core/plugins/load_plugins.ts";
import { PluginHost } from "../../../core/plugins/plugin_host.ts";
import type { PluginRequest } from "../../../core/plugins/plugin_sources.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";
import { placesIn, pluginSource, registerTool, requestOf } from "./_plugin_files.ts";

interface Loaded {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly notices: readonly string[];
  readonly plugins: readonly Plugin[];
}

/** Loads plugins, looks at what there is, and closes everything again. */
async function load(
  requests: readonly PluginRequest[],
  look: (loaded: Loaded) => void | Promise<void> = () => {},
  options: { readonly timeoutMs?: number; readonly disabled?: string } = {},
): Promise<Loaded> {
  const tools = new Map<string, ToolDefinition>();
  const notices: string[] = [];
  const plugins: Plugin[] = [];
  const host = new PluginHost({
    registerTool: (tool, plugin) => {
      if (tools.has(tool.name)) throw new TypeError(`Tool "${tool.name}" is there already`);
      tools.set(tool.name, tool);
      plugins.push(plugin);
      return () => void tools.delete(tool.name);
    },
    registerProvider: () => () => {},
    disposeTimeoutMs: 1_000,
    reservedIds: ["openai-compatible"],
  });
  const loaded = { tools, notices, plugins };
  const dir = join(requests[0]?.entry ?? "", "..");
  const { close } = await loadPlugins({
    requests,
    places: placesIn(dir),
    host,
    timeoutMs: options.timeoutMs ?? 10_000,
    isDisabled: (id) => id === options.disabled,
    onFailed: ({ origin }, failure) => {
      if (origin === "flag") throw failure;
      notices.push(failure.message);
    },
    notify: (notice) => void notices.push(notice),
  });
  try {
    await look(loaded);
  } finally {
    await host.close();
    close();
  }
  return loaded;
}

async function call(loaded: Loaded, name: string): Promise<string> {
  const tool = loaded.tools.get(name);
  assert.ok(tool, `there is no tool ${name} in ${[...loaded.tools.keys()]}`);
  const signal = new AbortController().signal;
  const result = await tool.execute({}, { signal, workspace: "/", emit: () => {} });
  const [part] = result.content;
  return part?.type === "text" ? part.text : "";
}

Deno.test("loadPlugins() loads TypeScript, JavaScript and CommonJS with the host's own contract", async () => {
  await withTempDir(async (dir) => {
    const common = `
      const { definePlugin, textResult } = require("@alisio/sdk");
      module.exports = definePlugin({ id: "acme.common", version: "0.1.0", apiVersion: 1,
        setup(api) { ${registerTool("greet", '"common"')} } });`;
    const typed = `enum Word { Hello = "typed" }\n` +
      `const word: string = Word.Hello;\n${
        pluginSource("acme.typed", registerTool("greet", "word"))
      }`.replace('"@alisio/sdk"', '"jsr:@alisio/sdk@^0.1.0"');
    await writeTree(dir, {
      "one.js": pluginSource("acme.one"),
      "two.mjs": pluginSource("acme.two"),
      "typed.ts": typed,
      "common.cjs": common,
      "guess.js": common.replace("acme.common", "acme.guess"),
      "built.cjs": common.replace("acme.common", "acme.built").replace(
        "module.exports =",
        `Object.defineProperty(exports, "__esModule", { value: true }); exports.default =`,
      ),
      "two.cjs": `module.exports = require("./three.mjs");`,
      "three.mjs": pluginSource("acme.three"),
      "four.cjs": `module.exports = require("four");`,
      "node_modules/four/package.json": `{ "name": "four", "main": "main.cjs" }`,
      "node_modules/four/main.cjs":
        `if (typeof nothing === "undefined") { module.exports = require("inner"); } ` +
        `else { module.exports = require("./nowhere.cjs"); }`,
      "node_modules/inner/index.js": common.replace("acme.common", "acme.four"),
      "five.mjs": `import five from "five"; export { named } from "five"; export default five;`,
      "node_modules/five/package.json": `{ "name": "five", "type": "module", "main": "main.cjs" }`,
      "node_modules/five/main.cjs":
        `exports.named = 1; Object.assign(exports, { ...require("inner"), id: "acme.five" });`,
      "six.cts": `const it: object = require("inner");\n` +
        `module.exports = { ...it, id: "acme.six" as string };\n` +
        `if (false) module.exports = require("inner");`,
      "a b ü#1.js": pluginSource("acme.odd"),
    });
    const files = [
      "one.js",
      "two.mjs",
      "typed.ts",
      "common.cjs",
      "guess.js",
      "built.cjs",
      "two.cjs",
    ];
    files.push("four.cjs", "five.mjs", "six.cts", "a b ü#1.js");
    await load(files.map((file) => requestOf(join(dir, file))), async (loaded) => {
      const names = [...loaded.tools.keys()];
      assert.equal(names.length, files.length);
      for (const name of names) assert.match(name, /^p_[0-9a-f]{10}_greet$/);
      assert.deepEqual(await Promise.all(names.map((name) => call(loaded, name))), [
        "hello of acme.one",
        "hello of acme.two",
        "typed",
        "common",
        "common",
        "common",
        "hello of acme.three",
        "common",
        "common",
        "common",
        "hello of acme.odd",
      ]);
    });
  });
});

Deno.test("loadPlugins() finds packages of both kinds in a plugin's own node_modules", async () => {
  await withTempDir(async (dir) => {
    const folder = join(dir, "work/node_modules/alisio-plugin-deps");
    await writeTree(folder, {
      "package.json": JSON.stringify({
        name: "alisio-plugin-deps",
        version: "1.0.0",
        type: "module",
        keywords: ["alisio-plugin"],
        exports: { ".": { import: "./dist/index.js" } },
        imports: { "#words": { node: "./dist/words.js" } },
      }),
      "dist/index.js": `
        import { shout } from "esm-dep";
        import common, { named } from "cjs-dep";
        import { word } from "#words";
        import { self } from "alisio-plugin-hoisted/deep/self.js";
        import data from "./data.json" with { type: "json" };
        import { basename } from "path";
        import { createRequire } from "module";
        const lazy = createRequire(import.meta.url);
        ${
        pluginSource(
          "acme.deps",
          registerTool(
            "greet",
            `[shout(word), named(), common.named(), self, data.x, basename("/a/b"),
              lazy("cjs-dep/extra").late, (await import("esm-dep")).shout("lazily")].join(" ")`,
          ),
        )
      }`,
      "dist/words.js": `export const word = "word";`,
      "dist/data.json": `{ "x": 7 }`,
      "node_modules/esm-dep/package.json":
        `{ "name": "esm-dep", "type": "module", "exports": { "import": "./m.js" } }`,
      "node_modules/esm-dep/m.js":
        `import { EOL } from "os"; export const shout = (text) => text.toUpperCase() + EOL.trim();`,
      "node_modules/cjs-dep/package.json": `{ "name": "cjs-dep", "main": "./lib" }`,
      "node_modules/cjs-dep/lib/index.js":
        `const inner = require("cjs-inner"); const { word } = require("../data.json"); ` +
        `const { name } = require("../package.json"); ` +
        `exports.named = () => inner + typeof __dirname + word + name;`,
      "node_modules/cjs-dep/data.json": `\ufeff{ "word": " of JSON in " }`,
      "node_modules/cjs-dep/extra.js": `exports.late = require("cjs-inner") + "late";`,
      "node_modules/cjs-dep/node_modules/cjs-inner/index.js": `module.exports = "inner";`,
    });
    await writeTree(join(dir, "work/node_modules/alisio-plugin-hoisted"), {
      "package.json": `{ "name": "alisio-plugin-hoisted", "type": "module" }`,
      "deep/self.js": `import { deep } from "./deep.js"; export const self = deep;`,
      "deep/deep.js": `export const deep = "hoisted";`,
    });
    const request = requestOf("alisio-plugin-deps");
    const { close } = await withPlaces(dir, request, async (loaded) => {
      assert.equal(
        await call(loaded, [...loaded.tools.keys()][0] ?? ""),
        "WORD innerstring of JSON in cjs-dep innerstring of JSON in cjs-dep hoisted 7 b innerlate LAZILY",
      );
    });
    close();
  });
});

Deno.test("loadPlugins() says why a module is no plugin", async () => {
  await withTempDir(async (dir) => {
    const define = (fields: string) => `export default { ${fields} };`;
    const setup = "setup() {}";
    const rows: Readonly<Record<string, readonly [string, RegExp]>> = {
      "none.js": [`export const plugin = 1;`, /it has no default export: write export default /],
      "number.js": [`export default 42;`, /its default export is no plugin: write export default/],
      "empty.js": ["", /its default export is no plugin/],
      "list.js": [`export default [];`, /its default export is no plugin/],
      "v2.js": [
        define(`id: "a", version: "1.0.0", apiVersion: 2, ${setup}`),
        /its apiVersion is 2, and this Alisio speaks 1: install a version of the plugin that is /,
      ],
      "v0.js": [define(`id: "a", version: "1.0.0", ${setup}`), /its apiVersion is missing/],
      "id.js": [
        define(`id: "Acme Hello", version: "1.0.0", apiVersion: 1, ${setup}`),
        /its id is "Acme Hello": an id has 1 to 64 lowercase letters, digits, dots and hyphens/,
      ],
      "noid.js": [define(`version: "1.0.0", apiVersion: 1, ${setup}`), /its id is missing/],
      "version.js": [
        define(`id: "a", version: "1", apiVersion: 1, ${setup}`),
        /its version is "1": write one such as 0\.1\.0$/,
      ],
      "setup.js": [
        define(`id: "a", version: "1.0.0", apiVersion: 1`),
        /it has no function setup\(api\)$/,
      ],
      "builtin.js": [
        pluginSource("openai-compatible"),
        /its id "openai-compatible" is the one of a built-in plugin$/,
      ],
      "throws.js": [
        pluginSource("a", `throw new Error("no licence")`),
        /its setup failed: no licence$/,
      ],
      "late.js": [
        pluginSource("a", `${registerTool("greet", '""')} throw new Error("too late")`),
        /its setup failed: too late$/,
      ],
      "forever.js": [
        pluginSource("a", `await new Promise(() => {})`),
        /its setup failed: it did not end within 300 ms$/,
      ],
      "await.mjs": [
        `await new Promise(() => {}); export default 1;`,
        /its module did not load within 300 ms$/,
      ],
      "provider.js": [
        pluginSource("a", `api.providers.register({ id: "acme", name: "A", fields: [] });`),
        /its setup failed: Cannot register provider "acme": it has no function create\(request\)$/,
      ],
      "hijack.js": [
        pluginSource(
          "a",
          `api.providers.register({ id: "openai-compatible", name: "A", fields: [], create() {} });`,
        ),
        /Cannot register provider "openai-compatible": a built-in provider has that id$/,
      ],
      "absent.js": [
        pluginSource("a", `api.views?.register({}); api.mascots.register({});`),
        /its setup failed: Cannot read .*'register'\); this Alisio has no "api\.views", "api\.mascots"$/,
      ],
      "tool.js": [
        pluginSource("a", `api.tools.register({ name: "x" })`),
        /its setup failed: Cannot register tool "x": its description is no text$/,
      ],
      "name.js": [
        pluginSource("a", registerTool("x".repeat(52), '""')),
        /a name has 1 to 51 letters, digits, "_" or "-"$/,
      ],
      "twice.js": [
        pluginSource("a", registerTool("x", '""') + registerTool("x", '""')),
        /its setup failed: Tool "p_[0-9a-f]{10}_x" is there already$/,
      ],
      "throw.js": [`throw new Error("no such machine"); export {};`, /: no such machine$/],
      "syntax.js": [
        `export default {;`,
        /it is no valid module: Unexpected token ';' at file:.*syntax\.js:1:17$/,
      ],
      "typed.ts": [`const x: = 1;\n`, /Cannot read "typed\.ts": line 1, column 10: /],
      "common.cjs": [`throw new Error("boom")`, /: boom$/],
      "package.js": [
        `import "nowhere-to-be-found"; export default 1;`,
        /Cannot find "nowhere-to-be-found", which ".*package\.js" imports: package /,
      ],
      "common-syntax.cjs": [
        `module.exports = {`,
        /: it is no valid module: Unexpected end of input, in "common-syntax\.cjs", or in what it requires$/,
      ],
      "native.cjs": [
        `module.exports = require("./native.node")`,
        /: Cannot load "native\.node": a plugin cannot bring machine code$/,
      ],
      "handed-on.cjs": [
        `module.exports = require("nowhere-to-be-found")`,
        /Cannot find "nowhere-to-be-found", which ".*handed-on\.cjs" imports: package .* install it/,
      ],
      "required.cjs": [
        `require("nowhere-to-be-found")`,
        /Cannot find "nowhere-to-be-found", which ".*required\.cjs" imports: package .* install it/,
      ],
      "folder.js": [
        `import "./"; export default 1;`,
        /Cannot find "\.\/", which ".*folder\.js" imports: it is no file; name one in it$/,
      ],
      "file.js": [
        `import "./nowhere.js"; export default 1;`,
        /Cannot find "\.\/nowhere\.js", which ".*file\.js" imports: there is no such file$/,
      ],
      "export.js": [
        `import { nothing } from "./none.js"; export default nothing;`,
        /The requested module '\.\/none\.js' does not provide an export named 'nothing'.*; a type is imported with import type$/,
      ],
    };
    await Deno.writeTextFile(join(dir, "native.node"), "\x7fELF");
    for (const [file, [source, reason]] of Object.entries(rows)) {
      const path = join(dir, file);
      await Deno.writeTextFile(path, source);
      const look = () => assert.fail(`${file} was loaded`);
      await assert.rejects(load([requestOf(path)], look, { timeoutMs: 300 }), (error) => {
        assert.ok(error instanceof AlisioError && error.code === "plugin_invalid", file);
        assert.match(error.message, /^Cannot load plugin ".*": /, file);
        assert.match(error.message, reason, file);
        return true;
      });
      // Where a file names it, it is left out and the others are loaded.
      const good = join(dir, `good-${file}.mjs`);
      await Deno.writeTextFile(good, pluginSource(`good.${file}`));
      const requests = [requestOf(path, { origin: "configuration" }), requestOf(good)];
      await load(requests, ({ tools, notices }) => {
        assert.equal(tools.size, 1, `${file}: ${[...tools.keys()]}`);
        assert.equal(notices.length, 1, file);
        assert.match(notices[0] ?? "", reason, file);
      }, { timeoutMs: 300 });
    }
  });
});

Deno.test("loadPlugins() loads a plugin once, and one of two with the same id", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a.js": pluginSource("acme.a"), "b.js": pluginSource("acme.a") });
    await Deno.symlink("a.js", join(dir, "link.js"));
    const a = requestOf(join(dir, "a.js"));
    await load([a, a, requestOf(join(dir, "link.js"))], ({ tools, notices }) => {
      assert.deepEqual([tools.size, notices], [1, []]);
    });
    await assert.rejects(
      load([a, requestOf(join(dir, "b.js"))]),
      /Cannot load plugin ".*b\.js": a plugin with its id "acme\.a" is already loaded$/,
    );
  });
});

Deno.test("loadPlugins() lets TypeScript know where it lies, and what it fails at", async () => {
  await withTempDir(async (dir) => {
    const tool = registerTool(
      "greet",
      `[import.meta.url, import.meta.filename, import.meta.dirname,
        new URL("./data.txt", import.meta.url).pathname, helped()].join("\\n")`,
    );
    await writeTree(dir, {
      "meta.ts": `#!/usr/bin/env alisio\nimport { helped } from "./help.mjs";\n` +
        `export const one: number = 1;\n${pluginSource("acme.meta", tool)}`,
      "help.mts": `import type { One } from "./meta.ts"; import { one } from "./meta.ts";\n` +
        `export type Two = One; export const helped = (): string => typeof one;\n`,
      "export.ts": `import { absent } from "./help2.ts"; export default absent;`,
      "help2.ts": "export const present: number = 1;",
    });
    const path = join(dir, "meta.ts");
    await load([requestOf(path)], async (loaded) => {
      const [name = ""] = loaded.tools.keys();
      const url = pathToFileURL(path).href;
      const data = pathToFileURL(join(dir, "data.txt")).pathname;
      assert.equal(await call(loaded, name), [url, path, dir, data, "number"].join("\n"));
    });
    const failed = {
      message: /'\.\/help2\.ts' does not provide an export named 'absent' at file:.*export\.ts:1:/,
    };
    await assert.rejects(load([requestOf(join(dir, "export.ts"))]), failed);
  });
});

Deno.test("loadPlugins() serves two applications of one process at once", async () => {
  await withTempDir(async (dir) => {
    const lazy = registerTool("greet", `(await import("./late.ts")).late`);
    await writeTree(dir, {
      "a.js": pluginSource("acme.a", lazy),
      "late.ts": `import { textResult } from "@alisio/sdk";
        export const late: string = textResult.name;`,
      "b.js": pluginSource("acme.b"),
    });
    await load([requestOf(join(dir, "a.js"))], async (first) => {
      const [name = ""] = first.tools.keys();
      await load([requestOf(join(dir, "b.js"))], async () => {
        assert.equal(await call(first, name), "textResult");
      });
      assert.equal(await call(first, name), "textResult");
    });
  });
});

Deno.test("loadPlugins() does not set up a plugin that is switched off", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a.js": pluginSource("acme.a") });
    const look = ({ tools }: Loaded) => assert.equal(tools.size, 0);
    await load([requestOf(join(dir, "a.js"))], look, { disabled: "acme.a" });
  });
});

Deno.test("loadPlugins() names a plugin that lets nothing else go on", async () => {
  await withTempDir(async (dir) => {
    const busy = `const end = Date.now() + 1200; while (Date.now() < end);`;
    await writeTree(dir, { "busy.js": pluginSource("acme.busy", busy) });
    const { notices } = await load([requestOf(join(dir, "busy.js"))]);
    assert.equal(notices.length, 1);
    assert.match(
      notices[0] ?? "",
      /^Plugin ".*busy\.js" let nothing else go on for 1\.\d s while /,
    );
  });
});

Deno.test("loadPlugins() survives what a plugin fails at in the background, and names it", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "stray.js": pluginSource(
        "acme.stray",
        `Promise.reject(new Error("nobody waits"));
        setTimeout(() => { throw new Error("in a timer"); });
        const seen = Promise.withResolvers();
        setTimeout(seen.resolve, 20);
        await seen.promise;`,
      ),
    });
    const { notices } = await load([requestOf(join(dir, "stray.js"))]);
    assert.equal(notices.length, 2, notices.join("\n"));
    assert.match(notices[0] ?? "", /^Plugin ".*stray\.js" failed in the background: nobody waits$/);
    assert.match(notices[1] ?? "", /^Plugin ".*stray\.js" failed in the background: in a timer$/);
  });
});

Deno.test("loadPlugins() knows whose failure it is where no stack tells", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "other.js": pluginSource("acme.other", ""),
      "stray.js": pluginSource(
        "acme.stray",
        `Promise.reject(null);
        Promise.reject(Object.create(null));
        Promise.reject(Object.defineProperty(new Error("no stack"), "stack", { value: 3 }));
        setTimeout(() => { throw undefined; });
        const seen = Promise.withResolvers();
        setTimeout(seen.resolve, 20);
        await seen.promise;`,
      ),
    });
    const { notices } = await load([
      requestOf(join(dir, "other.js")),
      requestOf(join(dir, "stray.js")),
    ]);
    const [stray, other] = ["stray", "other"].map((name) =>
      requestOf(join(dir, `${name}.js`)).label
    );
    assert.deepEqual(notices, [
      `Plugin ${stray} failed in the background: null`,
      `Plugin ${stray} failed in the background: an unknown failure`,
      `Plugin ${stray} failed in the background: no stack`,
      // A timer does not know who started it.
      `One of the plugins ${other}, ${stray} failed in the background: undefined`,
    ]);
  });
});

/** As {@linkcode load}, with packages looked for below a folder. */
async function withPlaces(
  dir: string,
  request: PluginRequest,
  look: (loaded: Loaded) => Promise<void>,
): Promise<{ close(): void }> {
  const tools = new Map<string, ToolDefinition>();
  const host = new PluginHost({
    registerTool: (tool) => {
      tools.set(tool.name, tool);
      return () => {};
    },
    registerProvider: () => () => {},
    disposeTimeoutMs: 1_000,
  });
  const loaded = await loadPlugins({
    requests: [request],
    places: placesIn(dir),
    host,
    timeoutMs: 10_000,
    isDisabled: () => false,
    onFailed: (_request, failure) => assert.fail(failure),
    notify: (notice) => assert.fail(notice),
  });
  await look({ tools, notices: [], plugins: [] });
  await host.close();
  return loaded;
}
