import type { EffectPolicy, Policy } from "../gate/policy.ts";
import { expandToolNames } from "../gate/profile/tool_names.ts";
import type { AgentDefinition, AgentPermission } from "./agent_definition.ts";

/** What of an agent narrows. */
export interface NarrowingAgent {
  readonly id: string;
  /** Whether it only looks. */
  readonly onlyReads: boolean;
  readonly definition?: Pick<AgentDefinition, "tools" | "disallowedTools" | "permission">;
}

/**
 * What an agent takes away, as policies beside those of the run. Pure. None of them permits
 * anything; an agent that narrows nothing has none.
 *
 * @param agent The agent.
 * @param options Whether somebody can be asked; what would be asked is refused otherwise.
 */
export function agentPolicies(
  { id, onlyReads, definition }: NarrowingAgent,
  options: { readonly canAsk: boolean },
): readonly Policy[] {
  const remedy = `let another agent than "${id}" run, with "agents.active"`;
  const tools = definition?.tools ?? null;
  const without = definition?.disallowedTools ?? [];
  const narrowsTools = onlyReads || tools !== null || without.length > 0;
  return [
    ...narrowsTools
      ? [{
        kind: "agent" as const,
        name: "agent" as const,
        agent: id,
        onlyReads,
        tools: tools === null ? null : new Set(expandToolNames(tools)),
        without: new Set(expandToolNames(without)),
      }]
      : [],
    // It looks around in what is open, and asks for nothing more.
    ...onlyReads
      ? [{ kind: "roots" as const, name: "agent", outside: "deny" as const, remedy }]
      : [],
    ...effectPolicy(definition?.permission ?? {}, remedy, options.canAsk),
  ];
}

function effectPolicy(
  { write, process }: AgentDefinition["permission"],
  remedy: string,
  canAsk: boolean,
): readonly EffectPolicy[] {
  if ([write, process].every((rule) => rule === undefined || rule === "allow")) return [];
  const verdict = (rule: AgentPermission = "allow") => rule === "ask" && !canAsk ? "deny" : rule;
  return [{
    kind: "effects",
    name: "agent",
    verdicts: {
      read: "allow",
      internal: "allow",
      external: "allow",
      write: verdict(write),
      process: verdict(process),
    },
    remedies: { write: remedy, process: remedy },
  }];
}
