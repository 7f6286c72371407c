import type { AgentDefinition } from "../agents/agent_definition.ts";
import { agentPolicies, type NarrowingAgent } from "../agents/agent_policies.ts";
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
 * that of the person narrows stays narrowed, so that a project permits nothing more. Where an agent
 * is not found, nobody knows what it would have narrowed, so nothing but looking is left.
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
  const ownId = textOf(globalOf(loaded), "agents", "active") ?? DEFAULT_AGENT;
  const known: KnownAgents = {
    candidates,
    definitions,
    bound: loaded.layers.flatMap(({ values }) => bound(values["agents"])),
    isComplete: options.discovered !== undefined,
  };
  const lacking = [...new Set([ownId, agents.active])].flatMap((id) => standInFor(id, known));
  const found: readonly NarrowingAgent[] = [
    agentOf(mainAgents(own), ownId),
    agentOf(candidates, agents.active),
    ...lacking.flatMap(({ narrowing }) => narrowing),
  ];
  const onlyReads = found.some((agent) => agent.onlyReads);
  const agent = agentOf(candidates, agents.active);
  return {
    // A stand-in shows that it only looks; an agent that there is says so by itself.
    agent: agent.id === agents.active ? agent : { ...agent, onlyReads },
    policies: found.flatMap((each) => agentPolicies(each, { canAsk })),
    onlyReads,
    notices: lacking.map(({ notice }) => notice),
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

/** What is known of agents. */
interface KnownAgents {
  /** Those that can hold a conversation. */
  readonly candidates: readonly MainAgent[];
  readonly definitions: readonly AgentDefinition[];
  /** Those that a file binds to a risk profile. */
  readonly bound: readonly string[];
  /** Whether files were looked for too. */
  readonly isComplete: boolean;
}

/** What there is in place of an agent that cannot run. */
interface StandIn {
  readonly narrowing: readonly NarrowingAgent[];
  readonly notice: string;
}

/** What stands in for an agent; nothing where it can run. */
function standInFor(id: string, known: KnownAgents): readonly StandIn[] {
  const { candidates, definitions, bound, isComplete } = known;
  if (candidates.some((agent) => agent.id === id)) return [];
  const definition = definitions.find((each) => each.id === id);
  if (definition !== undefined) {
    return [{
      narrowing: [{ id, onlyReads: definition.readOnly, definition }],
      notice: unableAgent(id),
    }];
  }
  // A binding to a profile makes no agent of one that is defined for other work.
  if (bound.includes(id)) return [];
  return [{
    narrowing: isComplete ? [{ id, onlyReads: true }] : [],
    notice: unknownAgent(id, [...candidates.map((agent) => agent.id), ...bound]),
  }];
}

/** Agents that a file binds to a risk profile. */
function bound(agents: unknown): readonly string[] {
  return Object.entries(isObject(agents) ? agents : {})
    .flatMap(([id, entry]) => isObject(entry) ? [id] : []);
}

function unableAgent(id: string): string {
  return `There is no agent ${quoted(id, 80)} that could run, so "${DEFAULT_AGENT}" runs with no ` +
    'more than its definition permits; give that the "mode" "primary"';
}

function unknownAgent(id: string, known: readonly string[]): string {
  const nearest = nearestName(id, known);
  return `There is no agent ${quoted(id, 80)}, so "${DEFAULT_AGENT}" runs and only looks, since ` +
    "nobody knows what that agent may do" +
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
