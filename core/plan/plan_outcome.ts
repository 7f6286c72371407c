import type { DroppedDiagram } from "./plan_diagram.ts";

/** A plan as a model proposes it. */
export interface PlanInput {
  /** Markdown. */
  readonly plan: string;
  readonly title?: string;
  /** Whatever stood in that field. */
  readonly diagrams?: unknown;
}

/** What became of a proposal. */
export type PlanDecision = "approved" | "skipped" | "feedback" | "unavailable";

/** What a model is told of its proposal. */
export interface PlanOutcome {
  readonly decision: PlanDecision;
  /** What to do now. */
  readonly message: string;
  readonly planId: string;
  readonly revision: number;
  /** Absent where no file could be written. */
  readonly artifactId?: string;
  /** Words of the person. */
  readonly feedback?: string;
  readonly diagrams?: {
    /** Ids. */
    readonly accepted: readonly string[];
    readonly dropped: readonly DroppedDiagram[];
    /** Ids. */
    readonly removed: readonly string[];
  };
  /** What went wrong beside it. */
  readonly note?: string;
}

/** What a model is to do after each decision. */
export const PLAN_MESSAGES: Readonly<Record<PlanDecision, string>> = {
  approved:
    "The person agreed. The agent build implements exactly this plan after you: answer in " +
    "one sentence, then stop.",
  skipped: "The person did not decide. Stay in plan mode, and do not call exit_plan again unless " +
    "they ask for it.",
  feedback: "The person adds what stands in feedback. Revise the plan and call exit_plan again; " +
    "send every valid diagram again, and mend those that were dropped.",
  unavailable: "Nobody can review a plan here: give the full plan as your final reply.",
};
