import assert from "node:assert/strict";
import { changeConfig } from "../../../core/config/change_config.ts";
import { sha256Hex } from "../../../core/files/sha256.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const { signal } = new AbortController();
const MAX_TURNS = { path: ["limits", "maxTurns"], value: 20 } as const;
const TEXT = '{\n\t"plugins": [ "./a.ts" ],\n\t"limits": { "timeoutMs": 1000 }\n}\n';

async function hash(text: string): Promise<string> {
  return await sha256Hex(new TextEncoder().encode(text));
}

Deno.test("changeConfig() makes a file and its folder", async () => {
  await withTempDir(async (dir) => {
    const file = `${dir}/config/config.json`;
    const text = '{\n  "limits": {\n    "maxTurns": 20\n  }\n}\n';
    const changed = await changeConfig(file, [MAX_TURNS], { signal, folderMode: 0o700 });
    assert.deepEqual(changed, { before: null, after: await hash(text) });
    assert.equal(await Deno.readTextFile(file), text);
    assert.equal(((await Deno.stat(`${dir}/config`)).mode ?? 0) & 0o777, 0o700);
  });
});

Deno.test("changeConfig() keeps everything else, the mode and a link", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "dotfiles/alisio.json": TEXT, "config/x": "" });
    await Deno.chmod(`${dir}/dotfiles/alisio.json`, 0o640);
    await Deno.symlink("../dotfiles/alisio.json", `${dir}/config/config.json`);
    const file = `${dir}/config/config.json`;
    const changes = [MAX_TURNS, { path: ["compaction", "auto"], value: false }];
    const next =
      '{\n\t"plugins": [ "./a.ts" ],\n\t"limits": { "timeoutMs": 1000, "maxTurns": 20 },' +
      '\n\t"compaction": {\n\t\t"auto": false\n\t}\n}\n';
    const changed = await changeConfig(file, changes, { signal });
    assert.deepEqual(changed, { before: await hash(TEXT), after: await hash(next) });
    assert.equal(await Deno.readTextFile(`${dir}/dotfiles/alisio.json`), next);
    assert.equal((await Deno.lstat(file)).isSymlink, true);
    assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o640);
    assert.deepEqual(names(`${dir}/dotfiles`), ["alisio.json"]);
  });
});

for (
  const [name, text, changes, code] of [
    ["a file that is no JSON", "{ // comment\n}", [MAX_TURNS], "config_invalid"],
    ["a file with an unknown key", '{ "limit": {} }', [MAX_TURNS], "config_invalid"],
    ["a file with a key twice", '{ "limits": {}, "limits": {} }', [MAX_TURNS], "config_invalid"],
    [
      "a value out of its range",
      TEXT,
      [{ path: ["limits", "maxTurns"], value: 101 }],
      "config_invalid",
    ],
    ["an unknown key", TEXT, [MAX_TURNS, { path: ["limits", "max"], value: 1 }], "config_invalid"],
  ] as const
) {
  Deno.test(`changeConfig() refuses ${name}, and changes nothing`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "config.json": text });
      const file = `${dir}/config.json`;
      await assert.rejects(changeConfig(file, changes, { signal }), { code });
      assert.equal(await Deno.readTextFile(file), text);
      assert.deepEqual(names(dir), ["config.json"]);
    });
  });
}

Deno.test("changeConfig() refuses a file that is read-only", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "config.json": TEXT });
    await Deno.chmod(`${dir}/config.json`, 0o444);
    await assert.rejects(changeConfig(`${dir}/config.json`, [MAX_TURNS], { signal }), {
      code: "config_unwritable",
      message: /^Cannot change configuration .*: .*read-only.*; nothing was changed$/,
    });
    assert.equal(await Deno.readTextFile(`${dir}/config.json`), TEXT);
  });
});

Deno.test("changeConfig() loses no change of another one at the same time", async () => {
  await withTempDir(async (dir) => {
    const file = `${dir}/config.json`;
    await Promise.all([
      changeConfig(file, [MAX_TURNS], { signal }),
      changeConfig(file, [{ path: ["limits", "timeoutMs"], value: 1000 }], { signal }),
    ]);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), {
      limits: { maxTurns: 20, timeoutMs: 1000 },
    });
  });
});

Deno.test("changeConfig() gives up at its signal", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "config.json": TEXT });
    const file = `${dir}/config.json`;
    await assert.rejects(changeConfig(file, [MAX_TURNS], { signal: AbortSignal.abort() }));
    assert.equal(await Deno.readTextFile(file), TEXT);
  });
});

function names(dir: string): readonly string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name);
}
