import assert from "node:assert/strict";
import { stateOf } from "../../../core/goals/goal_states.ts";
import { goalBar } from "../../../tui/goals/goal_bar.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import { aGoal } from "../../core/goals/_goal.ts";

const THEME = createTheme({ depth: "none", unicode: true, background: "dark" });
const USED = { tokensUsed: 12_300, tokenBudget: 200_000, turnsUsed: 3, activeMs: 250_000 };

function shown(...args: Parameters<typeof goalBar>): readonly string[] {
  // deno-lint-ignore no-control-regex -- colours, which a cut line ends with
  return goalBar(...args).map((row) => row.replaceAll(/\x1b\[[0-9;]*m/g, "").trimEnd());
}

Deno.test("goalBar() tells where a goal is and what can be done, in two rows", () => {
  const active = { goal: aGoal(USED), blocker: null };
  assert.deepEqual(shown(active, THEME, 100), [
    "Active · Make it work",
    "12.3k/200k tokens · turn 3/50 · 4m 10s · /goal pause · /goal edit · /goal clear",
  ]);
  assert.deepEqual(shown(active, THEME, 40), [
    "Active · Make it work",
    "12.3k/200k tokens · turn 3/50 · 4m 10s",
  ]);
  const waiting = { goal: aGoal(USED), blocker: "question" } as const;
  assert.equal(
    shown(waiting, THEME, 60)[1],
    "12.3k/200k tokens · turn 3/50 · Waiting for your answer",
  );
  const stopped = {
    goal: aGoal({ ...USED, ...stateOf("no_progress", "no_tool_turns"), objective: "a\x1b[2Jb" }),
    blocker: "not_active",
  } as const;
  assert.deepEqual(shown(stopped, THEME, 60), [
    "Paused · a\\x1b[2Jb",
    "turn 3/50 · it makes no progress (no_tool_turns)",
  ]);
});
