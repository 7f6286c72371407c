import type { Goal } from "../../../core/goals/goal.ts";

/** A goal that was just set, with what a test changes of it. */
export function aGoal(changes: Partial<Goal> = {}): Goal {
  return {
    sessionId: "s1",
    id: "g1",
    epoch: 1,
    objective: "Make it work",
    status: "active",
    reason: "created",
    detail: "",
    summary: "",
    evidence: [],
    tokenBudget: null,
    tokensUsed: 0,
    turnsUsed: 0,
    maxTurns: 50,
    maxWallMs: 7_200_000,
    allowance: { turns: 50, wallMs: 7_200_000 },
    activeMs: 0,
    noToolStreak: 0,
    repeatStreak: 0,
    replyHash: "",
    blockedStreak: 0,
    blockedRun: "",
    continuations: 0,
    isInFlight: false,
    lastRunId: "",
    isContractSent: false,
    owner: { pid: 1, token: "t" },
    createdAt: 1_000,
    updatedAt: 1_000,
    completedAt: null,
    ...changes,
  };
}
