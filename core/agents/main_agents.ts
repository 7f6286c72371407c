import type { AgentDefinition } from "./agent_definition.ts";
import { PLAN_PROMPT } from "./plan_prompt.ts";

/** An agent that can hold a conversation. */
export interface MainAgent {
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  readonly description: string;
  /** Whether it only looks. */
  readonly onlyReads: boolean;
  /** What one that comes with the program is told. */
  readonly prompt?: string;
  /** How it is defined; absent for one that comes with the program. */
  readonly definition?: AgentDefinition;
}

/** The agent that runs where nobody names another. */
export const DEFAULT_AGENT = "build";

/** Plans and changes nothing, however somebody defines an agent of that name. */
export const PLANNER = "plan";

const BUILT_IN: readonly MainAgent[] = [
  {
    id: DEFAULT_AGENT,
    name: DEFAULT_AGENT,
    description: "Does the work, with what the run permits",
    onlyReads: false,
  },
  {
    id: PLANNER,
    name: PLANNER,
    description: "Looks and plans, and changes nothing",
    onlyReads: true,
    prompt: PLAN_PROMPT,
  },
];

/**
 * The agents that can hold a conversation, in the order in which a key goes through them: those
 * that come with the program, then the others by name. Pure.
 *
 * @param definitions Every definition that counts.
 */
export function mainAgents(definitions: readonly AgentDefinition[]): readonly MainAgent[] {
  const able = definitions.filter(({ mode }) => mode !== "subagent");
  const builtIn = BUILT_IN.map((agent) => {
    // A file that happens to have such a name is about something else.
    const definition = able.find(({ id, origin }) =>
      id === agent.id && (origin === "config" || origin === "flag")
    );
    return definition === undefined ? agent : { ...agent, definition };
  });
  const defined = able.filter(({ id }) => !BUILT_IN.some((agent) => agent.id === id)).map((
    definition,
  ): MainAgent => ({
    id: definition.id,
    name: definition.displayName ?? definition.id,
    description: definition.description,
    onlyReads: definition.readOnly,
    definition,
  }));
  return [...builtIn, ...defined.sort(byName)];
}

/**
 * The agent after another one, in a circle; the first after one that there is not.
 *
 * @param agents All of them, in order.
 * @param current Id of the one before.
 */
export function agentAfter(agents: readonly MainAgent[], current: string): MainAgent | undefined {
  const index = agents.findIndex(({ id }) => id === current);
  return index < 0 ? agents[0] : agents[(index + 1) % agents.length];
}

function byName(first: MainAgent, second: MainAgent): number {
  const [one, other] = [first.name.toLowerCase(), second.name.toLowerCase()];
  if (one !== other) return one < other ? -1 : 1;
  return first.id < second.id ? -1 : 1;
}
