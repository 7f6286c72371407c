import type { SlashCommand } from "./slash_command.ts";

/** What reads files again. */
export const RELOAD_COMMANDS: readonly SlashCommand[] = [{
  name: "reload",
  description: "Read configuration, skills, templates and plugins again",
  source: "builtin",
  duringRun: "wait",
  run: async (stage) => await (await import("./reload.ts")).reload(stage),
}];
