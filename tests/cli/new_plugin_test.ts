import assert from "node:assert/strict";
import { join } from "node:path";
import { runPlugins } from "../../cli/plugins.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { runCommand } from "./_run_command.ts";

Deno.test("runPlugins() writes a plugin with an id and a package of its folder's name", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "ws"));
    const { status, out, err } = await runCommand(runPlugins, dir, ["plugins", "new", "My Notes"]);
    const folder = join(dir, "ws/My Notes");
    assert.deepEqual([status, out], [0, `Wrote plugin local.my-notes into "${folder}"\n`]);
    assert.match(err, /^Next, in that folder:\n {2}1\. Test it: deno test\n/);
    const description = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
    assert.deepEqual([description.name, description.keywords], [
      "alisio-plugin-my-notes",
      ["alisio-plugin"],
    ]);
    assert.match(await Deno.readTextFile(join(folder, "src/plugin.ts")), /id: "local\.my-notes"/);
  });
});

Deno.test("runPlugins() takes an empty folder and an id, and prints one JSON line", async () => {
  await withTempDir(async (dir) => {
    const folder = join(dir, "ws/alisio-plugin-x");
    await Deno.mkdir(folder, { recursive: true });
    const words = ["plugins", "new", folder, "--id", "acme.x", "--json", "--quiet"];
    const { status, out, err } = await runCommand(runPlugins, dir, words);
    assert.deepEqual([status, err], [0, ""]);
    const { type, data } = JSON.parse(out);
    assert.deepEqual([type, data.id, data.folder], ["plugin_new", "acme.x", folder]);
    for (const file of data.files) assert.ok((await Deno.stat(join(folder, file))).isFile);
    const description = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
    assert.equal(description.name, "alisio-plugin-x");
  });
});

Deno.test("runPlugins() writes no plugin where it should not, and says why", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/full/mine.ts": "mine", "ws/file": "" });
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ["new", "full"],
        /^Cannot write a plugin into ".*full": there is something in it; name a new/,
      ],
      [["new", "file"], /^Cannot write "?.*file/],
      [["new", "file/below"], /^Cannot write "?.*file/],
      [["new"], /^Name one folder: alisio plugins new <folder>/],
      [["new", "a", "b"], /^Name one folder/],
      [["new", "a", "--id", "Acme"], /^Cannot make a plugin with the id "Acme": an id has 1 to 64/],
      [
        ["new", "a", "--id", "openai-compatible"],
        /^Cannot make a plugin with the id "openai-compatible": it is the one of a built-in plugin; /,
      ],
      [
        ["new", "a", "--id", "herdr"],
        /^Cannot make a plugin with the id "herdr": it is the one of/,
      ],
      [["new", "a", "--read-only"], /^Cannot write a plugin: "--read-only" was given/],
      [["list", "--id", "acme.x"], /^Flag "--id" belongs to "alisio plugins new"/],
      [["list", "x"], /^Unexpected argument "x": write alisio plugins list, alisio plugins doctor/],
      [
        ["nwe"],
        /^Write alisio plugins list, alisio plugins doctor, or alisio plugins new <folder>/,
      ],
    ];
    for (const [words, message] of rows) {
      const { status, err } = await runCommand(runPlugins, dir, ["plugins", ...words]);
      assert.equal(status, 2, words.join(" "));
      assert.match(err, message);
    }
    const names = await Array.fromAsync(Deno.readDir(join(dir, "ws")), ({ name }) => name);
    assert.deepEqual(names.sort(), ["file", "full"]);
    assert.equal(await Deno.readTextFile(join(dir, "ws/full/mine.ts")), "mine");
  });
});
