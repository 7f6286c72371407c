import assert from "node:assert/strict";
import { BUILTIN_PLUGINS } from "../../../cli/open_application.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { type CommandScene, withCommands } from "../commands/_command_scene.ts";

const GLOBAL = '{\n\t"limits": { "maxTurns": 17 },\n\t"plugins": []\n}\n';

/** Opens the menu and searches in it. */
async function search(
  { stage, type }: CommandScene,
  text: string,
): Promise<{ readonly run: Promise<boolean> }> {
  const run = type("/settings");
  for (const character of text) await stage.press(character);
  return { run };
}

async function read({ folder }: CommandScene, name = "config/config.json"): Promise<string> {
  return await Deno.readTextFile(`${folder}/${name}`);
}

Deno.test("/settings changes a value at once, and applies it when it is closed", async () => {
  await withCommands({ files: { "config/config.json": GLOBAL } }, async (scene) => {
    const { stage } = scene;
    const { run } = await search(scene, "limits.maxturns");
    assert.equal(
      await scene.screens(),
      `Settings: no model is chosen: limits.maxturns (1/1)
Runs
› Max turns  17
How often the model may answer for one prompt (limits.maxTurns)

Enter change · Esc close · Space change · type to search
========================================
Settings: no model is chosen: lim… (1/1)
Runs
› Max turns  17
How often the model may answer for one
prompt (limits.maxTurns)
Enter change · Esc close · Space change
`,
    );
    await stage.press(KEYS.enter);
    await scene.stage.shows("› Max turns  20");
    assert.equal(await read(scene), GLOBAL.replace("17", "20"));
    assert.deepEqual(stage.log, []);
    await stage.press(KEYS.escape, KEYS.escape);
    await run;
    assert.deepEqual(stage.log, ["reopen {}"]);
  });
});

Deno.test("/settings finds a setting by its key, and leaves everything as it was", async () => {
  await withCommands({ files: { "config/config.json": GLOBAL } }, async (scene) => {
    const { stage } = scene;
    const { run } = await search(scene, "claudemd");
    assert.match(await stage.screen(80), /^Settings.*\(1\/1\)\nContext\n› Read CLAUDE.md {2}off\n/);
    await stage.press(KEYS.escape, KEYS.escape);
    await run;
    assert.deepEqual([stage.log, await read(scene)], [[], GLOBAL]);
  });
});

Deno.test("/settings takes a blank for a change until something is searched for", async () => {
  await withCommands({}, async (scene) => {
    const { stage } = scene;
    const run = scene.type("/prefs");
    await stage.press(KEYS.space);
    await scene.stage.shows("Max turns");
    await scene.stage.shows("  5");
    assert.deepEqual(JSON.parse(await read(scene)), { limits: { maxTurns: 5 } });
    await stage.press("t", KEYS.space, "i", KEYS.escape, KEYS.escape);
    await run;
    assert.deepEqual(JSON.parse(await read(scene)), { limits: { maxTurns: 5 } });
  });
});

Deno.test("/settings keeps the permission mode", async () => {
  await withCommands({}, async (scene) => {
    const { stage, open } = scene;
    stage.application.setPermissionMode("auto");
    stage.onReopen = async () => {
      stage.application = await open({ approve: () => Promise.resolve("deny") });
    };
    const run = scene.type("/settings");
    await stage.press(KEYS.enter);
    await scene.stage.shows("  5");
    await stage.press(KEYS.escape);
    await run;
    assert.equal(stage.application.loaded.configuration.limits.maxTurns, 5);
    assert.equal(stage.application.permissionMode(), "auto");
  });
});

Deno.test("/settings changes nothing under --read-only", async () => {
  await withCommands({ readOnly: true }, async (scene) => {
    const { stage } = scene;
    const run = scene.type("/settings");
    assert.match(await stage.screen(80), /^Settings, read-only: /);
    await stage.press(KEYS.enter, KEYS.escape);
    await run;
    assert.deepEqual(stage.log, [
      "warning: Settings are read-only: start again without --read-only to change them",
    ]);
    await assert.rejects(read(scene), Deno.errors.NotFound);
  });
});

Deno.test("/settings touches no file that is not valid", async () => {
  await withCommands({}, async (scene) => {
    const { stage, folder } = scene;
    const broken = '{ "limits": { "maxTurns": 1 } // mine\n}';
    await Deno.mkdir(`${folder}/config`, { recursive: true });
    await Deno.writeTextFile(`${folder}/config/config.json`, broken);
    const run = scene.type("/settings");
    await stage.press(KEYS.enter);
    await stage.logs(1);
    await stage.press(KEYS.escape);
    await run;
    assert.match(
      stage.log[0] ?? "",
      /^error: Cannot use configuration .* not valid JSON at line 1/,
    );
    assert.deepEqual([stage.log.length, await read(scene)], [1, broken]);
  });
});

Deno.test("/settings leads to other menus", async () => {
  await withCommands({}, async (scene) => {
    const { stage } = scene;
    const { run } = await search(scene, "statistics");
    await stage.press(KEYS.enter);
    assert.match(await stage.screen(80), /^Statistics\n/);
    await stage.press(KEYS.escape);
    await run;
    assert.deepEqual(stage.log, []);
  });
});

Deno.test("/settings asks before servers are connected at each start", async () => {
  await withCommands({ files: { "config/config.json": GLOBAL } }, async (scene) => {
    const { stage } = scene;
    const { run } = await search(scene, "mcp.allow");
    await stage.press(KEYS.enter);
    assert.match(
      await stage.shows("Switch MCP servers on?"),
      /a program that runs with all your rights, outside every\s+sandbox/,
    );
    await stage.press("n");
    await stage.shows("› MCP servers  off");
    assert.equal(await read(scene), GLOBAL);
    await stage.press(KEYS.enter);
    await stage.shows("Switch MCP servers on?");
    await stage.press("y");
    await stage.shows("› MCP servers  on");
    assert.deepEqual(JSON.parse(await read(scene)).mcp, { allow: true });
    // Taking it back is not asked about.
    await stage.press(KEYS.enter);
    await stage.shows("› MCP servers  off");
    assert.deepEqual(JSON.parse(await read(scene)).mcp, { allow: false });
    await stage.press(KEYS.escape, KEYS.escape);
    await run;
  });
});

for (
  const [apiMode, written, said] of [
    ["chat", undefined, ['warning: Cannot use "websearch.provider": "native"']],
    ["responses", "native", []],
  ] as const
) {
  Deno.test(`/settings offers a search by the server with the API mode ${apiMode} as it works`, async () => {
    const config = {
      provider: { baseURL: "http://127.0.0.1:9/v1", model: "stub", auth: "none", apiMode },
      websearch: { provider: "serpapi" },
    };
    const files = { "config/config.json": JSON.stringify(config) };
    await withCommands({ files, plugins: BUILTIN_PLUGINS }, async (scene) => {
      const { stage } = scene;
      const { run } = await search(scene, "websearch.provider");
      await stage.press(KEYS.enter);
      await scene.stage.shows(`› Web search  ${written ?? "a public SearXNG"}`);
      await stage.press(KEYS.escape, KEYS.escape);
      await run;
      assert.equal(JSON.parse(await read(scene)).websearch?.provider, written);
      const warnings = stage.log.filter((line) => line.startsWith("warning"));
      assert.deepEqual(warnings.map((line) => line.split(" with this model")[0]), said);
    });
  });
}
