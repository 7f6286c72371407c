import assert from "node:assert/strict";
import { join } from "node:path";
import {
  addPluginEntries,
  assertEntriesWritable,
  hasPluginEntry,
  removePluginEntry,
} from "../../../../core/plugins/install/plugin_entries.ts";
import { withTempDir } from "../../../support/temp.ts";

async function withConfig(
  text: string | null,
  fn: (path: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    const path = join(dir, "config.json");
    if (text !== null) await Deno.writeTextFile(path, text, { mode: 0o640 });
    await fn(path);
  });
}

Deno.test("addPluginEntries() names each plugin once and keeps everything else", async () => {
  const rows: readonly (readonly [before: string | null, after: string])[] = [
    [null, '{\n  "plugins": [\n    "x",\n    "@a/y"\n  ]\n}\n'],
    ["{}", '{\n  "plugins": [\n    "x",\n    "@a/y"\n  ]\n}\n'],
    [
      '\ufeff{\n\t"limits": { "maxTurns": 5 },\n\t"plugins": ["./x", "npm:x@1.0.0", "x"],\n\t"lsp": {}\n}\n',
      '{\n\t"limits": {\n\t\t"maxTurns": 5\n\t},\n\t"plugins": [\n\t\t"./x",\n\t\t"x",\n\t\t"@a/y"\n\t],\n' +
      '\t"lsp": {}\n}\n',
    ],
    [
      '{\n    "plugins": ["@a/y@2.0.0", "other", "x"]\n}\n',
      '{\n    "plugins": [\n        "@a/y",\n        "other",\n        "x"\n    ]\n}\n',
    ],
    // What names both already is left as it is.
    ['{"plugins":["@a/y","x"]}', '{"plugins":["@a/y","x"]}'],
  ];
  for (const [before, after] of rows) {
    await withConfig(before, async (path) => {
      await addPluginEntries(path, ["x", "@a/y"]);
      assert.equal(await Deno.readTextFile(path), after);
    });
  }
});

Deno.test("removePluginEntry() takes out every form of one name, and no path", async () => {
  await withConfig('{ "plugins": ["./x", "x", "npm:x@1.0.0", "xx", "@x/x"] }', async (path) => {
    assert.equal(await hasPluginEntry(path, "x"), true);
    await removePluginEntry(path, "x");
    const { plugins } = JSON.parse(await Deno.readTextFile(path));
    assert.deepEqual(plugins, ["./x", "xx", "@x/x"]);
    assert.equal(await hasPluginEntry(path, "x"), false);
  });
});

Deno.test("addPluginEntries() keeps the mode of the file, and a link a link", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await withConfig("{}", async (path) => {
    const real = `${path}.real`;
    await Deno.rename(path, real);
    await Deno.symlink(real, path);
    await assertEntriesWritable(path);
    await addPluginEntries(path, ["x"]);
    assert.equal((await Deno.lstat(path)).isSymlink, true);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(real)), { plugins: ["x"] });
    assert.equal(((await Deno.stat(real)).mode ?? 0) & 0o777, 0o640);
  });
});

Deno.test("assertEntriesWritable() leaves nothing behind, and finds what could not be changed", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "new", "config.json");
    await assertEntriesWritable(path);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(join(dir, "new"))), []);
    await Deno.mkdir(path);
    await assert.rejects(assertEntriesWritable(path), { code: "config_unreadable" });
    await Deno.writeTextFile(join(dir, "file"), "");
    await assert.rejects(assertEntriesWritable(join(dir, "file", "config.json")), {
      code: "install_failed",
      message: /^Cannot change configuration ".*": .*; nothing was installed or removed; make the /,
    });
  });
});
