import type { Goal, GoalReason, GoalStatus } from "./goal.ts";
import { formatTokenBudget } from "./parse_budget.ts";

/** What a person does with a goal. */
export type GoalAction =
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "edit"; readonly objective: string }
  | { readonly kind: "budget"; readonly tokens: number | null };

/** What becomes of a goal, or why nothing does. */
export type GoalChange =
  | { readonly kind: "changed"; readonly goal: Goal }
  | { readonly kind: "refused"; readonly problem: string };

/** What a person calls the states. */
export const STATUS_NAMES: Readonly<Record<GoalStatus, string>> = {
  active: "Active",
  paused: "Paused",
  blocked: "Blocked",
  budget_limited: "Budget reached",
  complete: "Complete",
};

/** Every reason, with the state that it belongs to and what it says to a person. */
export const REASONS: Readonly<
  Record<GoalReason, { readonly status: GoalStatus; readonly text: string }>
> = {
  created: { status: "active", text: "just begun" },
  resumed: { status: "active", text: "resumed" },
  edited: { status: "active", text: "changed" },
  user_paused: { status: "paused", text: "you paused it" },
  user_interrupt: { status: "paused", text: "you stopped it" },
  max_turns: { status: "paused", text: "it used all its turns" },
  max_wall: { status: "paused", text: "it used all its time" },
  no_progress: { status: "paused", text: "it makes no progress" },
  restart: { status: "paused", text: "the program that worked on it ended" },
  model_blocked: { status: "blocked", text: "the model cannot go on" },
  policy_denied: { status: "blocked", text: "permission is refused" },
  run_error: { status: "blocked", text: "a run failed" },
  token_budget: { status: "budget_limited", text: "it used all its tokens" },
  model_complete: { status: "complete", text: "the model finished it" },
};

/** What a person can do in each state, the likeliest first. */
export const ACTIONS: Readonly<
  Record<GoalStatus, readonly ("pause" | "resume" | "edit" | "budget" | "clear")[]>
> = {
  active: ["pause", "edit", "budget", "clear"],
  paused: ["resume", "edit", "budget", "clear"],
  blocked: ["resume", "edit", "budget", "clear"],
  budget_limited: ["budget", "edit", "clear"],
  complete: ["edit", "budget", "clear"],
};

/**
 * Does to a goal what a person wants. Pure.
 *
 * @param goal The goal.
 * @param action What they want.
 */
export function changeGoal(goal: Goal, action: GoalAction): GoalChange {
  if (!ACTIONS[goal.status].includes(action.kind)) {
    const problem = `it is ${STATUS_NAMES[goal.status].toLowerCase()}; what can be done is ` +
      ACTIONS[goal.status].join(", ");
    return { kind: "refused", problem };
  }
  switch (action.kind) {
    case "pause":
      return changed(goal, { ...stateOf("user_paused") });
    case "resume":
      return isOverBudget(goal)
        ? refusedForBudget(goal)
        : changed(goal, { ...withAllowance(goal), ...CLEAN, ...stateOf("resumed") });
    case "edit":
      return changed(goal, {
        ...withAllowance(goal),
        ...CLEAN,
        ...(isOverBudget(goal) ? stateOf("token_budget") : stateOf("edited")),
        objective: action.objective,
        isContractSent: false,
        summary: "",
        evidence: [],
        completedAt: null,
      });
    case "budget":
      return changed(goal, withBudget(goal, action.tokens));
    default:
      return action satisfies never;
  }
}

/**
 * The state that a reason belongs to.
 *
 * @param reason The reason.
 * @param detail More about it.
 */
export function stateOf(
  reason: GoalReason,
  detail = "",
): Pick<Goal, "status" | "reason" | "detail"> {
  return { status: REASONS[reason].status, reason, detail };
}

/**
 * A goal whose last turns were put aside: it waits for the person, and its contract is sent again. What
 * was used stays used. Pure.
 *
 * @param goal The goal.
 */
export function rewoundGoal(goal: Goal): Goal {
  return {
    ...goal,
    ...CLEAN,
    ...(isOverBudget(goal)
      ? stateOf("token_budget")
      : stateOf("user_paused", "the conversation was put back")),
    isContractSent: false,
    isInFlight: false,
    summary: "",
    evidence: [],
    completedAt: null,
    epoch: goal.epoch + 1,
  };
}

/**
 * Tokens that a goal may yet use; null for any number.
 *
 * @param goal The goal.
 */
export function tokensLeft({ tokenBudget, tokensUsed }: Goal): number | null {
  return tokenBudget === null ? null : Math.max(0, tokenBudget - tokensUsed);
}

/** Whatever was counted towards giving up begins anew. */
const CLEAN: Partial<Goal> = {
  noToolStreak: 0,
  repeatStreak: 0,
  replyHash: "",
  blockedStreak: 0,
  blockedRun: "",
};

function changed(goal: Goal, changes: Partial<Goal>): GoalChange {
  return { kind: "changed", goal: { ...goal, ...changes, epoch: goal.epoch + 1 } };
}

function isOverBudget(goal: Goal): boolean {
  return tokensLeft(goal) === 0;
}

function refusedForBudget({ tokenBudget, tokensUsed }: Goal): GoalChange {
  return {
    kind: "refused",
    problem: `it used ${formatTokenBudget(tokensUsed)} of ` +
      `${formatTokenBudget(tokenBudget ?? 0)} tokens; raise or clear the budget first`,
  };
}

/** Whoever goes on after a cap wants as much again. */
function withAllowance(goal: Goal): Partial<Goal> {
  const { turns, wallMs } = goal.allowance;
  return {
    ...(goal.turnsUsed >= goal.maxTurns ? { maxTurns: goal.turnsUsed + turns } : {}),
    ...(goal.activeMs >= goal.maxWallMs ? { maxWallMs: goal.activeMs + wallMs } : {}),
  };
}

function withBudget(goal: Goal, tokenBudget: number | null): Partial<Goal> {
  const isUsed = tokenBudget !== null && goal.tokensUsed >= tokenBudget;
  if (goal.status === "budget_limited" && !isUsed) {
    return { tokenBudget, ...CLEAN, ...stateOf("resumed") };
  }
  return { tokenBudget, ...(goal.status === "active" && isUsed ? stateOf("token_budget") : {}) };
}
