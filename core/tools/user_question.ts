import type { ProposedPlan } from "../plan/plan_review.ts";

/** One answer that a person can pick. */
export interface QuestionOption {
  /** What is picked; unique in its question. */
  readonly label: string;
  /** What picking it means. */
  readonly description?: string;
  /** Whether the model suggests it; at most one of a question. */
  readonly recommended?: boolean;
  /** What it is known by, whatever the language of its label. */
  readonly value?: string;
  /** Whether picking it is answered with words of the person's own. */
  readonly takesText?: boolean;
}

/** A question to the person. */
export interface Question {
  /** What it is known by, where it is none of a model. */
  readonly id?: string;
  /** A few words, for a heading. */
  readonly header: string;
  /** The question itself. */
  readonly question: string;
  /** Whether several options may be picked. */
  readonly multiSelect: boolean;
  /** Two to four. */
  readonly options: readonly QuestionOption[];
}

/** What the person answered to one question. */
export interface QuestionAnswer {
  /** The heading of the question. */
  readonly header: string;
  /** Whether the person passed over the question. */
  readonly skipped: boolean;
  /** Labels of what was picked, or words of the person's own. */
  readonly selected: readonly string[];
}

/**
 * Puts questions of the model, of a plugin or of an MCP server to the person. Only where the model
 * asks, words of the person's own answer questions without an option that takes text.
 *
 * Contract: one answer for each question, in their order. Rejects with the signal's reason when it
 * aborts.
 */
export type QuestionAsker = (
  questions: readonly Question[],
  call: {
    readonly callId: string;
    readonly session?: string;
    /** Agents from the main one down to the one that asks; absent for the main agent. */
    readonly agentPath?: readonly string[];
    /** The plugin that asks, where it is not the model. */
    readonly plugin?: string;
    /** The MCP server that asks, where it is not the model. Its texts are anyone's. */
    readonly server?: string;
    /** The plan that is asked about, to be shown whole before the question. */
    readonly plan?: ProposedPlan;
    readonly signal: AbortSignal;
  },
) => Promise<readonly QuestionAnswer[]>;
