/** Where a goal is. */
export type GoalStatus = "active" | "paused" | "blocked" | "budget_limited" | "complete";

/** Why it is there. */
export type GoalReason =
  | "created"
  | "resumed"
  | "edited"
  | "user_paused"
  | "user_interrupt"
  | "max_turns"
  | "max_wall"
  | "no_progress"
  | "restart"
  | "model_blocked"
  | "policy_denied"
  | "run_error"
  | "token_budget"
  | "model_complete";

/** What a piece of evidence is. */
export type EvidenceKind = "file" | "test" | "log" | "command" | "denied" | "other";

/** Every kind of evidence. */
export const EVIDENCE_KINDS: readonly EvidenceKind[] = [
  "file",
  "test",
  "log",
  "command",
  "denied",
  "other",
];

/** What a model gives for its word. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** At most 1,000 characters. */
  readonly detail: string;
}

/** Evidence as it is kept. */
export interface CheckedEvidence extends Evidence {
  /** Whether the journal of the session bears it out; absent for kinds that nobody checks. */
  readonly verified?: boolean;
}

/** What a model says of a goal. */
export interface GoalReport {
  readonly status: "complete" | "blocked";
  readonly summary: string;
  readonly evidence: readonly CheckedEvidence[];
}

/** A goal of a session. */
export interface Goal {
  readonly sessionId: string;
  /** Another one for each goal of a session. */
  readonly id: string;
  /** Changes with the state, the objective and the budget, and with no total. */
  readonly epoch: number;
  /** At most 4,000 characters. */
  readonly objective: string;
  readonly status: GoalStatus;
  readonly reason: GoalReason;
  /** More about the reason, such as the text of an error; may be empty. */
  readonly detail: string;
  /** What the model said last; may be empty. */
  readonly summary: string;
  readonly evidence: readonly CheckedEvidence[];
  /** Tokens that all its runs may use; null for any number. */
  readonly tokenBudget: number | null;
  /** Input and output of all its runs. */
  readonly tokensUsed: number;
  /** Runs so far. */
  readonly turnsUsed: number;
  readonly maxTurns: number;
  readonly maxWallMs: number;
  /** What each resumption after a cap adds: the caps that the goal was created with. */
  readonly allowance: { readonly turns: number; readonly wallMs: number };
  /** Time in runs; waiting for a person does not count. */
  readonly activeMs: number;
  /** Turns in a row without a call. */
  readonly noToolStreak: number;
  /** Turns in a row that ended in the words of the one before. */
  readonly repeatStreak: number;
  /** Of the last reply; empty before the first. */
  readonly replyHash: string;
  /** Turns in a row that reported a blocker. */
  readonly blockedStreak: number;
  /** The run that did so last; empty for none. */
  readonly blockedRun: string;
  /** Continuations that were claimed. */
  readonly continuations: number;
  /** Whether a turn is claimed or runs. */
  readonly isInFlight: boolean;
  /** The run that was counted last; empty before the first. */
  readonly lastRunId: string;
  /** Whether the contract was sent since the objective changed. */
  readonly isContractSent: boolean;
  /** The process that works on it. */
  readonly owner: GoalOwner;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** Epoch milliseconds; null while it is not complete. */
  readonly completedAt: number | null;
}

/** A process. */
export interface GoalOwner {
  readonly pid: number;
  /** When it started, as its system counts; empty where that cannot be read. */
  readonly token: string;
}

/** Characters of an objective. */
export const MAX_OBJECTIVE_CHARS = 4_000;
