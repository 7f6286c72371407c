import { CONVERSATION_COMMANDS } from "./conversation_commands.ts";
import { PLUGIN_COMMANDS } from "./plugin_commands.ts";
import type { SlashCommand } from "./slash_command.ts";

/**
 * Every command that comes with the program, in the order of help. A feature keeps a list of its
 * own beside its code, and adds it here; what a command needs is loaded when it runs.
 */
export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  ...PLUGIN_COMMANDS,
  ...CONVERSATION_COMMANDS,
];
