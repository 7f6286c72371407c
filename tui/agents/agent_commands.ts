import type { SlashCommand } from "../commands/slash_command.ts";

/** Who holds the conversation, and how much it thinks. */
export const AGENT_COMMANDS: readonly SlashCommand[] = [
  {
    name: "agents",
    argumentHint:
      "[list|open|cancel|kill|resume|merge|discard|new|templates|manage|edit|delete|reload|defs]",
    description: "Choose the agent that holds the conversation, look after tasks, or write agents",
    source: "builtin",
    // What is about tasks does not wait; the rest says that it has to.
    duringRun: "live",
    complete: async (typed, stage) =>
      await (await import("./agent_verbs.ts")).completeVerb(typed, stage),
    run: async (stage, argument) => {
      await (await import("./agent_verbs.ts")).runVerb(stage, argument);
    },
  },
  {
    name: "agent",
    argumentHint: "<id>",
    description: "Let an agent hold the conversation",
    source: "builtin",
    duringRun: "wait",
    complete: async (typed, { application }) =>
      (await application.agents.list()).agents.filter(({ id }) => id.startsWith(typed)).map((
        { id, name, description },
      ) => ({ value: id, label: name, description })),
    run: async (stage, argument) => {
      const module = await import("./agent_menu.ts");
      if (argument === "") return await module.openAgentMenu(stage);
      await module.chooseAgent(stage, argument);
    },
  },
  {
    name: "effort",
    argumentHint: "[level|auto]",
    description: "Choose how much reasoning is asked of the model",
    source: "builtin",
    duringRun: "wait",
    complete: (typed, stage) =>
      [...stage.session()?.effortLevels() ?? [], "auto"].filter((value) => value.startsWith(typed))
        .map((value) => ({ value, label: value })),
    run: async (stage, argument) => {
      const module = await import("./effort_menu.ts");
      if (argument === "") return await module.openEffortMenu(stage);
      await module.setEffort(stage, argument);
    },
  },
];

const AGENT_PREFIX = "agent:";

/**
 * The command that lets one agent hold the conversation.
 *
 * @param name What was typed, such as `agent:plan`.
 * @returns Undefined if it names no agent.
 */
export function agentCommand(name: string): SlashCommand | undefined {
  const id = name.startsWith(AGENT_PREFIX) ? name.slice(AGENT_PREFIX.length) : "";
  if (id === "") return undefined;
  return {
    name,
    description: "Let this agent hold the conversation",
    source: "agent",
    duringRun: "wait",
    run: async (stage) => await (await import("./agent_menu.ts")).chooseAgent(stage, id),
  };
}
