import type { Goal } from "./goal.ts";
import { stateOf, tokensLeft } from "./goal_states.ts";

/** How a run that was a turn of a goal ended. */
export interface TurnFacts {
  readonly runId: string;
  /**
   * `answered` for a run that came to its end, its turns or its time; `stopped` for one that a
   * person or a signal ended; `exhausted` for one that the budget ended.
   */
  readonly end: "answered" | "stopped" | "exhausted" | "failed";
  /** Why it failed; empty otherwise. */
  readonly error: string;
  /** Input and output, estimated where nothing was reported. */
  readonly tokens: number;
  readonly activeMs: number;
  readonly toolCalls: number;
  /** Stands for the last reply, whatever its spaces and capitals; empty where there is none. */
  readonly replyHash: string;
}

/** When a goal that makes no progress is given up. */
export interface BreakerLimits {
  readonly repeatedReplyLimit: number;
  readonly noToolTurnsLimit: number;
}

/** What shows that a goal makes no progress. */
export type Breaker = "repeated_reply" | "no_tool_turns";

/**
 * Counts a run, and decides whether its goal goes on. A run is counted once. Pure.
 *
 * @param goal The goal, as it is after the run.
 * @param facts How the run ended.
 * @param limits When it is given up.
 */
export function settleTurn(goal: Goal, facts: TurnFacts, limits: BreakerLimits): Goal {
  if (goal.lastRunId === facts.runId) return goal;
  const counted = count(goal, facts);
  if (goal.status !== "active") return counted;
  const stop = stopOf(counted, facts, limits);
  return stop === null ? counted : { ...counted, ...stop, epoch: goal.epoch + 1 };
}

/**
 * What a person is told because it happened for the first time. Pure.
 *
 * @param goal The goal, after a turn.
 */
export function noticedIn(goal: Goal): readonly Breaker[] {
  return goal.status === "active" ? breakersAt(goal, () => 1) : [];
}

/**
 * What a model is told because it makes no progress. Pure.
 *
 * @param goal The goal.
 */
export function nudgesOf(goal: Goal): readonly Breaker[] {
  return breakersAt(goal, () => 2, "at least");
}

function count(goal: Goal, facts: TurnFacts): Goal {
  const repeats = facts.replyHash !== "" && facts.replyHash === goal.replyHash;
  const isAnswered = facts.end === "answered";
  const hasRepeated = goal.blockedRun === facts.runId;
  return {
    ...goal,
    isInFlight: false,
    lastRunId: facts.runId,
    turnsUsed: goal.turnsUsed + 1,
    tokensUsed: goal.tokensUsed + facts.tokens,
    activeMs: goal.activeMs + facts.activeMs,
    ...(isAnswered
      ? {
        noToolStreak: facts.toolCalls === 0 ? goal.noToolStreak + 1 : 0,
        repeatStreak: repeats ? goal.repeatStreak + 1 : 0,
        replyHash: facts.replyHash,
      }
      : {}),
    ...(hasRepeated ? {} : { blockedStreak: 0, blockedRun: "" }),
  };
}

/** The first rule that stops it. */
function stopOf(goal: Goal, facts: TurnFacts, limits: BreakerLimits): Partial<Goal> | null {
  if (facts.end === "stopped") return stateOf("user_interrupt");
  if (facts.end === "exhausted" || tokensLeft(goal) === 0) return stateOf("token_budget");
  if (facts.end === "failed") return stateOf("run_error", facts.error);
  const [breaker] = breakersAt(goal, (name) => LIMIT_OF[name](limits), "at least");
  if (breaker !== undefined) return stateOf("no_progress", breaker);
  if (goal.turnsUsed >= goal.maxTurns) return stateOf("max_turns");
  return goal.activeMs >= goal.maxWallMs ? stateOf("max_wall") : null;
}

const STREAK_OF: Readonly<Record<Breaker, (goal: Goal) => number>> = {
  repeated_reply: (goal) => goal.repeatStreak,
  no_tool_turns: (goal) => goal.noToolStreak,
};

const LIMIT_OF: Readonly<Record<Breaker, (limits: BreakerLimits) => number>> = {
  repeated_reply: (limits) => limits.repeatedReplyLimit,
  no_tool_turns: (limits) => limits.noToolTurnsLimit,
};

const BREAKERS: readonly Breaker[] = ["repeated_reply", "no_tool_turns"];

function breakersAt(
  goal: Goal,
  limit: (breaker: Breaker) => number,
  how: "exactly" | "at least" = "exactly",
): readonly Breaker[] {
  return BREAKERS.filter((name) => {
    const streak = STREAK_OF[name](goal);
    return how === "exactly" ? streak === limit(name) : streak >= limit(name);
  });
}
