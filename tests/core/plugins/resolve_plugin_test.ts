import assert from "node:assert/strict";
import { join } from "node:path";
import { AlisioError } from "../../../core/errors.ts";
import { readByPlugin } from "../../../core/plugins/plugin_reads.ts";
import { resolvePlugin } from "../../../core/plugins/resolve_plugin.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";
import { placesIn, requestOf } from "./_plugin_files.ts";

const PACKAGE = { name: "alisio-plugin-foo", version: "1.2.3", keywords: ["alisio-plugin"] };

const manifest = (content: unknown) => JSON.stringify(content);

Deno.test("resolvePlugin() says what is wrong with files and folders", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "bare/index.js": "",
      "text.txt": "",
      "outside.js": "",
      "later/alisio-plugin.json": manifest({ apiVersion: 2, entry: "./a.js" }),
      "nameless/alisio-plugin.json": manifest({ apiVersion: 1 }),
      "broken/alisio-plugin.json": "{",
      "list/alisio-plugin.json": "[]",
      "leaves/alisio-plugin.json": manifest({ apiVersion: 1, entry: "../outside.js" }),
      "linked/alisio-plugin.json": manifest({ apiVersion: 1, entry: "./link.js" }),
      "missing/alisio-plugin.json": manifest({ apiVersion: 1, entry: "./a.js" }),
      "data/alisio-plugin.json": manifest({ apiVersion: 1, entry: "./a.json" }),
      "data/a.json": "{}",
    });
    await Deno.symlink("../outside.js", join(dir, "linked/link.js"));
    const rows: Readonly<Record<string, RegExp>> = {
      "none.js": /there is no ".*none\.js"$/,
      "text.txt": /a plugin is a \.js, \.mjs, .* file, or a folder$/,
      "bare": /a folder needs a file alisio-plugin\.json such as \{ "apiVersion": 1, /,
      "later": /its alisio-plugin\.json is for apiVersion 2, and this Alisio speaks 1$/,
      "nameless": /its alisio-plugin\.json names no entry: add "entry": "\.\/index\.js"$/,
      "broken": /its alisio-plugin\.json is not JSON$/,
      "list": /its alisio-plugin\.json is not a JSON object$/,
      "leaves": /its entry ".*outside\.js" leads out of its folder$/,
      "linked": /its entry ".*link\.js" leads out of its folder$/,
      "missing": /there is no ".*missing\/a\.js"$/,
      "data": /its entry ".*a\.json" is no JavaScript or TypeScript module$/,
    };
    for (const [entry, reason] of Object.entries(rows)) {
      assertRefused(() => resolvePlugin(requestOf(join(dir, entry)), placesIn(dir)), reason, entry);
    }
  });
});

Deno.test("resolvePlugin() reads files that begin with the mark of an editor", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "folder/alisio-plugin.json": `\uFEFF${manifest({ apiVersion: 1, entry: "./a.js" })}`,
      "folder/a.js": "",
      "work/node_modules/alisio-plugin-foo/package.json": `\uFEFF${manifest(PACKAGE)}`,
      "work/node_modules/alisio-plugin-foo/index.js": "",
    });
    const entries = [join(dir, "folder"), "alisio-plugin-foo"];
    const found = entries.map((entry) => resolvePlugin(requestOf(entry), placesIn(dir)).module);
    assert.deepEqual(found.map((module) => module.slice(-11)), ["folder/a.js", "oo/index.js"]);
  });
});

Deno.test({
  name: "resolvePlugin() never waits for a named pipe",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await writeTree(dir, {
        "entry/alisio-plugin.json": manifest({ apiVersion: 1, entry: "./pipe.js" }),
        "manifest/x": "",
      });
      const pipes = ["pipe.js", "entry/pipe.js", "manifest/alisio-plugin.json"];
      await new Deno.Command("mkfifo", { args: pipes, cwd: dir }).output();
      const rows: Readonly<Record<string, RegExp>> = {
        "pipe.js": /a plugin is a \.js, .* file, or a folder$/,
        "entry": /its entry ".*pipe\.js" is no JavaScript or TypeScript module$/,
        "manifest": /its alisio-plugin\.json is no regular file$/,
      };
      for (const [entry, reason] of Object.entries(rows)) {
        const act = () => resolvePlugin(requestOf(join(dir, entry)), placesIn(dir));
        assertRefused(act, reason, entry);
      }
    }),
});

Deno.test("resolvePlugin() says what is wrong with packages", async () => {
  await withTempDir(async (dir) => {
    const packages: Readonly<Record<string, object>> = {
      "no-keyword": { keywords: ["plugin"] },
      "no-exports": { exports: { ".": { require: "./index.js" } } },
      "other-name": { exports: { "./sub": "./index.js" } },
      "leaves": { exports: "../../../outside.js" },
      "main-leaves": { main: "../../outside.js" },
      "no-main": {},
    };
    for (const [name, description] of Object.entries(packages)) {
      await writeTree(join(dir, "work/node_modules", name), {
        "package.json": JSON.stringify({ ...PACKAGE, name, ...description }),
        ...(name === "no-main" ? {} : { "index.js": "" }),
      });
    }
    await writeTree(dir, {
      "work/outside.js": "",
      "work/node_modules/no-json/package.json": "{",
      "work/node_modules/empty/index.js": "",
      "work/node_modules/foo/package.json": JSON.stringify(PACKAGE),
      "work/node_modules/foo/index.js": "",
    });
    const rows: Readonly<Record<string, RegExp>> = {
      "nowhere": /package "nowhere" is not installed where Alisio looks: in node_modules from /,
      "Not A Name": /it is neither a path nor the name of an npm package$/,
      "file:///p.js": /it is an address; write the path of the file or folder, without "file:"$/,
      "https://example.com/p.js":
        /nothing is loaded from addresses with "https:"; write a path or the name of an npm package, /,
      "jsr:@acme/p": /nothing is loaded from addresses with "jsr:"; write a path or the name /,
      "npm:../p": /it is neither a path nor the name of an npm package$/,
      "--force": /it is neither a path nor the name of an npm package$/,
      "no-keyword":
        /package "no-keyword" is no Alisio plugin: .* lacks the keyword "alisio-plugin"$/,
      "no-exports": /the "exports" of its package\.json offer no "\." for the conditions import, /,
      "other-name": /the "exports" of its package\.json offer no "\." for the conditions import, /,
      "leaves": /its entry "\.\.\/\.\.\/\.\.\/outside\.js" leads out of its folder$/,
      "main-leaves": /its entry ".*outside\.js" leads out of its folder$/,
      "no-main": /there is no ".*no-main\/index\.js"$/,
      "no-json": /Cannot read ".*no-json\/package\.json": it is not JSON$/,
      "empty": /".*empty" has no package\.json that can be read$/,
      "foo@2.0.0": /version "2\.0\.0" is asked for, and "1\.2\.3" is installed; name the package /,
      "foo@^1.0.0": /version "\^1\.0\.0" is asked for, and "1\.2\.3" is installed; /,
    };
    for (const [entry, reason] of Object.entries(rows)) {
      assertRefused(() => resolvePlugin(requestOf(entry), placesIn(dir)), reason, entry);
    }
    const found = join(dir, "work/node_modules/foo/index.js");
    for (const entry of ["foo", "npm:foo", "foo@1.2.3"]) {
      assert.equal(resolvePlugin(requestOf(entry), placesIn(dir)).module, found, entry);
    }
  });
});

Deno.test("resolvePlugin() enters a package as the reference says", async () => {
  const rows: readonly (readonly [object, string])[] = [
    [{ exports: { ".": { import: "./i.js", default: "./d.js" } }, main: "./m.js" }, "i.js"],
    [{ exports: { ".": { node: "./n.js" } }, main: "./m.js" }, "n.js"],
    [{ exports: { default: "./d.js" } }, "d.js"],
    [{ main: "./m.js" }, "m.js"],
    [{ main: "m" }, "m.js"],
    [{}, "index.js"],
  ];
  for (const [description, expected] of rows) {
    await withTempDir(async (dir) => {
      const folder = join(dir, "node_modules/@acme/foo");
      await writeTree(folder, {
        "package.json": JSON.stringify({ ...PACKAGE, ...description }),
        ...{ "i.js": "", "n.js": "", "d.js": "", "m.js": "", "index.js": "" },
      });
      // From the project upward: the package lies above the workspace.
      const found = resolvePlugin(requestOf("@acme/foo"), placesIn(dir));
      assert.equal(found.module, join(folder, expected), JSON.stringify(description));
    });
  }
});

Deno.test("resolvePlugin() lets no repository take the place of what a person installed", async () => {
  await withTempDir(async (dir) => {
    const source = { "package.json": JSON.stringify(PACKAGE), "index.js": "" };
    const folders = {
      project: join(dir, "work/node_modules/foo"),
      own: join(dir, "config/plugins/node_modules/foo"),
      nodePath: join(dir, "path/foo"),
      global: join(dir, "prefix/lib/node_modules/foo"),
    };
    const env = { NODE_PATH: join(dir, "path"), PATH: `work/bin:${join(dir, "prefix/bin")}` };
    const where = (named: "flag" | "global file", trusted = false) => {
      const request = requestOf("foo", { prefersProject: named === "flag" });
      try {
        const { root } = resolvePlugin(request, placesIn(dir, { env, trusted }));
        return Object.entries(folders).find(([, folder]) => folder === root)?.[0];
      } catch {
        return "nowhere";
      }
    };
    await writeTree(folders.project, source);
    assert.deepEqual([where("flag"), where("global file")], ["project", "nowhere"]);
    assert.equal(where("global file", true), "project");
    await writeTree(folders.global, source);
    assert.deepEqual([where("flag"), where("global file")], ["project", "global"]);
    await writeTree(folders.nodePath, source);
    assert.deepEqual([where("flag"), where("global file")], ["project", "nodePath"]);
    await writeTree(folders.own, source);
    assert.deepEqual([where("flag"), where("global file", true)], ["project", "own"]);
    await Deno.remove(folders.project, { recursive: true });
    assert.equal(where("flag"), "own");
  });
});

Deno.test("readByPlugin() opens a plugin's own folder and packages, and no folder above", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "home/lone.js": "",
      "home/tools/one.js": "",
      "home/made/package.json": "{}",
      "home/made/dist/index.js": "",
      "home/node_modules/dep/index.js": "",
      "home/repo/package.json": "{}",
      "home/repo/plugin/p.js": "",
      "home/repo/work/x": "",
    });
    await Deno.symlink(join(dir, "home/made/dist/index.js"), join(dir, "home/link.js"));
    const kept = [dir, join(dir, "home"), join(dir, "home/repo/work")];
    const read = (path: string) =>
      readByPlugin(resolvePlugin(requestOf(join(dir, path)), placesIn(dir)), kept)
        .map((each) => each.slice(dir.length + 1));
    const packages = "home/node_modules";
    assert.deepEqual(read("home/lone.js"), ["home/lone.js", packages]);
    assert.deepEqual(read("home/tools/one.js"), ["home/tools/one.js", "home/tools", packages]);
    assert.deepEqual(read("home/link.js"), [
      "home/link.js",
      "home/made",
      "home/made/dist/index.js",
      packages,
    ]);
    // Its package holds the workspace, which is no part of the plugin.
    assert.deepEqual(read("home/repo/plugin/p.js"), [
      "home/repo/plugin/p.js",
      "home/repo/plugin",
      packages,
    ]);
  });
});

function assertRefused(act: () => unknown, reason: RegExp, entry: string): void {
  assert.throws(act, (error) => {
    assert.ok(error instanceof AlisioError && error.code === "plugin_invalid", entry);
    assert.match(error.message, /^Cannot load plugin ".*": /, entry);
    assert.match(error.message, reason, entry);
    return true;
  });
}
