import type { AgentInfo, AgentList, PluginAgents } from "@alisio/sdk";
import { BUILTIN_AGENTS } from "./builtin_agents.ts";

/** Models of another program's definitions, which mean nothing here. */
const CLAUDE_MODELS: ReadonlySet<string> = new Set(["sonnet", "opus", "haiku"]);
/** More are left out of the description of the tool; they can be named all the same. */
const MAX_LISTED = 60;
const MAX_DESCRIPTION_CHARS = 400;

/**
 * Every definition that there is at a moment: what people defined, then what is always there.
 *
 * @param agents Looks for definitions; absent on a host that has none.
 */
export async function listAgents(agents: PluginAgents | undefined): Promise<AgentList> {
  const found = await agents?.list() ?? { agents: [], shadowed: [], notices: [] };
  const hidden = BUILTIN_AGENTS.filter(({ id }) => found.agents.some((agent) => agent.id === id));
  return {
    agents: [...found.agents, ...BUILTIN_AGENTS.filter((agent) => !hidden.includes(agent))],
    shadowed: [...found.shadowed, ...hidden],
    notices: found.notices,
  };
}

/**
 * Those that work can be handed to.
 *
 * @param agents All of them.
 */
export function delegates(agents: readonly AgentInfo[]): readonly AgentInfo[] {
  return agents.filter(({ mode }) => mode !== "primary");
}

/**
 * What the model is told of the agents that it can hand work to.
 *
 * @param agents All of them.
 */
export function describeAgents(agents: readonly AgentInfo[]): string {
  const shown = delegates(agents).filter(({ hidden }) => !hidden);
  const lines = shown.slice(0, MAX_LISTED).map(({ id, description, readOnly }) =>
    `- ${id}: ${oneLine(description)}${readOnly ? " (read-only)" : ""}`
  );
  const more = shown.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/**
 * The model that is asked for by name; undefined for the one of whoever hands the work over.
 *
 * @param name As a definition or a call has it.
 */
export function chosenModel(
  name: string | undefined,
): { readonly model?: string; readonly warning?: string } {
  const wanted = name?.trim() ?? "";
  if (wanted === "" || wanted === "inherit") return {};
  if (!CLAUDE_MODELS.has(wanted.toLowerCase())) return { model: wanted };
  return {
    warning: `The model "${wanted}" is an alias of another program: the task runs with the model ` +
      "of its caller",
  };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_DESCRIPTION_CHARS ? line : `${line.slice(0, MAX_DESCRIPTION_CHARS)}…`;
}
