import type { RiskProfile } from "./risk_profile.ts";

/** How much harm a command can do. */
export type CommandGrade = "low" | "medium" | "high";

/**
 * What is known about a command before it starts. The parser of the shell, and the plain form of
 * `run_process`, both come down to this.
 */
export interface GradedCommand {
  /** The highest grade of everything that would run, launchers looked through. */
  readonly grade: CommandGrade;
  /**
   * How the list of the profile admits its programs: every one of them by name or path, some only
   * by `*`, or not all of them.
   */
  readonly admitted: "by_name" | "by_wildcard" | "no";
  /** Why the form or an argument is refused whatever the list says, for the model; else `null`. */
  readonly refusal: string | null;
  /** Words that look like paths; nobody can tell whether they are read or written. */
  readonly pathArguments: readonly string[];
  /** Paths that are written for certain, such as the targets of redirections. */
  readonly writeTargets: readonly string[];
}

/** What is to be done with a command. */
export type CommandVerdict = "run" | "ask" | "block";

/** A command's verdict and the rule behind it. */
export interface JudgedCommand {
  readonly verdict: CommandVerdict;
  readonly rule:
    | "level"
    | "commandForm"
    | "allowedCommands"
    | "blockHighRiskCommands"
    | CommandGrade;
}

/**
 * What a profile says of a command by itself, as a surface sees it on which nobody can be asked.
 * Pure. An approval never rescues a blocked command.
 *
 * @param command The command.
 * @param profile The profile.
 * @param approved Whether the call was approved by a person, a list or a session grant.
 */
export function judgeCommand(
  command: GradedCommand,
  profile: Pick<RiskProfile, "level" | "requireApprovalForMediumRisk" | "blockHighRiskCommands">,
  approved: boolean,
): JudgedCommand {
  if (profile.level === "readonly") return { verdict: "block", rule: "level" };
  if (command.refusal !== null) return { verdict: "block", rule: "commandForm" };
  if (command.admitted === "no") return { verdict: "block", rule: "allowedCommands" };
  const unnamed = command.admitted !== "by_name";
  if (command.grade === "high" && profile.blockHighRiskCommands && unnamed) {
    return { verdict: "block", rule: "blockHighRiskCommands" };
  }
  const granted = approved || profile.level === "full";
  const asks = command.grade === "high" ||
    (command.grade === "medium" && profile.requireApprovalForMediumRisk);
  return { verdict: asks && !granted ? "ask" : "run", rule: command.grade };
}
