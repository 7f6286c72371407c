import { quoted } from "../../config/quoted.ts";
import { comparePrefix } from "../paths_policy/compare_form.ts";
import { judgePolicyPath } from "../paths_policy/judge_policy_path.ts";
import type { PathEntry, PathPolicy, PathVerdict } from "../paths_policy/path_policy.ts";
import { RISK_LEVELS, type RiskProfile, sandboxBackend } from "./risk_profile.ts";
import { CHANGING_TOOLS, COMMAND_TOOLS } from "./tool_names.ts";

/** A profile and what its path rules mean on this machine. */
export interface PlacedProfile {
  /** The profile. */
  readonly profile: RiskProfile;
  /** Its path rules, resolved. */
  readonly paths: PathPolicy;
}

/** One way in which a profile permits more than another. */
export interface ProfileViolation {
  /** The key of the profile that permits more. */
  readonly rule: ProfileViolationRule;
  /** What it permits, as the rest of a sentence about the stricter profile. */
  readonly message: string;
}

/** The keys by which a profile can permit more than another. */
export type ProfileViolationRule =
  | "level"
  | "workspaceOnly"
  | "allowedRoots"
  | "forbiddenPaths"
  | "allowedCommands"
  | "requireApprovalForMediumRisk"
  | "blockHighRiskCommands"
  | "autoApprove"
  | "alwaysAsk"
  | "allowedTools"
  | "excludedTools"
  | "approvalRoute"
  | "delegationPolicy"
  | "sandboxEnabled"
  | "sandboxBackend"
  | "shellEnvPassthrough"
  | "maxActionsPerHour"
  | "maxCostPerDayCents"
  | "shellTimeoutSecs";

/** What comparing needs to know beyond the profiles. */
export interface CompareProfilesOptions {
  /**
   * Whether a program by itself is of high risk. Such a program is started only where it is listed
   * by name, so a list that only holds `*` does not cover it.
   */
  readonly isHighRiskProgram: (program: string) => boolean;
}

/**
 * Finds everything that a profile permits and another does not. Pure: the path rules of both were
 * resolved before, so that a folder that is reached through a symbolic link is compared by where
 * it leads.
 *
 * A child of the level `readonly` starts no program and changes nothing, so what it says of commands,
 * of approvals in advance and of acting calls permits nothing and does not count.
 *
 * @param parent The profile that must not be exceeded.
 * @param child The profile that is to be at least as strict.
 * @param options What comparing needs to know beyond the profiles.
 * @returns Every violation; empty if the child permits nothing more.
 */
export function compareProfiles(
  parent: PlacedProfile,
  child: PlacedProfile,
  options: CompareProfilesOptions,
): readonly ProfileViolation[] {
  const commands = isReadonly(child.profile)
    ? []
    : compareCommands(parent.profile, child.profile, options);
  return [
    ...compareLevels(parent.profile, child.profile),
    ...comparePaths(parent, child),
    ...commands,
    ...compareApprovals(parent.profile, child.profile),
    ...compareTools(parent.profile, child.profile),
    ...compareSandboxes(parent.profile, child.profile),
    ...compareLimits(parent.profile, child.profile),
  ];
}

/**
 * The folders that a profile opens and another one does not, as they are written: a run reaches no
 * folder that nobody opened, not even under a profile that closes nothing.
 *
 * @param parent The profile that must not be exceeded.
 * @param child The other one.
 */
export function rootsBeyond(parent: PlacedProfile, child: PlacedProfile): ReadonlySet<string> {
  const beyond = child.paths.entries.filter((entry) =>
    entry.kind === "root" && opensMore(entry, parent.paths, child.paths)
  );
  return new Set(beyond.map(({ written }) => written));
}

function isReadonly({ level }: RiskProfile): boolean {
  return level === "readonly";
}

/** Whether the level of a profile refuses every call of a tool that has this name. */
function neverRuns(profile: RiskProfile, tool: string): boolean {
  return isReadonly(profile) && (COMMAND_TOOLS.has(tool) || CHANGING_TOOLS.has(tool));
}

function* compareLevels(parent: RiskProfile, child: RiskProfile): Generator<ProfileViolation> {
  if (RISK_LEVELS.indexOf(child.level) > RISK_LEVELS.indexOf(parent.level)) {
    yield { rule: "level", message: `level "${child.level}" is above "${parent.level}"` };
  }
  if (child.delegation === "allow" && parent.delegation === "forbidden") {
    yield { rule: "delegationPolicy", message: "delegation is allowed" };
  }
}

function* comparePaths(parent: PlacedProfile, child: PlacedProfile): Generator<ProfileViolation> {
  if (parent.profile.workspaceOnly && !child.profile.workspaceOnly) {
    yield { rule: "workspaceOnly", message: "the limit to the workspace is switched off" };
  }
  for (const entry of child.paths.entries) {
    if (entry.kind !== "root") continue;
    // At level "full" a profile lets everything be used that it does not close.
    const isMore = parent.profile.level === "full" ? exceeds : opensMore;
    if (!isMore(entry, parent.paths, child.paths)) continue;
    yield {
      rule: "allowedRoots",
      message: `${entry.access} folder ${quoted(entry.written, 200)} is not covered`,
    };
  }
  for (const entry of parent.paths.entries) {
    const isOpener = exceeds(entry, parent.paths, child.paths);
    if (entry.kind === "forbidden" && (isOpener || !isForbidden(entry, child.paths))) {
      yield {
        rule: "forbiddenPaths",
        message: `forbidden path ${quoted(entry.written, 200)} is dropped`,
      };
    } else if (entry.kind === "root" && isOpener) {
      yield {
        rule: "allowedRoots",
        message: `${entry.access} folder ${quoted(entry.written, 200)} is open for more`,
      };
    }
  }
}

/**
 * Whether one profile permits something at an entry that the other refuses. Between entries
 * nothing changes, so profiles that agree at every entry agree everywhere.
 */
function exceeds(entry: PathEntry, parent: PathPolicy, child: PathPolicy): boolean {
  return entry.aliases.some((alias) =>
    (["read", "write"] as const).some((access) =>
      isOpen(alias, child, access) && !isOpen(alias, parent, access)
    )
  );
}

/**
 * Whether a profile opens the folder of one of its roots for a use that another one does not open it
 * for. What that one only does not restrict it does not open: writing there is of high risk, and a
 * run reaches no folder that nobody opened.
 */
function opensMore({ aliases }: PathEntry, parent: PathPolicy, child: PathPolicy): boolean {
  return aliases.some((alias) =>
    (["read", "write"] as const).some((access) =>
      isOpened(alias, child, access) && !isOpened(alias, parent, access)
    )
  );
}

function isOpened(path: string, policy: PathPolicy, access: "read" | "write"): boolean {
  const { allowed, rule } = judgeFolder(path, policy, access);
  return allowed && rule !== "unrestricted";
}

/** Whether an entry of the other profile names the same folder, or one above it. */
function isForbidden(entry: PathEntry, { entries, platform }: PathPolicy): boolean {
  const folded = (path: string): string => comparePrefix(path, "folded", platform);
  const closed = entries.filter(({ kind }) => kind === "forbidden")
    .flatMap(({ aliases }) => aliases.map(folded));
  return entry.aliases.every((path) => closed.some((prefix) => folded(path).startsWith(prefix)));
}

function isOpen(path: string, policy: PathPolicy, access: "read" | "write"): boolean {
  return judgeFolder(path, policy, access).allowed;
}

function judgeFolder(path: string, policy: PathPolicy, access: "read" | "write"): PathVerdict {
  const facts = {
    requested: path,
    spellings: [],
    real: path,
    ancestors: [],
    trouble: null,
    isOwnFile: false,
  };
  return judgePolicyPath(facts, policy, access);
}

function* compareCommands(
  parent: RiskProfile,
  child: RiskProfile,
  options: CompareProfilesOptions,
): Generator<ProfileViolation> {
  const admitsAll = parent.allowedCommands.includes("*");
  const listed = new Set(parent.allowedCommands.map(comparableCommand));
  for (const entry of child.allowedCommands) {
    if (listed.has(comparableCommand(entry))) continue;
    const blocked = parent.blockHighRiskCommands && options.isHighRiskProgram(entry);
    if (admitsAll && !isCommandPath(entry) && !blocked) continue;
    yield { rule: "allowedCommands", message: `command ${quoted(entry, 80)} is not covered` };
  }
  if (parent.blockHighRiskCommands && !child.blockHighRiskCommands) {
    yield {
      rule: "blockHighRiskCommands",
      message: "the block of high-risk commands is switched off",
    };
  }
}

/** A path is listed exactly, and its word in a command is not looked at as a path any more. */
function isCommandPath(entry: string): boolean {
  return /[/\\~]/.test(entry);
}

function comparableCommand(entry: string): string {
  return isCommandPath(entry) ? entry : entry.trim().toLowerCase();
}

function* compareApprovals(parent: RiskProfile, child: RiskProfile): Generator<ProfileViolation> {
  // At level "full" nothing of medium risk is asked about, and everything counts as approved.
  // At level "readonly" nothing is permitted that would need one.
  if (parent.level !== "full" && !isReadonly(child)) {
    if (parent.requireApprovalForMediumRisk && !child.requireApprovalForMediumRisk) {
      yield {
        rule: "requireApprovalForMediumRisk",
        message: "the approval of medium risk is switched off",
      };
    }
    yield* missing(
      "autoApprove",
      child.autoApprove,
      parent.autoApprove,
      (tool) => `tool ${tool} is approved in advance`,
    );
  }
  yield* missing(
    "alwaysAsk",
    // A tool that looks is never asked about at level "readonly".
    isReadonly(parent) ? [] : parent.alwaysAsk.filter((tool) => !neverRuns(child, tool)),
    isReadonly(child) ? child.excludedTools : child.alwaysAsk,
    (tool) => `tool ${tool} is not asked about every time`,
  );
  if (parent.approvalRoute !== null && !isSameRoute(parent.approvalRoute, child.approvalRoute)) {
    yield {
      rule: "approvalRoute",
      message: `approvals are not asked for on ${quoted(parent.approvalRoute.approverChannel)}`,
    };
  }
}

function isSameRoute(
  parent: NonNullable<RiskProfile["approvalRoute"]>,
  child: RiskProfile["approvalRoute"],
): boolean {
  return child !== null && child.approverChannel === parent.approverChannel &&
    child.approverRecipient === parent.approverRecipient &&
    (child.onNoApprover === "deny" || parent.onNoApprover === "inherit-originator");
}

function* compareTools(parent: RiskProfile, child: RiskProfile): Generator<ProfileViolation> {
  yield* missing(
    "excludedTools",
    parent.excludedTools.filter((tool) => !neverRuns(child, tool)),
    child.excludedTools,
    (tool) => `tool ${tool} is not excluded`,
  );
  if (parent.allowedTools.length === 0) return;
  const wanted = child.allowedTools.length === 0 ? ["*"] : child.allowedTools;
  yield* missing(
    "allowedTools",
    wanted.filter((tool) => !neverRuns(child, tool)),
    parent.allowedTools,
    (tool) => `tool ${tool} is not covered`,
  );
}

/** The entries of a list that another one lacks; `*` covers every entry. */
function* missing(
  rule: ProfileViolationRule,
  entries: readonly string[],
  covering: readonly string[],
  describe: (quotedEntry: string) => string,
): Generator<ProfileViolation> {
  if (covering.includes("*")) return;
  for (const entry of entries) {
    if (!covering.includes(entry)) yield { rule, message: describe(quoted(entry, 80)) };
  }
}

function* compareSandboxes(parent: RiskProfile, child: RiskProfile): Generator<ProfileViolation> {
  const wanted = sandboxBackend(parent.sandbox);
  const given = sandboxBackend(child.sandbox);
  if (wanted === "none" || given === wanted) return;
  if (given === "none") {
    yield { rule: "sandboxEnabled", message: "the sandbox is switched off" };
  } else if (wanted !== "auto") {
    yield { rule: "sandboxBackend", message: `the sandbox is "${given}" and not "${wanted}"` };
  }
}

function* compareLimits(parent: RiskProfile, child: RiskProfile): Generator<ProfileViolation> {
  yield* missing("shellEnvPassthrough", child.shellEnvPassthrough, parent.shellEnvPassthrough, (
    name,
  ) => `variable ${name} is passed on`);
  const limits = [
    ["maxActionsPerHour", "actions per hour", parent.maxActionsPerHour, child.maxActionsPerHour],
    ["maxCostPerDayCents", "cents per day", parent.maxCostPerDayCents, child.maxCostPerDayCents],
    ["shellTimeoutSecs", "ms for a command", parent.shellTimeoutMs, child.shellTimeoutMs],
  ] as const;
  for (const [rule, unit, most, wanted] of limits) {
    // Only calls that do more than look take an action.
    if (rule === "maxActionsPerHour" && isReadonly(child)) continue;
    if (wanted > most) yield { rule, message: `${wanted} ${unit} are more than ${most}` };
  }
}
