import type { Argument } from "./_argument.ts";
import { higherRisk, type Risk } from "./command_grade.ts";

/** What a rule says about one program with its arguments. */
export interface Verdict {
  /** How much harm it can do. */
  readonly risk: Risk;
  /** Whether what it does is known, and does no harm. */
  readonly isHarmless: boolean;
  /** Why. */
  readonly reasons: readonly string[];
  /** Arguments that are refused, whatever the profile lists. */
  readonly refusals: readonly string[];
  /** Files that its options write. */
  readonly writes: readonly string[];
  /** Variables that it sets. */
  readonly variables: readonly string[];
  /** Whether its arguments make it start another program, which is not looked at. */
  readonly startsOther: boolean;
}

/** Judges the arguments of a program. */
export type ProgramRule = (args: readonly Argument[]) => Verdict;

const NOTHING = { reasons: [], refusals: [], writes: [], variables: [], startsOther: false };

/** A program that is known to do no harm with these arguments. */
export const HARMLESS: Verdict = { ...NOTHING, risk: "low", isHarmless: true };

/** A program of which nothing speaks against it, and that may run code of the workspace. */
export const ORDINARY: Verdict = { ...NOTHING, risk: "low", isHarmless: false };

/**
 * A program that changes things.
 *
 * @param reason What it does.
 * @param writes Files that its options write.
 */
export function medium(reason: string, writes: readonly string[] = []): Verdict {
  return { ...NOTHING, risk: "medium", isHarmless: false, reasons: [reason], writes };
}

/**
 * A program that can do anything, or destroys.
 *
 * @param reason What it does.
 */
export function high(reason: string): Verdict {
  return { ...NOTHING, risk: "high", isHarmless: false, reasons: [reason] };
}

/**
 * A program that is made to start another one, of which a list of programs knows nothing.
 *
 * @param reason What it does.
 */
export function starting(reason: string): Verdict {
  return { ...high(reason), startsOther: true };
}

/**
 * A verdict with arguments that are refused even where the program is listed.
 *
 * @param verdict The verdict.
 * @param refusals The arguments, as they are told to the person.
 */
export function refusing(verdict: Verdict, ...refusals: readonly string[]): Verdict {
  return { ...verdict, refusals: [...verdict.refusals, ...refusals] };
}

/**
 * The strictest of several verdicts, with all their reasons.
 *
 * @param verdicts At least one.
 */
export function strictest(...verdicts: readonly Verdict[]): Verdict {
  return {
    risk: verdicts.map((verdict) => verdict.risk).reduce(higherRisk),
    isHarmless: verdicts.every((verdict) => verdict.isHarmless),
    reasons: verdicts.flatMap((verdict) => verdict.reasons),
    refusals: verdicts.flatMap((verdict) => verdict.refusals),
    writes: verdicts.flatMap((verdict) => verdict.writes),
    variables: verdicts.flatMap((verdict) => verdict.variables),
    startsOther: verdicts.some((verdict) => verdict.startsOther),
  };
}

/**
 * A verdict for a dangerous option, where one is or may be among the arguments. A file that happens
 * to be named like the option is a lesser danger than an option that is written, so a pattern that
 * may match one is medium.
 *
 * @param args The arguments.
 * @param isOption Whether an argument is or may be the option.
 * @param verdict What the option means.
 */
export function whereOption(
  args: readonly Argument[],
  isOption: (arg: Argument) => boolean,
  verdict: Verdict,
): Verdict {
  const found = args.filter(isOption);
  if (found.length === 0) return HARMLESS;
  const isWritten = found.some((arg) => arg.pattern === null || arg.prefix !== "");
  return isWritten ? verdict : medium("a file name may be taken for an option");
}
