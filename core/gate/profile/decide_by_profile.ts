import type { Effect } from "@alisio/sdk";
import type { Verdict } from "../policy.ts";
import { judgePolicyPath } from "../paths_policy/judge_policy_path.ts";
import type { PathPolicy } from "../paths_policy/path_policy.ts";
import { pathReason, pathRemedy } from "../paths_policy/path_reason.ts";
import { consumesAction, isActing, type ProfileFacts } from "./profile_facts.ts";
import type { RiskProfile } from "./risk_profile.ts";
import { COMMAND_TOOLS, namesTool, type ToolNames, toolNames } from "./tool_names.ts";

/** A profile prepared for deciding about many calls. */
export interface ProfileRules {
  /** The profile. */
  readonly profile: RiskProfile;
  /** Its path rules on this machine. */
  readonly paths: PathPolicy;
  /** Whether anybody can be asked. */
  readonly canAsk: boolean;
  /** Effects that the person granted before the run, which counts as their approval. */
  readonly preGranted: ReadonlySet<Effect>;
  /** The lists of the profile. */
  readonly autoApprove: ToolNames;
  /** The lists of the profile. */
  readonly alwaysAsk: ToolNames;
  /** The lists of the profile. */
  readonly allowedTools: ToolNames;
  /** The lists of the profile. */
  readonly excludedTools: ToolNames;
}

/** How {@linkcode profileRules} prepares a profile. */
export interface ProfileRulesOptions {
  /** Its path rules on this machine. */
  readonly paths: PathPolicy;
  /** Whether anybody can be asked. */
  readonly canAsk: boolean;
  /**
   * Effects that the person granted before the run, which counts as their approval. It rescues
   * nothing that is blocked, and no tool that is always asked about.
   *
   * @default none
   */
  readonly preGranted?: readonly Effect[];
}

/** What a profile says of a call. */
export interface ProfileVerdict {
  /** What is to be done. */
  readonly decision: Verdict;
  /** For the model. Names no setting. */
  readonly reason: string;
  /** The rule that decided; a key of the profile where one did. */
  readonly rule: string;
  /** For the person: what would permit it. */
  readonly remedy?: string;
  /** Whether an approval covers this one call and never the session. */
  readonly onceOnly?: true;
  /** Whether a person could have permitted it, and nobody is there. */
  readonly nobodyThere?: true;
}

/** Tools that hand work to another agent. */
const DELEGATION_TOOLS: readonly string[] = ["task", "send_message"];

/**
 * Prepares a profile for deciding about many calls.
 *
 * @param profile The profile.
 * @param options What surrounds it.
 */
export function profileRules(profile: RiskProfile, options: ProfileRulesOptions): ProfileRules {
  return {
    profile,
    paths: options.paths,
    canAsk: options.canAsk,
    preGranted: new Set(options.preGranted),
    autoApprove: toolNames(profile.autoApprove),
    alwaysAsk: toolNames(profile.alwaysAsk),
    allowedTools: toolNames(profile.allowedTools),
    excludedTools: toolNames(profile.excludedTools),
  };
}

/**
 * Decides about one call by a risk profile. Pure.
 *
 * In this order: is the tool there at all, does the level permit it, are its paths and its command
 * permitted, is there budget left; only then is it asked whether somebody has to approve. What is
 * blocked is never asked about.
 *
 * @param facts The call.
 * @param rules The profile.
 */
export function decideByProfile(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict {
  return hiddenVerdict(facts, rules) ??
    levelVerdict(facts, rules) ??
    pathVerdict(facts, rules) ??
    commandVerdict(facts, rules) ??
    budgetVerdict(facts, rules) ??
    approvalVerdict(facts, rules);
}

function hiddenVerdict(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict | null {
  const { profile } = rules;
  const { tool } = facts;
  const reason = `there is no tool "${tool}" in this run; go on without it`;
  if (namesTool(rules.excludedTools, tool)) {
    return denial(
      "excludedTools",
      reason,
      `take "${tool}" out of ${key(profile, "excludedTools")}`,
    );
  }
  // What comes from another system has that effect, whatever else is named like it.
  const isBridged = facts.effect === "external" && tool.includes("__");
  if (profile.allowedTools.length > 0 && !isBridged && !namesTool(rules.allowedTools, tool)) {
    return denial("allowedTools", reason, `add "${tool}" to ${key(profile, "allowedTools")}`);
  }
  if (DELEGATION_TOOLS.includes(tool) && profile.delegation === "forbidden") {
    return denial(
      "delegationPolicy",
      "work is not handed to other agents in this run; do it yourself",
      `set ${key(profile, "delegationPolicy.mode")} to "allow"`,
    );
  }
  return null;
}

function levelVerdict(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict | null {
  if (rules.profile.level !== "readonly" || !isActing(facts.tool, facts.effect)) return null;
  return denial(
    "level",
    `this run looks and changes nothing, so "${facts.tool}" was not run; go on without it and ` +
      "say in your answer what is left to do",
    `use a profile of another level: ${key(rules.profile, "level")} is "readonly"`,
  );
}

function pathVerdict(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict | null {
  for (const { facts: path, access } of facts.input?.paths ?? []) {
    const verdict = judgePolicyPath(path, rules.paths, access);
    if (!verdict.allowed) {
      return denial(
        verdict.rule,
        pathReason(path.requested, verdict, access),
        pathRemedy(`riskProfiles.${rules.profile.alias}`, verdict),
      );
    }
    const looks = access === "read" || access === "either";
    if (looks || rules.profile.level === "full" || verdict.rule !== "unrestricted") continue;
    // Reading there is permitted; writing there is of high risk, which only `full` permits.
    const outside = { allowed: false, rule: "workspaceOnly" } as const;
    return denial(
      "high",
      pathReason(path.requested, outside, access),
      pathRemedy(`riskProfiles.${rules.profile.alias}`, outside),
    );
  }
  return null;
}

function commandVerdict(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict | null {
  if (facts.input === null) return null;
  const { command } = facts.input;
  if (command === null) {
    return COMMAND_TOOLS.has(facts.tool)
      ? denial(
        "ungraded",
        `it is not known what "${facts.tool}" would start, so it was not run`,
        "start the program yourself: no profile permits a command that was not graded",
      )
      : null;
  }
  if (command.approved === "run" && command.unapproved !== "block") return null;
  if (command.rule === "empty") {
    // No setting and no person could permit it.
    return {
      decision: "deny",
      reason: "no command was given, so nothing was run; give one, or go on without it",
      rule: "command:empty",
    };
  }
  const list = key(rules.profile, "allowedCommands");
  const remedies: Readonly<Record<string, string>> = {
    list: `add the program to ${list}: ${command.reason}`,
    "risk:high": `list each of its programs by name in ${list}`,
  };
  const remedy = Object.hasOwn(remedies, command.rule) ? remedies[command.rule] : undefined;
  return denial(
    `command:${command.rule}`,
    `the command was not run: ${command.reason}. Write it in another way, or leave it to the person`,
    remedy ?? "run the command yourself: the profile does not let it start in this form",
  );
}

function budgetVerdict(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict | null {
  if (facts.input === null || facts.input.actionsLeft > 0) return null;
  if (!consumesAction(facts.tool, facts.effect)) return null;
  return denial(
    "maxActionsPerHour",
    "no action is left for now; look at what is there, or finish with what you have",
    `raise ${key(rules.profile, "maxActionsPerHour")}, or wait: it counts one hour back`,
  );
}

function approvalVerdict(facts: ProfileFacts, rules: ProfileRules): ProfileVerdict {
  const { profile } = rules;
  const { tool } = facts;
  if (profile.level === "readonly") return allowance(tool, "level");
  if (namesTool(rules.alwaysAsk, tool)) {
    if (facts.callApproved) return allowance(tool, "alwaysAsk");
    return question(facts, rules, "alwaysAsk", `"${tool}" is asked about every time`);
  }
  if (profile.level === "full") return allowance(tool, "level");
  const need = approvalNeed(facts, rules);
  if (!need.asks) return allowance(tool, need.risk);
  const grant = grantOf(facts, rules);
  if (grant !== null) return allowance(tool, grant);
  return question(facts, rules, isDoubtful(facts) ? "doubt" : need.risk, need.why);
}

/** Whether the command may be another one than it seems, so that no yes for the session covers it. */
function isDoubtful(facts: ProfileFacts): boolean {
  return isBeyondList(facts) || facts.input?.command?.rule === "doubt";
}

/**
 * Whether a program may run that the list does not hold, so that only a look at the command can
 * permit it: whoever permitted commands beforehand meant those of the list.
 */
function isBeyondList({ input }: ProfileFacts): boolean {
  return input?.command?.rule === "concern";
}

/** What counts as a yes of the person to a call that would be asked about. */
function grantOf(facts: ProfileFacts, rules: ProfileRules): string | null {
  if (facts.callApproved) return "approved";
  if (isBeyondList(facts)) return null;
  if (namesTool(rules.autoApprove, facts.tool)) return "autoApprove";
  if (facts.sessionApproved && !isDoubtful(facts)) return "session";
  return rules.preGranted.has(facts.effect) ? "preGranted" : null;
}

interface ApprovalNeed {
  readonly risk: "low" | "medium" | "high";
  readonly asks: boolean;
  readonly why: string;
}

function approvalNeed(facts: ProfileFacts, rules: ProfileRules): ApprovalNeed {
  const { tool, effect, input } = facts;
  const command = input?.command ?? null;
  if (command !== null) {
    const why = `this command is asked about: ${command.reason}`;
    return { risk: command.risk, asks: command.unapproved !== "run", why };
  }
  // Where nobody can be asked, the tool is still there for the commands that run unasked.
  const runsSome = input === null && COMMAND_TOOLS.has(tool) && !rules.canAsk;
  const isLow = runsSome || !isActing(tool, effect);
  const asks = !isLow && rules.profile.requireApprovalForMediumRisk;
  return { risk: isLow ? "low" : "medium", asks, why: `"${tool}" changes something` };
}

function allowance(tool: string, rule: string): ProfileVerdict {
  return { decision: "allow", reason: `"${tool}" may run`, rule };
}

function denial(rule: string, reason: string, remedy: string): ProfileVerdict {
  return { decision: "deny", reason, rule, remedy };
}

/** An approval that is needed; a denial where nobody is there to give it. */
function question(
  facts: ProfileFacts,
  rules: ProfileRules,
  rule: string,
  why: string,
): ProfileVerdict {
  if (rules.canAsk) {
    const verdict = { decision: "ask", reason: why, rule } as const;
    return rule === "alwaysAsk" || rule === "doubt" ? { ...verdict, onceOnly: true } : verdict;
  }
  const refused = denial(
    rule,
    `${why}, and nobody was there who could decide about it. This is not a person's decision: go ` +
      "on without it and say in your answer what is left to do",
    approvalRemedy(facts, rules, rule),
  );
  return { ...refused, nobodyThere: true };
}

function approvalRemedy(
  { tool, effect }: ProfileFacts,
  { profile }: ProfileRules,
  rule: string,
): string {
  const { approvalRoute } = profile;
  if (approvalRoute !== null) {
    return `run where "${approvalRoute.approverChannel}" can be asked, or change ` +
      key(profile, "approvalRoute");
  }
  if (rule === "doubt") {
    return "run where a person can answer; of a program that is named by a path, that path can be " +
      `listed in ${key(profile, "allowedCommands")}`;
  }
  const atHand = "run where a person can answer";
  if (rule === "alwaysAsk") {
    return `${atHand}, or take "${tool}" out of ${key(profile, "alwaysAsk")}`;
  }
  // No flag stands for the others.
  const isFlagged = effect === "write" || effect === "process" || effect === "external";
  return isFlagged ? `${atHand}, or again with --allow-${effect}` : atHand;
}

function key(profile: RiskProfile, name: string): string {
  return `"riskProfiles.${profile.alias}.${name}"`;
}
