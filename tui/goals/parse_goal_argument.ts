import { BUDGET_FORMS, parseTokenBudget } from "../../core/goals/parse_budget.ts";

/** What follows `/goal`. */
export type GoalArgument =
  | { readonly kind: "menu" }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "clear" }
  | { readonly kind: "help" }
  | { readonly kind: "edit"; readonly objective: string }
  | { readonly kind: "budget"; readonly tokens: number | null }
  /** `tokens` is undefined where no budget was written. */
  | { readonly kind: "set"; readonly objective: string; readonly tokens: number | null | undefined }
  | { readonly kind: "wrong"; readonly problem: string };

const WORDS = ["pause", "resume", "clear", "help"] as const;
const BUDGET_REGEXP = /(?:^|\s)budget=(\S*)/g;

/**
 * Reads what follows `/goal`. Pure.
 *
 * @param argument Without spaces around.
 */
export function parseGoalArgument(argument: string): GoalArgument {
  if (argument === "") return { kind: "menu" };
  const word = WORDS.find((each) => each === argument);
  if (word !== undefined) return { kind: word };
  const [, edited] = /^edit(?:\s+([\s\S]*))?$/.exec(argument) ?? [undefined, null];
  if (edited !== null) return { kind: "edit", objective: edited ?? "" };
  const budgets = [...argument.matchAll(BUDGET_REGEXP)].map(([, text = ""]) => text);
  if (budgets.length > 1) return { kind: "wrong", problem: 'write "budget=" once only' };
  const [budget] = budgets;
  const tokens = budget === undefined ? undefined : parseTokenBudget(budget);
  if (budget !== undefined && tokens === undefined) {
    return { kind: "wrong", problem: `the budget is no number of tokens: write ${BUDGET_FORMS}` };
  }
  const objective = argument.replace(BUDGET_REGEXP, "").trim();
  if (objective === "" && tokens !== undefined) return { kind: "budget", tokens };
  return { kind: "set", objective, tokens };
}
