import type { SlashCommand } from "../commands/slash_command.ts";

/** What looks after background tasks. */
export const TASK_COMMANDS: readonly SlashCommand[] = [{
  name: "tasks",
  description: "Show the background tasks of the session, read their output and stop them",
  source: "builtin",
  duringRun: "live",
  run: async (stage) => await (await import("./task_panel.ts")).openTaskPanel(stage),
}];
