import type { Question, QuestionAnswer } from "../tools/user_question.ts";
import type { DiagramRevision } from "./plan_document.ts";
import type { HashedDiagram } from "./plan_hash.ts";

/** A revision of a plan that waits for the person. */
export interface ProposedPlan {
  /** What it is called. */
  readonly title: string;
  /** From 1. */
  readonly revision: number;
  /** All of its text. */
  readonly markdown: string;
  /** What it shows beside the text. */
  readonly diagrams: readonly DiagramRevision[];
  /** Diagrams of the revision before that this one does not have. */
  readonly removed: readonly Pick<HashedDiagram, "id" | "title">[];
  /** Absolute path of the folder of its files; absent where they could not be written. */
  readonly folder?: string;
}

/** What a person decided about a plan. */
export type PlanVerdict =
  | { readonly decision: "approve" | "skip" }
  | { readonly decision: "context"; readonly feedback: string };

/** Longest text that a person adds. */
export const MAX_FEEDBACK_CHARS = 20_000;

/** Agreeing, as an option of the question. */
export const APPROVE = { value: "approve", label: "Agree and start implementation" } as const;
/** Leaving the plan, as an option of the question. */
export const SKIP = { value: "skip", label: "Skip for now" } as const;
/** Adding words, as an option of the question. */
export const ADD_CONTEXT = { value: "context", label: "Add context", takesText: true } as const;

/** What a person is asked about a plan. */
export const PLAN_QUESTION: Question = {
  id: "plan",
  header: "Plan",
  question: "Plan complete. What would you like to do?",
  multiSelect: false,
  options: [APPROVE, SKIP, ADD_CONTEXT],
};

/**
 * What an answer decides. Pure. Agreeing is picking that option and nothing else; words of the
 * person's own are context, and no words are no decision.
 *
 * @param answers What was answered to {@linkcode PLAN_QUESTION}.
 */
export function readVerdict(answers: readonly QuestionAnswer[]): PlanVerdict {
  const [answer] = answers;
  const picked = (answer?.selected ?? []).map((each) => each.trim()).filter((each) => each !== "");
  if (answer === undefined || answer.skipped) return { decision: "skip" };
  const words = picked.filter((each) => !isOption(each, ADD_CONTEXT));
  const [only, ...others] = words;
  if (only === undefined) return { decision: "skip" };
  if (others.length === 0 && picked.length === 1) {
    if (isOption(only, APPROVE)) return { decision: "approve" };
    if (isOption(only, SKIP)) return { decision: "skip" };
  }
  return { decision: "context", feedback: words.join("\n").slice(0, MAX_FEEDBACK_CHARS) };
}

function isOption(
  text: string,
  { value, label }: typeof APPROVE | typeof SKIP | typeof ADD_CONTEXT,
) {
  return text === value || text === label;
}
