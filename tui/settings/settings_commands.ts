import type { SlashCommand } from "../commands/slash_command.ts";

/** The menu of settings. */
export const SETTINGS_COMMANDS: readonly SlashCommand[] = [{
  name: "settings",
  aliases: ["prefs"],
  description: "Change how Alisio works",
  source: "builtin",
  duringRun: "wait",
  run: async (stage) => {
    const [{ createCommandTable }, { openSettings }] = await Promise.all([
      import("../commands/command_table.ts"),
      import("./settings_panel.ts"),
    ]);
    await openSettings(stage, createCommandTable(stage).list());
  },
}];
