import assert from "node:assert/strict";
import { BUILTIN_COMMANDS } from "../../../tui/commands/builtin_commands.ts";
import { createCommandTable, rankCommands } from "../../../tui/commands/command_table.ts";
import type { CommandSource, SlashCommand } from "../../../tui/commands/slash_command.ts";
import { withScene } from "../../support/application_scene.ts";
import { FakeStage } from "../../support/fake_stage.ts";

function command(source: CommandSource, name: string, ...aliases: string[]): SlashCommand {
  return { name, aliases, description: source, source, duringRun: "live", run() {} };
}

Deno.test("rankCommands() keeps of one name what the stronger source has", () => {
  const ranked = rankCommands([
    command("agent", "review"),
    command("skill", "review"),
    command("skill", "deploy"),
    command("prompt", "deploy"),
    command("prompt", "new"),
    command("prompt", "clear"),
    command("plugin", "clear"),
    command("plugin", "memory", "new", "m"),
    command("builtin", "clear", "new"),
    command("prompt", "m"),
    command("prompt", "m"),
  ]);
  assert.deepEqual(ranked.map(({ source, name, aliases }) => [source, name, aliases]), [
    ["builtin", "clear", ["new"]],
    ["plugin", "memory", ["m"]],
    ["prompt", "deploy", []],
    ["skill", "review", []],
  ]);
});

Deno.test("createCommandTable() finds commands by both of their names", async () => {
  await withScene({}, async ({ open }) => {
    const table = createCommandTable(new FakeStage(await open()));
    assert.deepEqual(
      ["clear", "new", "CLEAR", "nothing", ""].map((name) => table.find(name)?.name),
      ["clear", "clear", undefined, undefined, undefined],
    );
  });
});

Deno.test("BUILTIN_COMMANDS has no name twice", () => {
  const names = BUILTIN_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.deepEqual(names, [...new Set(names)]);
});
