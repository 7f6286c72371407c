import { AGENT_COMMANDS } from "../agents/agent_commands.ts";
import { PLAN_COMMANDS } from "../plan/plan_commands.ts";
import { GOAL_COMMANDS } from "../goals/goal_commands.ts";
import { SETTINGS_COMMANDS } from "../settings/settings_commands.ts";
import { CONNECT_COMMANDS } from "../connect/connect_commands.ts";
import { MCP_COMMANDS } from "../mcp/mcp_commands.ts";
import { SKILL_COMMANDS } from "../skills/skill_commands.ts";
import { CHANGELOG_COMMANDS } from "./changelog_commands.ts";
import { CONVERSATION_COMMANDS } from "./conversation_commands.ts";
import { HELP_COMMANDS } from "./help_commands.ts";
import { PERMISSION_COMMANDS } from "./permission_commands.ts";
import { PLUGIN_COMMANDS } from "./plugin_commands.ts";
import { INIT_COMMANDS } from "./prompt_commands.ts";
import { RELOAD_COMMANDS } from "./reload_commands.ts";
import { REWIND_COMMANDS } from "./rewind_commands.ts";
import { SESSION_COMMANDS } from "./session_commands.ts";
import { SIDE_QUESTION_COMMANDS } from "./side_question_commands.ts";
import { TASK_COMMANDS } from "../tasks/task_commands.ts";
import type { SlashCommand } from "./slash_command.ts";

/**
 * Every command that comes with the program, in the order of help. A feature keeps a list of its
 * own beside its code, and adds it here; what a command needs is loaded when it runs.
 */
export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  ...HELP_COMMANDS,
  ...CONNECT_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...AGENT_COMMANDS,
  ...GOAL_COMMANDS,
  ...PLAN_COMMANDS,
  ...SESSION_COMMANDS,
  ...REWIND_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...SIDE_QUESTION_COMMANDS,
  ...TASK_COMMANDS,
  ...INIT_COMMANDS,
  ...PLUGIN_COMMANDS,
  ...SKILL_COMMANDS,
  ...MCP_COMMANDS,
  ...RELOAD_COMMANDS,
  ...CHANGELOG_COMMANDS,
  ...CONVERSATION_COMMANDS,
];
