import { isObject } from "../config/is_object.ts";
import type { LoadedConfiguration } from "../config/load_config.ts";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import type { AgentPolicy } from "./policy.ts";
import { expandToolNames } from "./profile/tool_names.ts";

/** What the active agent means for a run. */
export interface ActiveAgent {
  /** What narrows the run. */
  readonly policies: readonly AgentPolicy[];
  /** Whether nothing but looking is left. */
  readonly onlyReads: boolean;
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/** The agent that runs where no file names another; it narrows nothing. */
const DEFAULT_AGENT = "build";

/** Plans and changes nothing, however somebody defines an agent of that name. */
const PLANNER = "plan";

/** What a definition says that narrows. */
interface Definition {
  readonly tools?: readonly string[];
  readonly mode?: string;
}

/**
 * Finds what the active agent narrows. A project may activate another agent than the person; what
 * that of the person narrows stays narrowed, so that a project permits nothing more.
 *
 * @param loaded The configuration that was read.
 */
export function activeAgent(
  loaded: Pick<LoadedConfiguration, "configuration" | "layers">,
): ActiveAgent {
  const { configuration: { agents, builtinPlugins }, layers } = loaded;
  const global = layers.find(({ source }) => source.layer === "global")?.values;
  const own = textOf(global, "agents", "active") ?? DEFAULT_AGENT;
  const found = [
    // Checked by `checkConfig`, as every layer is.
    agentOf(own, (valueOf(global, "builtinPlugins", "subagents", "agents") ?? {}) as Definitions),
    agentOf(agents.active, builtinPlugins.subagents.agents),
  ];
  const policies = found.filter((policy) => policy !== null);
  const able = candidates(builtinPlugins.subagents.agents);
  // A binding to a profile makes no agent of one that is defined for other work.
  const known = [
    PLANNER,
    DEFAULT_AGENT,
    ...able,
    ...layers.flatMap(({ values }) => bound(values["agents"]))
      .filter((id) => able.includes(id) || !Object.hasOwn(builtinPlugins.subagents.agents, id)),
  ];
  return {
    policies,
    onlyReads: policies.some(({ onlyReads }) => onlyReads),
    notices: known.includes(agents.active)
      ? []
      : Object.hasOwn(builtinPlugins.subagents.agents, agents.active)
      ? [unableAgent(agents.active)]
      : [unknownAgent(agents.active, known)],
  };
}

type Definitions = Readonly<Record<string, Definition>>;

function agentOf(id: string, definitions: Definitions): AgentPolicy | null {
  const definition = candidates(definitions).includes(id) ? definitions[id] : undefined;
  const tools = definition?.tools;
  const isOpen = tools === undefined || tools.includes("*");
  if (isOpen && id !== PLANNER) return null;
  return {
    kind: "agent",
    name: "agent",
    agent: id,
    onlyReads: id === PLANNER,
    tools: isOpen ? null : new Set(expandToolNames(tools)),
  };
}

/** Definitions that can be the active agent; the others are for work that is handed over. */
function candidates(definitions: Definitions): readonly string[] {
  return Object.entries(definitions)
    .filter(([, { mode }]) => mode === "primary" || mode === "all")
    .map(([id]) => id);
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
