import { visibleCommand } from "./visible_command.ts";

/** How much harm a command can do, from the mildest to the worst. */
export type Risk = "low" | "medium" | "high";

/** A program that a command line would start, by itself or through another program. */
export interface ProgramRun {
  /** The program as written, quotes removed; null when only running tells. */
  readonly program: string | null;
  /** The last part of its path in lower case; null with `program`. */
  readonly name: string | null;
  /** Whether it is named by a path, so that the search path plays no part. */
  readonly isPath: boolean;
  /** What starts it when it is not the shell itself: a launcher, `find`, a substitution. */
  readonly via: string | null;
  /** How much harm it can do with these arguments. */
  readonly risk: Risk;
  /**
   * Whether what it does with these arguments is known, and does no harm. A program for which this
   * does not hold may be low only where the profile lists it by name.
   */
  readonly isHarmless: boolean;
  /** Whether its arguments make it start another program, which is not among the runs. */
  readonly startsOther: boolean;
  /** Why the risk is what it is; empty for a program of which nothing is known. */
  readonly reasons: readonly string[];
}

/** What about the form of a command line refuses it. */
export type FindingKind =
  | "syntax"
  | "substitution"
  | "output-redirection"
  | "input-redirection"
  | "tee"
  | "background"
  | "compound"
  | "argument";

/** Something about the form of a command line that a profile refuses, whatever runs. */
export interface FormFinding {
  /** Which rule it breaks. */
  readonly kind: FindingKind;
  /** What was found, for the person and the model. */
  readonly detail: string;
}

/** What a command line may do with a path. */
export type PathUse = "read" | "write" | "any";

/** A word that may name a file. */
export interface PathArgument {
  /** The path, quotes and option names removed; a leading `~` as written. */
  readonly path: string;
  /** What is done with it, as far as that is known. */
  readonly use: PathUse;
  /** Whether it is the program itself; a profile that lists it as a path exempts it. */
  readonly isProgram: boolean;
  /** Whether it holds wildcards, so that it stands for every file that they match. */
  readonly isPattern: boolean;
}

/** What a command line would do. */
export interface CommandGrade {
  /** The command line; for an argument array, the program and its arguments, quoted. */
  readonly command: string;
  /**
   * `graded`, `empty` when there is nothing to run, or `not-understood`; only what is graded is
   * ever allowed.
   */
  readonly state: "graded" | "empty" | "not-understood";
  /** Why it is not understood, or null. */
  readonly problem: string | null;
  /** The highest risk of everything in it. */
  readonly risk: Risk;
  /** Why the risk is not low, for the person. */
  readonly reasons: readonly string[];
  /** Every program that would run, in the order of the text. */
  readonly runs: readonly ProgramRun[];
  /** What its form is refused for. */
  readonly findings: readonly FormFinding[];
  /** Files that redirections and known options write. */
  readonly writes: readonly string[];
  /** Words that may name files, redirections included. */
  readonly paths: readonly PathArgument[];
  /** Whether some path in it is only known when it runs. */
  readonly hasUnknownPath: boolean;
  /** Variables it sets that load code or change what a name means. */
  readonly variables: readonly string[];
  /** Whether it holds characters that a screen does not show as they are. */
  readonly hasHidden: boolean;
}

/** A risk as a number, to compare. */
export const RISK_ORDER: Readonly<Record<Risk, number>> = { low: 0, medium: 1, high: 2 };

/**
 * The higher one of two risks.
 *
 * @param one A risk.
 * @param other Another.
 */
export function higherRisk(one: Risk, other: Risk): Risk {
  return RISK_ORDER[one] >= RISK_ORDER[other] ? one : other;
}

/**
 * A grade of a command line. What is left out is empty; a grade that is not understood is high.
 *
 * @param command The command line.
 * @param rest What was found out.
 */
export function createGrade(
  command: string,
  rest: Partial<Omit<CommandGrade, "command" | "hasHidden">> & Pick<CommandGrade, "state">,
): CommandGrade {
  return {
    problem: null,
    risk: rest.state === "not-understood" ? "high" : "low",
    reasons: [],
    runs: [],
    findings: [],
    writes: [],
    paths: [],
    hasUnknownPath: false,
    variables: [],
    ...rest,
    command,
    hasHidden: visibleCommand(command).hidden.length > 0,
  };
}
