import assert from "node:assert/strict";
import { loadYamlParser } from "../../../tools/standard_tools.ts";
import { SKILL_COMMANDS } from "../../../tui/skills/skill_commands.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { type CommandScene, withCommands } from "../commands/_command_scene.ts";

function skill(name: string, description: string, body = "Do it."): string {
  return `---\nname: ${name}\ndescription: "${description}"\n---\n${body}\n`;
}

const FILES = {
  "ws/.agents/skills/release/SKILL.md": skill("release", "Make a release", "x".repeat(4_000)),
  "ws/.agents/skills/broken/SKILL.md": "no fields\n",
  "config/skills/pdf/SKILL.md": skill("pdf", "Fill in \\x1b[31m forms"),
  "config/skills/release/SKILL.md": skill("release", "Mine"),
  "ws/.alisio/plugins/p.js": `export default { id: "acme.p", version: "0.1.0", apiVersion: 1,
    setup: (api) => void api.resources.skills("../../../p/skills") };`,
  "p/skills/brought/SKILL.md": skill("brought", "Comes along"),
};

const OPTIONS = { trustProject: true, loadYamlParser, files: FILES };

async function config({ folder }: CommandScene): Promise<unknown> {
  return JSON.parse(await Deno.readTextFile(`${folder}/ws/.alisio/config.json`));
}

/** The first rows of the screen. */
async function head({ stage }: CommandScene, rows: number): Promise<readonly string[]> {
  return (await stage.screen(80)).split("\n").slice(0, rows);
}

Deno.test("/skills shows every skill with what it costs, and what is wrong", async () => {
  await withCommands(OPTIONS, async ({ stage, type, screens, folder }) => {
    const run = type("/skills");
    await stage.press(KEYS.down);
    // How much of a path fits depends on where the test runs.
    const shown = (await screens()).replaceAll(folder, "/f").replaceAll(/^\(\/.*$/gm, "(path)");
    assert.equal(
      shown,
      `Skills by name (2/5)
  [#] brought          ~14  acme.p  locked  Comes along
› [x] pdf              ~16  user  Fill in \\x1b[31m forms
  [x] release          ~1k  project  Make a release
  [-] release          ~13  user  shadowed  Mine
Something is wrong
  [!] broken/SKILL.md  its first line is not "---", which begins the fields
Fill in \\x1b[31m forms
(path)
Enter Space on or off · Esc close · t sort · / search
========================================
Skills by name (2/5)
  [#] brought          ~14  acme.p  loc…
› [x] pdf              ~16  user  Fill …
  [x] release          ~1k  project  Ma…
  [-] release          ~13  user  shado…
Something is wrong
  [!] broken/SKILL.md  its first line i…
Fill in \\x1b[31m forms
(path)
Enter Space on or off · Esc close
`,
    );
    await stage.press(KEYS.escape);
    await run;
  });
});

Deno.test("/skills switches a skill at once, for the project, and back", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type } = scene;
    const run = type("/skills");
    await stage.press(KEYS.down, KEYS.space);
    await stage.shows("[ ] pdf");
    assert.deepEqual(await config(scene), { skillOverrides: { pdf: { enabled: false } } });
    const states = (await stage.application.listSkills()).skills.map(({ name, enabled }) =>
      `${name} ${enabled}`
    );
    assert.deepEqual(states, ["release true", "pdf false", "release true", "brought true"]);
    await stage.press(KEYS.enter);
    await stage.shows("[x] pdf");
    assert.deepEqual(await config(scene), {});
    await stage.press(KEYS.escape);
    await run;
    assert.deepEqual(stage.log, []);
  });
});

Deno.test("/skills is sorted by name, source and tokens with t", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type } = scene;
    const run = type("/skills");
    await stage.press("t");
    assert.deepEqual(await head(scene, 9), [
      "Skills by source (4/5)",
      "Project",
      "  [x] release          ~1k  Make a release",
      "Your own",
      "  [x] pdf              ~16  Fill in \\x1b[31m forms",
      "  [-] release          ~13  shadowed  Mine",
      "Plugins",
      "› [#] brought          ~14  locked  Comes along",
      "Something is wrong",
    ]);
    await stage.press("t");
    assert.deepEqual((await head(scene, 5)).map((row) => row.slice(0, 28).trimEnd()), [
      "Skills by tokens (3/5)",
      "  [x] release          ~1k",
      "  [x] pdf              ~16",
      "› [#] brought          ~14",
      "  [-] release          ~13",
    ]);
    await stage.press("t");
    assert.deepEqual(await head(scene, 1), ["Skills by name (1/5)"]);
    await stage.press(KEYS.escape);
    await run;
  });
});

Deno.test("/skills searches after a slash, where t and a blank are text", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type } = scene;
    const run = type("/skills");
    await stage.press("x");
    assert.deepEqual(await head(scene, 1), ["Skills by name (1/5)"]);
    await stage.press("/", ..."in fo");
    assert.deepEqual(await head(scene, 2), [
      "Skills by name: in fo (1/1)",
      "› [x] pdf  ~16  user  Fill in \\x1b[31m forms",
    ]);
    await stage.press(KEYS.enter);
    await stage.shows("[ ] pdf");
    await stage.press(KEYS.escape);
    assert.deepEqual(await head(scene, 1), ["Skills by name (2/5)"]);
    await stage.press(KEYS.escape);
    await run;
  });
});

Deno.test("/skills says how many rows are clipped, and scrolls with keys and wheel", async () => {
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => {
    const name = `s${String(at).padStart(2, "0")}`;
    return [`config/skills/${name}/SKILL.md`, skill(name, "Some")];
  }));
  await withCommands({ loadYamlParser, files }, async (scene) => {
    const { stage, type } = scene;
    stage.rows = 8;
    const run = type("/skills");
    assert.deepEqual((await head(scene, 8)).at(-2), "  ↓ 15 more below");
    await stage.press(KEYS.pageDown, KEYS.pageDown, KEYS.down);
    const rows = await head(scene, 8);
    assert.deepEqual([rows[1]?.trim().endsWith("more above"), rows[0]], [
      true,
      "Skills by name (10/20)",
    ]);
    await stage.press(KEYS.end);
    assert.deepEqual((await head(scene, 1))[0], "Skills by name (20/20)");
    (await stage.panel()).scroll?.(-3);
    assert.deepEqual((await head(scene, 1))[0], "Skills by name (19/20)");
    await stage.press(KEYS.home);
    assert.deepEqual((await head(scene, 1))[0], "Skills by name (1/20)");
    await stage.press(KEYS.escape);
    await run;
  });
});

for (
  const [name, options, keys, log] of [
    [
      "of a plugin",
      {},
      [],
      'Cannot switch skill "brought": plugin "acme.p" brings it; switch the plugin in /plugins',
    ],
    [
      "that is shadowed",
      {},
      [KEYS.down, KEYS.down, KEYS.down],
      'Cannot switch skill "release": another one has its name, in ' +
      "/f/ws/.agents/skills/release/SKILL.md",
    ],
    [
      "under --read-only",
      { readOnly: true },
      [KEYS.down],
      'Cannot switch skill "release": this run changes nothing; start again without --read-only',
    ],
  ] as const
) {
  Deno.test(`/skills switches no skill ${name}`, async () => {
    await withCommands({ ...OPTIONS, ...options }, async ({ stage, type, folder }) => {
      const run = type("/skills");
      await stage.press(...keys, KEYS.space);
      await stage.logs(1);
      await stage.press(KEYS.escape);
      await run;
      assert.deepEqual(stage.log.map((line) => line.replaceAll(folder, "/f")), [`warning: ${log}`]);
      await assert.rejects(Deno.stat(`${folder}/ws/.alisio/config.json`), Deno.errors.NotFound);
    });
  });
}

Deno.test("/skills shows all of what is wrong with a file", async () => {
  await withCommands(OPTIONS, async ({ stage, type, folder }) => {
    const run = type("/skills");
    await stage.press(KEYS.end, KEYS.enter);
    assert.equal(
      (await stage.shows("Something is wrong\n/")).replaceAll(folder, "/f"),
      `Something is wrong
/f/ws/.agents/skills/broken/SKILL.md

its first line is not "---", which begins the fields
Esc close`,
    );
    await stage.press(KEYS.escape, KEYS.escape);
    await run;
  });
});

Deno.test("/skills completes names and descriptions, and searches for what follows it", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type } = scene;
    const [command] = SKILL_COMMANDS;
    const complete = async (typed: string) =>
      (await command?.complete?.(typed, stage))?.map(({ value }) => value);
    assert.deepEqual(await complete(""), ["release", "pdf", "brought"]);
    assert.deepEqual(await complete("rel"), ["release"]);
    assert.deepEqual(await complete("forms"), ["pdf"]);
    const run = type("/skill forms");
    assert.deepEqual(await head(scene, 2), [
      "Skills by name: forms (1/1)",
      "› [x] pdf  ~16  user  Fill in \\x1b[31m forms",
    ]);
    await stage.press(KEYS.escape, KEYS.escape);
    await run;
  });
});
