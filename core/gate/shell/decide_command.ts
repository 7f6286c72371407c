import { type CommandGrade, higherRisk, type Risk } from "./command_grade.ts";
import {
  type CommandList,
  type CommandMatch,
  matchAllowedCommands,
  toCommandList,
} from "./match_allowed_commands.ts";

/** The part of a risk profile that is about commands. */
export interface CommandProfile {
  /** How much the profile lets an agent do by itself. */
  readonly level: "readonly" | "supervised" | "full";
  /**
   * Programs that may run; empty for none. Read it once with `toCommandList` where it is used for
   * many command lines.
   */
  readonly allowedCommands: readonly string[] | CommandList;
  /** Programs that may not, whatever else allows them. */
  readonly deniedCommands?: readonly string[] | CommandList;
  /** Whether a command of high risk has to be listed by name. */
  readonly blockHighRiskCommands: boolean;
  /** Whether a command of medium risk asks. */
  readonly requireApprovalForMediumRisk: boolean;
}

/** What the decision needs to know about this computer. */
export interface CommandFacts {
  /** The home folder, for entries that begin with `~/`; a list that was read has its own. */
  readonly home?: string;
  /**
   * Bare names of programs that the search path resolves into the workspace or another folder that
   * tools can write, so that the name says nothing about what runs.
   */
  readonly shadowedNames?: readonly string[];
}

/** What is to be done with a command line. */
export interface CommandDecision {
  /** What happens where nobody has approved it. */
  readonly unapproved: "run" | "ask" | "block";
  /** What happens once it is approved. An approval never rescues a blocked command. */
  readonly approved: "run" | "block";
  /** Its risk under this profile, which may be higher than that of the grade. */
  readonly risk: Risk;
  /**
   * The rule that decided: `level`, `list`, `form`, `risk:high`, `risk:medium`, …; `concern` where
   * a program may run that the list does not hold, `doubt` where it is otherwise not what it seems.
   */
  readonly rule: string;
  /** Why, for the person and the model; names no setting. */
  readonly reason: string;
}

/**
 * Decides about a command line under a risk profile. Pure.
 *
 * The form is looked over only where the profile allows everything and blocks nothing. What asks
 * under `supervised` although its risk is low: a program that is named by a path or resolved into a
 * folder that tools can write, and characters that a screen does not show. Under `full`, where nobody
 * is asked, a program named by a path needs an entry with that path, and variables that load code
 * and arguments that name another program to start are blocked, or a strict list would be worth
 * nothing.
 *
 * @param grade What the command line would do.
 * @param profile The rules.
 * @param facts What is known about this computer.
 */
export function decideCommand(
  grade: CommandGrade,
  profile: CommandProfile,
  facts: CommandFacts = {},
): CommandDecision {
  if (profile.level === "readonly") {
    return block("level", grade.risk, "commands do not run at this level");
  }
  const allowed = toCommandList(profile.allowedCommands, facts.home);
  const isTrusted = !profile.blockHighRiskCommands && allowed.hasWildcard;
  const match = matchAllowedCommands(grade, allowed, {
    skipsForm: isTrusted,
    ...(profile.deniedCommands === undefined ? {} : { deniedCommands: profile.deniedCommands }),
    ...(facts.home === undefined ? {} : { home: facts.home }),
  });
  if (!match.isAllowed) return block(match.check, grade.risk, match.reason);
  const concern = findConcern(grade, match, facts);
  if (profile.level === "full" && !isTrusted && concern?.changesWhatRuns) {
    return block("form", grade.risk, concern.reason);
  }
  return decideRisk(grade, match, profile, concern);
}

/**
 * The stricter one of two decisions about the same command line; the first one where both are equal.
 *
 * @param one A decision.
 * @param other Another.
 */
export function stricterDecision(one: CommandDecision, other: CommandDecision): CommandDecision {
  return strictnessOf(other) > strictnessOf(one) ? other : one;
}

function strictnessOf({ unapproved, approved, rule }: CommandDecision): number {
  if (approved === "block") return 4;
  if (unapproved === "block") return 3;
  if (unapproved === "run") return 0;
  // A yes for the session does not cover a concern.
  return rule === "concern" || rule === "doubt" ? 2 : 1;
}

type AllowedMatch = Extract<CommandMatch, { isAllowed: true }>;

interface Concern {
  readonly changesWhatRuns: boolean;
  readonly reason: string;
}

function findConcern(
  grade: CommandGrade,
  match: AllowedMatch,
  facts: CommandFacts,
): Concern | null {
  const [variable] = grade.variables;
  if (variable !== undefined) {
    return { changesWhatRuns: true, reason: `"${variable}" can change what runs` };
  }
  const starter = grade.runs.find((run) => run.startsOther);
  if (starter !== undefined) {
    const [reason = "starts another program"] = starter.reasons;
    return { changesWhatRuns: true, reason: `${JSON.stringify(starter.program ?? "")}: ${reason}` };
  }
  const shadowed = grade.runs.find((run) =>
    run.name !== null && !run.isPath && facts.shadowedNames?.includes(run.name)
  );
  const named = match.byBareName[0] ?? shadowed;
  if (named !== undefined) {
    const program = JSON.stringify(named.program ?? "");
    return {
      changesWhatRuns: true,
      reason: `${program} may be another program than its name says`,
    };
  }
  return grade.hasHidden
    ? { changesWhatRuns: false, reason: "it holds characters that a screen does not show" }
    : null;
}

function decideRisk(
  grade: CommandGrade,
  match: AllowedMatch,
  profile: CommandProfile,
  concern: Concern | null,
): CommandDecision {
  const isFull = profile.level === "full";
  const isUnknown = match.byWildcard.some((run) => !run.isHarmless);
  const risk = higherRisk(grade.risk, isUnknown ? "medium" : "low");
  // Where any program of this risk may run, one in place of another is none beyond the list.
  const admitsAny = match.isOpen && (risk !== "high" || !profile.blockHighRiskCommands);
  const concernRule = concern?.changesWhatRuns === true && !admitsAny ? "concern" : "doubt";
  const reason = grade.reasons[0] ?? "it starts a program of which nothing is known";
  if (risk === "high") {
    if (profile.blockHighRiskCommands && !match.isByName) return block("risk:high", risk, reason);
    if (isFull) return allow("run", "risk:high", risk, reason);
    return allow("ask", concern === null ? "risk:high" : concernRule, risk, reason);
  }
  if (!isFull && concern !== null) return allow("ask", concernRule, risk, concern.reason);
  if (risk === "medium") {
    const asks = !isFull && profile.requireApprovalForMediumRisk;
    return allow(asks ? "ask" : "run", "risk:medium", risk, reason);
  }
  return allow("run", "risk:low", risk, "every program in it is allowed and does no harm");
}

function block(rule: string, risk: Risk, reason: string): CommandDecision {
  return { unapproved: "block", approved: "block", risk, rule, reason };
}

function allow(
  unapproved: "run" | "ask",
  rule: string,
  risk: Risk,
  reason: string,
): CommandDecision {
  return { unapproved, approved: "run", risk, rule, reason };
}
