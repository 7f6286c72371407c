import type { Effect } from "@alisio/sdk";
import type { JudgedPath } from "../paths/judged_path.ts";
import type { McpTrait } from "../tools/host_tool.ts";
import { isInside } from "../paths/is_inside.ts";
import { quotePath } from "../paths/quote_path.ts";
import type { AgentPolicy, Policy, Verdict } from "./policy.ts";
import type { ProfileInputFacts } from "./profile/profile_facts.ts";
import type { ProfilePolicy } from "./profile/profile_policy.ts";

/** A path of a call, with what the gate found out about it. */
export interface PathFacts extends JudgedPath {
  /**
   * Whether it is one of the files that decide what Alisio may do, or which programs Git starts;
   * false for a call that only reads, for which nobody looks.
   */
  readonly isProtected: boolean;
  /** Whether it holds stored keys, which no tool ever needs. */
  readonly isSecret: boolean;
  /** The directory that a grant for it covers: itself if it is one, else the one that holds it. */
  readonly directory: string;
}

/** Everything a decision rests on. Gathered first; deciding reads nothing else. */
export interface CallFacts {
  readonly tool: string;
  readonly effect: Effect;
  /**
   * Whether an approval of the tool covers one call and never the session.
   *
   * @default false
   */
  readonly approvedOnce?: boolean;
  /** What the tool has to do with MCP servers; absent for all others. */
  readonly mcp?: McpTrait;
  /** Whether its server changed it since a person granted it. */
  readonly hasChanged?: boolean;
  readonly paths: readonly PathFacts[];
  readonly grants: Grants;
  /**
   * What a risk profile has to know of the input; `null` when the question is about the tool in
   * general. A profile denies every call without it.
   */
  readonly profileInput?: ProfileInputFacts | null;
}

/** What the person has granted, for one call or for the session. */
export interface Grants {
  readonly effects: readonly Effect[];
  /** Real directories, subtrees included. */
  readonly directories: readonly string[];
  /** Real paths of protected files; never granted for longer than one call. */
  readonly protectedPaths: readonly string[];
  /** Tools that were approved for the session, where a risk profile counts tools, not effects. */
  readonly tools?: readonly string[];
  /** Whether exactly this call was approved; never granted for longer. */
  readonly call?: boolean;
}

/** What a decision is about: the effect of the call, its tool, or one of its paths. */
export type DecisionSubject =
  | { readonly kind: "effect" }
  /** A tool, where a risk profile is in force: its approvals are for single tools. */
  | { readonly kind: "tool"; readonly tool: string }
  /** A directory outside every allowed root. */
  | { readonly kind: "directory"; readonly path: string }
  /** A file that decides what Alisio may do or which programs Git starts. */
  | { readonly kind: "protected"; readonly path: string };

/** What is to be done with a call, why, and which rule says so. */
export interface Decision {
  readonly decision: Verdict;
  /** For the model: what is refused or asked about, and why. Names no setting. */
  readonly reason: string;
  /** The rule that decided, as `policy:rule`. */
  readonly matched: string;
  /** What is asked about or refused: the effect, or a directory. */
  readonly subject: DecisionSubject;
  /** For the person: what would permit it. */
  readonly remedy?: string;
  /** Whether an approval covers this one call, so that none for the session is on offer. */
  readonly onceOnly?: true;
  /** Whether a person could have permitted it, and nobody is there. */
  readonly nobodyThere?: true;
}

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** What a call with an effect does, in words that go on a sentence. */
export const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  read: "reading",
  write: "changing files",
  process: "running programs",
  external: "reaching the network or other systems",
  internal: "keeping its own state",
};

/**
 * Decides about one call. Pure: it reads no file, clock or environment.
 *
 * The strictest verdict of all policies wins; among equals the earlier one, and a directory before
 * an effect, because access to a directory is a prerequisite and never a substitute.
 *
 * @param facts The call.
 * @param policies The rules.
 */
export function decide(facts: CallFacts, policies: readonly Policy[]): Decision {
  let winner = NO_POLICY;
  let strictness = -1;
  for (const candidate of verdictsOf(facts, policies)) {
    if (STRICTNESS[candidate.decision] <= strictness) continue;
    winner = candidate;
    strictness = STRICTNESS[candidate.decision];
  }
  return winner;
}

/** What no policy speaks of is not permitted. */
const NO_POLICY: Decision = {
  decision: "deny",
  reason: "no policy speaks of this call, so it was not run",
  matched: "builtin:no-policy",
  subject: { kind: "effect" },
};

function* verdictsOf(facts: CallFacts, policies: readonly Policy[]): Generator<Decision> {
  const roots = policies.filter((policy) => policy.kind === "roots");
  for (const policy of roots.length > 0 ? roots : [NO_ROOTS]) yield* rootVerdicts(facts, policy);
  for (const policy of policies) {
    // Before all that could be permitted, whose advice would not help here.
    if (policy.kind === "agent") yield* agentVerdicts(facts, policy);
  }
  const profiles = policies.filter((policy) => policy.kind === "profile");
  // Before the effects: what a profile asks may be for one call only, and then no other question
  // about the call offers more.
  const isApproved = isToolGranted(facts) ||
    policies.some((policy) => approves(policy, facts.effect));
  for (const policy of profiles) yield profileVerdict(facts, policy, isApproved);
  const subject: DecisionSubject = profiles.length > 0
    ? { kind: "tool", tool: facts.tool }
    : { kind: "effect" };
  for (const policy of policies) {
    if (policy.kind === "protected") yield* protectedVerdicts(facts, policy);
    if (policy.kind === "effects") yield effectVerdict(facts, policy, subject);
  }
}

function* agentVerdicts(
  { tool, effect }: CallFacts,
  { name, agent, onlyReads, tools, without }: AgentPolicy,
): Generator<Decision> {
  const goOn = "go on without it and say in your answer what is left to do";
  const subject = { kind: "effect" } as const;
  const remedy = `let another agent than "${agent}" run, with "agents.active"`;
  if (onlyReads && effect !== "read" && effect !== "internal") {
    yield {
      decision: "deny",
      reason: `you look and change nothing here, so "${tool}" was not run; ${goOn}`,
      matched: `${name}:read-only`,
      subject,
      remedy,
    };
  }
  if ((tools !== null && !tools.has(tool)) || without.has(tool)) {
    yield {
      decision: "deny",
      reason: `"${tool}" is none of your tools, so it was not run; ${goOn}`,
      matched: `${name}:tools`,
      subject,
      remedy,
    };
  }
}

function approves(policy: Policy, effect: Effect): boolean {
  return policy.kind === "effects" && policy.approves === true &&
    policy.verdicts[effect] === "allow";
}

function profileVerdict(facts: CallFacts, policy: ProfilePolicy, isApproved: boolean): Decision {
  const subject = { kind: "tool", tool: facts.tool } as const;
  if (facts.profileInput === undefined) {
    return {
      decision: "deny",
      reason: `it is not known what "${facts.tool}" would do, so it was not run`,
      matched: `${policy.name}:unknown-input`,
      subject,
    };
  }
  const { rule, ...verdict } = policy.judge({
    tool: facts.tool,
    effect: facts.effect,
    input: facts.profileInput,
    callApproved: facts.grants.call === true,
    sessionApproved: isApproved,
  });
  return { ...verdict, matched: `${policy.name}:${rule}`, subject };
}

function isToolGranted({ tool, grants }: CallFacts): boolean {
  return grants.tools?.includes(tool) ?? false;
}

function* rootVerdicts(
  facts: CallFacts,
  policy: Extract<Policy, { kind: "roots" }>,
): Generator<Decision> {
  for (const path of facts.paths) {
    if (path.root !== null) continue;
    if (policy.outside === "ask" && isGranted(path.real, facts.grants.directories)) continue;
    yield {
      decision: policy.outside,
      reason:
        `${whereItLies(path)} outside the workspace and every directory that this run may use` +
        (policy.outside === "deny" ? "; work inside the workspace instead" : ""),
      matched: `${policy.name}:outside`,
      subject: { kind: "directory", path: path.directory },
      remedy: policy.remedy.replace("{path}", () => quotePath(path.real)),
    };
  }
}

function whereItLies({ requested, real }: CallFacts["paths"][number]): string {
  return requested === real ? `"${real}" lies` : `"${requested}" leads to "${real}",`;
}

function* protectedVerdicts(
  facts: CallFacts,
  policy: Extract<Policy, { kind: "protected" }>,
): Generator<Decision> {
  for (const path of facts.paths) {
    if (path.isSecret) {
      yield {
        decision: "deny",
        reason: `"${path.requested}" holds stored keys, which tools never open`,
        matched: `${policy.name}:secret`,
        subject: { kind: "protected", path: path.real },
        remedy: "look at the file yourself",
      };
    }
    if (facts.effect === "read" || facts.effect === "internal" || !path.isProtected) continue;
    if (policy.verdict === "ask" && facts.grants.protectedPaths.includes(path.real)) continue;
    yield {
      decision: policy.verdict,
      reason: `"${path.requested}" decides what Alisio may do or which programs Git starts` +
        (policy.verdict === "deny"
          ? " and is not changed by tools; describe the change for the person instead"
          : ""),
      matched: `${policy.name}:write`,
      subject: { kind: "protected", path: path.real },
      remedy: policy.remedy,
    };
  }
}

function effectVerdict(
  facts: CallFacts,
  policy: Extract<Policy, { kind: "effects" }>,
  subject: DecisionSubject,
): Decision {
  const isNamed = policy.allowedTools?.includes(facts.tool) === true;
  const ofServers = facts.mcp === undefined ? undefined : policy.mcp?.[facts.mcp];
  const verdict = isNamed ? "allow" : ofServers ?? policy.verdicts[facts.effect];
  const { effects, call } = facts.grants;
  const onceOnly = facts.approvedOnce === true;
  // Whoever granted an effect did not see what each tool of each server is.
  const byEffect = facts.mcp === undefined && effects.includes(facts.effect);
  const standing = !onceOnly && (byEffect || isToolGranted(facts));
  const granted = verdict === "ask" && (call === true || standing);
  const remedy = policy.remedies[facts.effect];
  return {
    decision: granted ? "allow" : verdict,
    reason: effectReason(facts, granted ? "allow" : verdict),
    matched: granted ? "session:granted" : `${policy.name}:${isNamed ? facts.tool : facts.effect}`,
    // A grant of the effect would be one for every tool of it.
    subject: onceOnly || facts.mcp !== undefined ? { kind: "tool", tool: facts.tool } : subject,
    ...(remedy === undefined || verdict === "allow" ? {} : { remedy }),
    ...(onceOnly && verdict === "ask" ? { onceOnly } : {}),
  };
}

function effectReason({ tool, effect, hasChanged }: CallFacts, verdict: Verdict): string {
  switch (verdict) {
    case "allow":
      return `"${tool}" may run`;
    case "ask":
      return `"${tool}" means ${EFFECT_WORDS[effect]}` +
        (hasChanged === true ? "; its server changed what it is since you allowed it" : "");
    case "deny":
      return `${EFFECT_WORDS[effect]} is not permitted in this run, so "${tool}" was not run; ` +
        "go on without it and say in your answer what is left to do";
  }
}

const NO_ROOTS: Extract<Policy, { kind: "roots" }> = {
  kind: "roots",
  name: "builtin",
  outside: "deny",
  remedy: "open Alisio with a policy about directories",
};

function isGranted(real: string, directories: readonly string[]): boolean {
  return directories.some((directory) => isInside(real, directory));
}
