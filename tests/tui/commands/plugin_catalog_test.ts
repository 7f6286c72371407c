import assert from "node:assert/strict";
import type { CatalogPlugin } from "../../../core/plugins/plugin_catalog.ts";
import { catalogItems, type CatalogRow } from "../../../tui/commands/plugin_catalog.ts";
import { PlayedProvider, says } from "../../support/run_harness.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { type CommandScene, withCommands } from "./_command_scene.ts";

function plugin(id: string, more = ""): string {
  return `export default { apiVersion: 1, id: "${id}", version: "1.2.3", setup() {}, ${more} };`;
}

const FILES = {
  "ws/.alisio/plugins/greet.js": plugin(
    "acme.greet",
    'name: "Greet", description: "Greets\\x1b[31m people", categories: ["ui"]',
  ),
  "ws/.alisio/plugins/off.js": plugin("acme.off"),
  "ws/.alisio/plugins/broken.js": "export default 3;",
  "ws/.alisio/config.json":
    '{\n  "pluginOverrides": { "acme.off": { "enabled": false } },\n  "limits": { "maxTurns": 5 }\n}\n',
};

const BUILTIN = {
  id: "played",
  load: () =>
    Promise.resolve({ apiVersion: 1 as const, id: "played", version: "0.1.0", setup() {} }),
};
const OPTIONS = {
  trustProject: true,
  provider: new PlayedProvider([says("done")]),
  model: "m",
  plugins: [BUILTIN, { id: "unneeded", load: () => Promise.reject(new Error("Not here")) }],
};

async function config({ folder }: CommandScene): Promise<unknown> {
  return JSON.parse(await Deno.readTextFile(`${folder}/ws/.alisio/config.json`));
}

Deno.test("/plugins shows every plugin by its category", async () => {
  await withCommands({ ...OPTIONS, files: FILES }, async (scene) => {
    const { stage, type, folder } = scene;
    const run = type("/plugins");
    const failed = `${folder}/ws/.alisio/plugins/broken.js`;
    const screen = (await scene.stage.screen(120)).replace(failed.slice(0, 60), "<…>");
    assert.match(screen, /^Plugins \(1\/5\)\nui ›\n› \[x\] Greet +external 1\.2\.3\nGeneral\n/);
    assert.match(screen, /\n {2}\[!\] .* external\n/);
    assert.match(
      screen,
      /\n {2}\[ \] acme\.off +external 1\.2\.3\n {2}\[x\] played +built in\n {2}\[x\] unneeded +built in\n/,
    );
    assert.match(screen, /\nGreets\\x1b\[31m people\n/);
    await stage.press(KEYS.escape);
    await run;
  });
});

Deno.test("/plugins switches an external plugin once that is confirmed", async () => {
  await withCommands({ ...OPTIONS, files: FILES }, async (scene) => {
    const { stage, type } = scene;
    const run = type("/plugins");
    for (const character of "acme.off") await stage.press(character);
    // A letter was typed, so that a blank belongs to the search.
    await stage.press(KEYS.escape, KEYS.space);
    const confirm = await scene.stage.shows("Switch acme.off on in this project?");
    assert.match(confirm, /with all of its permissions\.\nIt comes from /);
    await stage.press(KEYS.escape);
    assert.match(await scene.stage.shows("Plugins ("), /\[ \] acme\.off/);
    await stage.press(KEYS.space);
    await scene.stage.shows("Switch acme.off on");
    await stage.press("y");
    await scene.stage.shows("[*] acme.off");
    assert.deepEqual(await config(scene), { limits: { maxTurns: 5 } });
    await stage.press(KEYS.space);
    await scene.stage.shows("Switch acme.off off");
    await stage.press("y");
    await scene.stage.shows("[ ] acme.off");
    assert.deepEqual(await config(scene), {
      pluginOverrides: { "acme.off": { enabled: false } },
      limits: { maxTurns: 5 },
    });
    await stage.press(KEYS.escape);
    await run;
    assert.deepEqual(stage.log, []);
  });
});

for (
  const [name, options, search, log] of [
    ["of the active provider", {}, "played", [
      'warning: Cannot switch plugin "played" off: the model is asked through it; choose another ' +
      "model first",
    ]],
    ["that could not be loaded", {}, "broken", [
      /^warning: Cannot switch plugin ".*broken\.js": it could not be loaded/,
    ]],
    ["under --read-only", { readOnly: true }, "played", [
      'warning: Cannot switch plugin "played": this run changes nothing; start again without ' +
      "--read-only",
    ]],
  ] as const
) {
  Deno.test(`/plugins switches no plugin ${name}`, async () => {
    await withCommands({ ...OPTIONS, ...options, files: FILES }, async (scene) => {
      const { stage, type } = scene;
      const run = type("/plugins");
      for (const character of search) await stage.press(character);
      await stage.press(KEYS.escape, KEYS.space);
      await stage.logs(1);
      await stage.press(KEYS.escape);
      await run;
      assert.equal(stage.log.length, log.length);
      for (const [at, line] of log.entries()) {
        if (typeof line === "string") assert.equal(stage.log[at], line);
        else assert.match(stage.log[at] ?? "", line);
      }
      assert.equal(
        await Deno.readTextFile(`${scene.folder}/ws/.alisio/config.json`),
        FILES["ws/.alisio/config.json"],
      );
    });
  });
}

Deno.test("/plugins shows the details of a plugin", async () => {
  await withCommands({ ...OPTIONS, files: FILES }, async (scene) => {
    const { stage, type, screens, folder } = scene;
    const run = type("/plugins");
    await stage.press(KEYS.enter);
    assert.equal(
      (await screens()).split("=".repeat(40))[0]?.replaceAll(folder, "<f>").replace(
        /source .*\n(?: {4,}.*\n)*/,
        "source      …\n",
      ),
      `Greet
Greets\\x1b[31m people
  id          acme.greet
  version     1.2.3
  state       enabled
  categories  ui
  source      …
  action      Space in the list switches it off, from the next start on
Esc close
`,
    );
    await stage.press(KEYS.escape, KEYS.escape);
    await run;
  });
});

Deno.test("catalogItems() groups by the first category, those without one last", () => {
  const row = (id: string, categories: readonly string[], more: Partial<CatalogRow> = {}) => ({
    plugin: {
      id,
      source: { kind: "built-in" },
      state: "enabled",
      categories,
      tools: [],
      commands: [],
      providers: [],
    } satisfies CatalogPlugin,
    isEnabled: true,
    needsRestart: false,
    ...more,
  });
  const items = catalogItems([
    row("a", []),
    row("b", ["model-provider", "mcp"], { needsRestart: true }),
    row("c", ["memory"], { isEnabled: false }),
    row("d", ["model-provider"]),
  ]);
  assert.deepEqual(items.map(({ group, mark, label }) => `${group} ${mark} ${label}`), [
    "memory › [ ] c",
    "model-provider › [*] b",
    "model-provider › [x] d",
    "General [x] a",
  ]);
});
