import type { Blocker } from "../../core/goals/find_blocker.ts";
import { BLOCKER_TEXTS } from "../../core/goals/find_blocker.ts";
import type { Goal, GoalStatus } from "../../core/goals/goal.ts";
import { ACTIONS, REASONS, STATUS_NAMES } from "../../core/goals/goal_states.ts";
import { shownObjective } from "../../core/goals/goal_texts.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { fitParts } from "../screen/fit_parts.ts";
import { formatElapsed, formatTokens } from "../screen/format_count.ts";
import type { Role, Theme } from "../theme/theme.ts";

const ROLES: Readonly<Record<GoalStatus, Role>> = {
  active: "accent",
  paused: "warning",
  blocked: "error",
  budget_limited: "warning",
  complete: "success",
};

/**
 * The two rows above the editor that tell of a goal.
 *
 * @param goal The goal, and what it waits for.
 * @param theme The colours.
 * @param columns Columns.
 */
export function goalBar(
  { goal, blocker }: { readonly goal: Goal; readonly blocker: Blocker | null },
  theme: Theme,
  columns: number,
): readonly string[] {
  const dim = (text: string): string => theme.paint("dim", text);
  const separator = dim(` ${theme.glyph("separator")} `);
  const { status, tokensUsed, tokenBudget, turnsUsed, maxTurns, activeMs } = goal;
  const budget = tokenBudget === null ? "" : `/${formatTokens(tokenBudget)}`;
  return [
    fitParts(
      [
        { text: theme.paint(ROLES[status], STATUS_NAMES[status]), priority: 2 },
        { text: visibleName(shownObjective(goal)), priority: 3 },
      ],
      separator,
      columns,
    ),
    fitParts(
      [
        { text: dim(`${formatTokens(tokensUsed)}${budget} tokens`), priority: 4 },
        { text: dim(`turn ${turnsUsed}/${maxTurns}`), priority: 6 },
        { text: dim(formatElapsed(activeMs)), priority: 3 },
        { text: theme.paint("warning", whyItWaits(goal, blocker)), priority: 7 },
        ...ACTIONS[status].filter((action) => action !== "budget").map((action, index) => ({
          text: dim(`/goal ${action}`),
          priority: 2 - index,
        })),
      ].filter(({ text }) => text !== ""),
      separator,
      columns,
    ),
  ];
}

/**
 * Why a goal does not go on, in a few words; empty where it does.
 *
 * @param goal The goal.
 * @param blocker What it waits for.
 */
export function whyItWaits({ status, reason, detail }: Goal, blocker: Blocker | null): string {
  if (status === "active") return blocker === null ? "" : BLOCKER_TEXTS[blocker];
  if (status === "complete") return "";
  return REASONS[reason].text + (detail === "" ? "" : ` (${visibleName(detail.slice(0, 80))})`);
}
