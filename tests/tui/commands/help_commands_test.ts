import assert from "node:assert/strict";
import { createCommandTable } from "../../../tui/commands/command_table.ts";
import { formatUsage, helpSections } from "../../../tui/commands/help_sections.ts";
import { createKeyMap } from "../../../tui/keys/key_map.ts";
import type { SlashCommand } from "../../../tui/commands/slash_command.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { withCommands } from "./_command_scene.ts";

Deno.test("/help tells every command, from wherever it comes", async () => {
  await withCommands({}, ({ stage }) => {
    const template: SlashCommand = {
      name: "review",
      argumentHint: "[focus]",
      description: "Reviews a change",
      source: "prompt",
      duringRun: "wait",
      run() {},
    };
    const table = createCommandTable(stage, () => [template]);
    const sections = helpSections(table.list(), stage.keys);
    const told = sections.flatMap(({ entries }) => entries.map(({ name }) => name));
    for (const command of table.list()) assert.ok(told.includes(formatUsage(command)));
    assert.deepEqual(sections.find(({ heading }) => heading === "Prompt templates")?.entries, [
      { name: "/review [focus]", text: "Reviews a change" },
    ]);
    return Promise.resolve();
  });
});

Deno.test("/help tells keys as they are bound, and none that is not", () => {
  const { keys } = createKeyMap({ toggleLast: "f2", suspend: [] });
  const [, , , , , screen] = helpSections([], keys);
  const names = screen?.entries.map(({ name, text }) => `${name}: ${text}`) ?? [];
  assert.equal(names.filter((name) => name.startsWith("F2: Expand or collapse")).length, 1);
  assert.equal(names.filter((name) => name.includes("Go back to the shell")).length, 0);
});

Deno.test("/help shows what a word is about", async () => {
  await withCommands({}, async ({ stage, type, screens }) => {
    const run = type("/help Earlier");
    assert.equal(
      await screens(),
      `Help
Commands
  /resume [id or prefix]  Go on with an earlier session
Esc close
========================================
Help
Commands
  /resume [id or prefix]
    Go on with an earlier session
Esc close
`,
    );
    await stage.press(KEYS.escape);
    assert.equal(await run, true);
    await type("/help zzz");
    assert.deepEqual(stage.log, ['info: Nothing in help is about "zzz"; /help shows all of it']);
  });
});
