import type { Evidence, Goal, GoalReport } from "./goal.ts";
import { stateOf } from "./goal_states.ts";

/** What becomes of a report, and what the model is told. */
export interface TakenReport {
  readonly goal: Goal;
  /**
   * `noted` for a blocker that has to be reported again before it counts; `stale` for one whose
   * evidence is that of the turn before, which changes nothing.
   */
  readonly outcome: "complete" | "blocked" | "noted" | "stale";
}

/**
 * Takes what a model says of an active goal. Pure.
 *
 * @param goal The goal.
 * @param report What it says, with evidence.
 * @param rules The run that it says it in, in how many turns in a row a blocker must be reported,
 * and the time in epoch milliseconds.
 */
export function takeReport(
  goal: Goal,
  { status, summary, evidence }: GoalReport,
  rules: { readonly runId: string; readonly blockedRepeats: number; readonly at: number },
): TakenReport {
  const said = { ...goal, summary, evidence };
  if (status === "complete") {
    return {
      outcome: "complete",
      goal: moved(said, { ...stateOf("model_complete"), completedAt: rules.at }),
    };
  }
  if (evidence.some(({ kind, verified }) => kind === "denied" && verified === true)) {
    return { outcome: "blocked", goal: moved(said, stateOf("policy_denied")) };
  }
  const isRepeat = goal.blockedStreak > 0 && goal.blockedRun !== rules.runId;
  if (isRepeat && !hasFresh(evidence, goal.evidence)) return { outcome: "stale", goal };
  // A second report in one turn is no second turn.
  const streak = goal.blockedRun === rules.runId ? goal.blockedStreak : goal.blockedStreak + 1;
  const counted = { ...said, blockedStreak: streak, blockedRun: rules.runId };
  return streak >= rules.blockedRepeats
    ? { outcome: "blocked", goal: moved(counted, stateOf("model_blocked")) }
    : { outcome: "noted", goal: counted };
}

/** Whether any of it is more than what was said before. */
function hasFresh(evidence: readonly Evidence[], before: readonly Evidence[]): boolean {
  const known = new Set(before.map(wordsOf));
  return evidence.some((piece) => !known.has(wordsOf(piece)));
}

function wordsOf({ kind, detail }: Evidence): string {
  return `${kind} ${detail.toLowerCase().replace(/\s+/g, " ").trim()}`;
}

function moved(goal: Goal, changes: Partial<Goal>): Goal {
  return { ...goal, ...changes, epoch: goal.epoch + 1 };
}
