import type { ChildSessionSpec } from "@alisio/sdk";
import { agentPolicies } from "../agents/agent_policies.ts";
import type { Policy, Verdict } from "../gate/policy.ts";
import { expandToolNames } from "../gate/profile/tool_names.ts";
import { type ChildSettings, NARROWED_EFFECTS, type NarrowedEffect } from "./child_settings.ts";

/** What a session can do at a moment: the most that one which works for it can have. */
export interface ParentPowers {
  /** Whether it only looks. */
  readonly onlyReads: boolean;
  /** What happens with calls of these effects. */
  readonly verdicts: Readonly<Record<NarrowedEffect, Verdict>>;
  /** Names of the tools that it has. */
  readonly tools: ReadonlySet<string>;
  /** Its own limits, where it works for another session itself. */
  readonly limits: Pick<ChildSettings, "maxTurns" | "timeoutMs" | "maxTokens">;
}

/** Tools that only the conversation of a person has. */
const OWN_TOOLS = ["exit_plan", "get_goal", "update_goal"] as const;

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Settles what a child session is: what is asked for, as far as its parent has it. Pure.
 *
 * @param spec What it is to be.
 * @param parent What its parent can do.
 */
export function narrowChild(spec: ChildSessionSpec, parent: ParentPowers): ChildSettings {
  const { allow = ["*"], deny = [] } = spec.tools ?? {};
  const wanted = allow.includes("*") ? null : expandToolNames(allow);
  const missing = wanted?.filter((name) => !parent.tools.has(name)) ?? [];
  const wishes: Partial<Record<NarrowedEffect, Verdict>> = spec.permission ?? {};
  const tooMuch = NARROWED_EFFECTS.filter((effect) => {
    const wish = wishes[effect];
    return wish !== undefined && STRICTNESS[wish] < STRICTNESS[parent.verdicts[effect]];
  });
  const limits = boundLimits(spec, parent.limits);
  return {
    agent: spec.agent,
    ...(spec.instructions === undefined ? {} : { instructions: spec.instructions }),
    // A name that its parent has not yet may be one that it gets later.
    tools: wanted,
    without: [...new Set([...expandToolNames(deny), ...OWN_TOOLS])],
    onlyReads: spec.readOnly === true || parent.onlyReads,
    verdicts: Object.fromEntries(NARROWED_EFFECTS.flatMap((effect) => {
      const verdict = settledVerdict(wishes[effect], parent.verdicts[effect]);
      return verdict === undefined ? [] : [[effect, verdict]];
    })),
    ...limits.settled,
    narrowed: [
      ...missing.map((name) => `its parent has no tool "${name}"`),
      ...tooMuch.map((effect) =>
        `"permission.${effect}" is "${wishes[effect]}", its parent has "${parent.verdicts[effect]}"`
      ),
      ...(spec.readOnly === false && parent.onlyReads ? ["its parent only looks"] : []),
      ...limits.narrowed,
    ],
  };
}

/**
 * A wish that is milder than what the parent has means nothing, and what the parent could not do
 * when the child was made stays closed to it. What the parent is asked about may be granted later,
 * to both.
 */
function settledVerdict(wish: Verdict | undefined, parent: Verdict): Verdict | undefined {
  if (parent === "deny" || wish === "deny") return "deny";
  return wish === "ask" ? "ask" : undefined;
}

const LIMITS = ["maxTurns", "timeoutMs", "maxTokens"] as const;

function boundLimits(
  spec: ChildSessionSpec,
  parent: ParentPowers["limits"],
): {
  readonly settled: Pick<
    ChildSettings,
    "maxTurns" | "timeoutMs" | "maxTokens" | "maxOutputTokens"
  >;
  readonly narrowed: readonly string[];
} {
  const settled = LIMITS.flatMap((key) => {
    const limit = Math.min(spec[key] ?? Infinity, parent[key] ?? Infinity);
    return limit === Infinity ? [] : [[key, limit] as const];
  });
  const narrowed = LIMITS.flatMap((key) => {
    const [own = 0, most = Infinity] = [spec[key], parent[key]];
    return own > most ? [`"${key}" is ${own}, its parent has ${most}`] : [];
  });
  const { maxOutputTokens } = spec;
  return {
    settled: {
      ...Object.fromEntries(settled),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    narrowed,
  };
}

/**
 * What a child takes away from what its parent may do. Pure; none of it permits anything.
 *
 * @param settings What was settled when it was made.
 * @param options Whether somebody can be asked; what would be asked is refused otherwise.
 */
export function childPolicies(
  settings: ChildSettings,
  options: { readonly canAsk: boolean },
): readonly Policy[] {
  const { agent, tools, without, onlyReads, verdicts: { external, ...permission } } = settings;
  const policies = agentPolicies({
    id: agent,
    onlyReads,
    definition: { tools, disallowedTools: without, permission },
  }, options);
  if (external === undefined || external === "allow") return policies;
  return [...policies, {
    kind: "effects",
    name: "agent",
    verdicts: {
      read: "allow",
      internal: "allow",
      write: "allow",
      process: "allow",
      external: external === "ask" && !options.canAsk ? "deny" : external,
    },
    remedies: {},
  }];
}
