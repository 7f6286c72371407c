import { quoted } from "../../core/config/quoted.ts";
import type { Stage } from "../stage.ts";
import type { SlashCommand } from "./slash_command.ts";

/** What tells what there is. */
export const HELP_COMMANDS: readonly SlashCommand[] = [{
  name: "help",
  argumentHint: "[word]",
  description: "Show commands and keys",
  source: "builtin",
  duringRun: "live",
  run: async (stage, word) => await showHelp(stage, word),
}];

async function showHelp(stage: Stage, word: string): Promise<void> {
  const [{ createCommandTable }, { helpSections, matchSections }, { showSections }] = await Promise
    .all([
      import("./command_table.ts"),
      import("./help_sections.ts"),
      import("./show_sections.ts"),
    ]);
  const table = createCommandTable(stage);
  await table.refresh();
  const all = helpSections(table.list(), stage.keys);
  const sections = matchSections(all, word);
  if (sections.every(({ entries }) => entries.length === 0)) {
    return stage.say(`Nothing in help is about ${quoted(word)}; /help shows all of it`);
  }
  await showSections(stage, "Help", sections);
}
