import { agentCommand } from "../agents/agent_commands.ts";
import type { Stage } from "../stage.ts";
import { BUILTIN_COMMANDS } from "./builtin_commands.ts";
import { pluginCommands } from "./plugin_commands.ts";
import { PromptCommands } from "./prompt_commands.ts";
import type { CommandSource, CommandTable, SlashCommand } from "./slash_command.ts";

const PRECEDENCE: readonly CommandSource[] = ["builtin", "plugin", "prompt", "skill", "agent"];

/** Commands of which some lie in folders. */
export interface LiveCommandTable extends CommandTable {
  /** Waits until the folders were looked at. Never rejects. */
  refresh(): Promise<void>;
}

/**
 * The commands of a conversation. What plugins and files bring is asked for at each look, so that
 * a reload needs no new table.
 *
 * @param stage The conversation.
 * @param further More of them, asked for at each look.
 */
export function createCommandTable(
  stage: Stage,
  further: () => readonly SlashCommand[] = () => [],
): LiveCommandTable {
  const prompts = new PromptCommands(stage);
  const list = () =>
    rankCommands([
      ...BUILTIN_COMMANDS,
      ...pluginCommands(stage),
      ...prompts.list(),
      ...further(),
    ]);
  return {
    list,
    refresh: () => prompts.refresh(),
    find: (name) => {
      const commands = list();
      return commands.find((command) => command.name === name) ??
        commands.find(({ aliases = [] }) => aliases.includes(name)) ?? agentCommand(name);
    },
  };
}

/**
 * Puts commands into the order of help, and keeps of those with one name the one that counts. Pure.
 *
 * A name beats another name of a command; names that an earlier kind of source has are taken.
 *
 * @param commands From every source.
 */
export function rankCommands(commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const taken = new Set<string>();
  return PRECEDENCE.flatMap((source) => {
    const own = commands.filter((command) => command.source === source && !taken.has(command.name));
    const first = own.filter(({ name }, at) => own.findIndex((each) => each.name === name) === at);
    for (const { name } of first) taken.add(name);
    const kept = first.map((command) => withFreeAliases(command, taken));
    for (const { aliases = [] } of kept) for (const alias of aliases) taken.add(alias);
    return kept;
  });
}

function withFreeAliases(command: SlashCommand, taken: ReadonlySet<string>): SlashCommand {
  const { aliases = [] } = command;
  const free = aliases.filter((alias) => !taken.has(alias));
  return free.length === aliases.length ? command : { ...command, aliases: free };
}
