import type { AgentDefinition } from "../agents/agent_definition.ts";
import { agentPolicies } from "../agents/agent_policies.ts";
import { configuredAgents } from "../agents/discover_agents.ts";
import { DEFAULT_AGENT, type MainAgent, mainAgents, PLANNER } from "../agents/main_agents.ts";
import { isObject } from "../config/is_object.ts";
import type { LoadedConfiguration } from "../config/load_config.ts";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import type { Policy } from "./policy.ts";

/** What the active agent means for a run. */
export interface ActiveAgent {
  /** The agent that runs. */
  readonly agent: MainAgent;
  /** What narrows the run. */
  readonly policies: readonly Policy[];
  /** Whether nothing but looking is left. */
  readonly onlyReads: boolean;
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/** What the active agent is found with. */
export interface ActiveAgentOptions {
  /** Definitions of files, of plugins and of the command line. */
  readonly discovered?: readonly AgentDefinition[];
  /** Those that were left out because an earlier one has their id. */
  readonly shadowed?: readonly AgentDefinition[];
  /**
   * Whether somebody can be asked.
   *
   * @default false
   */
  readonly canAsk?: boolean;
}

type Loaded = Pick<LoadedConfiguration, "configuration" | "layers">;

/**
 * Finds what the active agent narrows. A project may activate another agent than the person; what
 * that of the person narrows stays narrowed, so that a project permits nothing more.
 *
 * @param loaded The configuration that was read.
 * @param options What else it is found with.
 */
export function activeAgent(loaded: Loaded, options: ActiveAgentOptions = {}): ActiveAgent {
  const { configuration: { agents, builtinPlugins } } = loaded;
  const { discovered = [], shadowed = [], canAsk = false } = options;
  const definitions = [
    ...fromFlag(discovered),
    ...configuredAgents(asFields(builtinPlugins.subagents.agents)),
    ...discovered,
  ];
  const own = [
    ...fromFlag(discovered),
    ...configuredAgents(asFields(valueOf(globalOf(loaded), ...DEFINITIONS))),
    // Who has an agent keeps it where the project defines another one of that name.
    ...[...discovered, ...shadowed].filter(({ origin }) =>
      origin === "user" || origin === "plugin"
    ),
  ];
  const candidates = mainAgents(definitions);
  const found = [
    agentOf(mainAgents(own), textOf(globalOf(loaded), "agents", "active") ?? DEFAULT_AGENT),
    agentOf(candidates, agents.active),
  ];
  return {
    agent: agentOf(candidates, agents.active),
    policies: found.flatMap((agent) => agentPolicies(agent, { canAsk })),
    onlyReads: found.some(({ onlyReads }) => onlyReads),
    notices: noticesOf(agents.active, candidates, { loaded, definitions }),
  };
}

/**
 * Whether the active agent is defined in none of what was read already, so that files have to be
 * looked for.
 *
 * @param loaded The configuration that was read.
 */
export function isDefinedElsewhere(loaded: Loaded): boolean {
  const { agents, builtinPlugins } = loaded.configuration;
  const own = textOf(globalOf(loaded), "agents", "active") ?? DEFAULT_AGENT;
  const isKnown = (id: string, defined: unknown) =>
    id === DEFAULT_AGENT || id === PLANNER || (isObject(defined) && Object.hasOwn(defined, id));
  return !isKnown(agents.active, builtinPlugins.subagents.agents) ||
    !isKnown(own, valueOf(globalOf(loaded), ...DEFINITIONS));
}

const DEFINITIONS = ["builtinPlugins", "subagents", "agents"] as const;

/** An id that names no agent stands for the one that runs where nobody names any. */
function agentOf(agents: readonly MainAgent[], id: string): MainAgent {
  const found = agents.find((agent) => agent.id === id) ?? agents[0];
  if (found === undefined) throw new TypeError("There is no agent at all");
  return found;
}

function fromFlag(definitions: readonly AgentDefinition[]): readonly AgentDefinition[] {
  return definitions.filter(({ origin }) => origin === "flag");
}

function noticesOf(
  id: string,
  candidates: readonly MainAgent[],
  { loaded, definitions }: {
    readonly loaded: Loaded;
    readonly definitions: readonly AgentDefinition[];
  },
): readonly string[] {
  const isDefined = definitions.some((definition) => definition.id === id);
  const known = [
    ...candidates.map((agent) => agent.id),
    // A binding to a profile makes no agent of one that is defined for other work.
    ...loaded.layers.flatMap(({ values }) => bound(values["agents"])).filter((each) =>
      !definitions.some((definition) => definition.id === each)
    ),
  ];
  if (known.includes(id)) return [];
  return [isDefined ? unableAgent(id) : unknownAgent(id, known)];
}

/** Agents that a file binds to a risk profile. */
function bound(agents: unknown): readonly string[] {
  return Object.entries(isObject(agents) ? agents : {})
    .flatMap(([id, entry]) => isObject(entry) ? [id] : []);
}

function unableAgent(id: string): string {
  return `There is no agent ${quoted(id, 80)} that could run, so "${DEFAULT_AGENT}" runs, which ` +
    'nothing narrows; give its definition the "mode" "primary"';
}

function unknownAgent(id: string, known: readonly string[]): string {
  const nearest = nearestName(id, known);
  return `There is no agent ${quoted(id, 80)}, so "${DEFAULT_AGENT}" runs, which nothing narrows` +
    (nearest === undefined
      ? '; see "agents.active" of your configuration'
      : `; did you mean "${nearest}"?`);
}

function globalOf({ layers }: Loaded): unknown {
  return layers.find(({ source }) => source.layer === "global")?.values;
}

/** Checked by `checkConfig`, as every layer is. */
function asFields(value: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(entries.map(([id, fields]) => [id, isObject(fields) ? fields : {}]));
}

function textOf(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueOf(value, ...path);
  return typeof found === "string" ? found : undefined;
}

function valueOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined,
    value,
  );
}
