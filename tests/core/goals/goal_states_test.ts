import assert from "node:assert/strict";
import type { Goal } from "../../../core/goals/goal.ts";
import {
  ACTIONS,
  changeGoal,
  type GoalAction,
  REASONS,
  stateOf,
} from "../../../core/goals/goal_states.ts";
import { aGoal } from "./_goal.ts";

interface Row {
  readonly name: string;
  readonly goal: Partial<Goal>;
  readonly action: GoalAction;
  /** What changes beside the epoch, or a part of why nothing does. */
  readonly then: Partial<Goal> | RegExp;
}

const PAUSE: GoalAction = { kind: "pause" };
const RESUME: GoalAction = { kind: "resume" };
const EDIT: GoalAction = { kind: "edit", objective: "Other" };
const budget = (tokens: number | null): GoalAction => ({ kind: "budget", tokens });
const EDITED = { ...stateOf("edited"), objective: "Other", isContractSent: false };

const ROWS: readonly Row[] = [
  { name: "pauses", goal: {}, action: PAUSE, then: stateOf("user_paused") },
  { name: "pauses once", goal: stateOf("user_paused"), action: PAUSE, then: /it is paused/ },
  { name: "resumes nothing active", goal: {}, action: RESUME, then: /it is active/ },
  { name: "resumes", goal: stateOf("restart"), action: RESUME, then: stateOf("resumed") },
  {
    name: "resumes with as many turns again",
    goal: { ...stateOf("max_turns"), turnsUsed: 50 },
    action: RESUME,
    then: { ...stateOf("resumed"), turnsUsed: 50, maxTurns: 100 },
  },
  {
    name: "resumes with as much time again",
    goal: { ...stateOf("max_wall"), activeMs: 7_300_000 },
    action: RESUME,
    then: { ...stateOf("resumed"), activeMs: 7_300_000, maxWallMs: 14_500_000 },
  },
  {
    name: "forgets streaks when it resumes",
    goal: { ...stateOf("no_progress", "no_tool_turns"), noToolStreak: 3, replyHash: "h" },
    action: RESUME,
    then: { ...stateOf("resumed"), noToolStreak: 0, replyHash: "" },
  },
  { name: "resumes nothing complete", goal: stateOf("model_complete"), action: RESUME, then: /it/ },
  {
    name: "resumes nothing without tokens",
    goal: { ...stateOf("user_paused"), tokenBudget: 10, tokensUsed: 12 },
    action: RESUME,
    then: /it used 12 of 10 tokens/,
  },
  {
    name: "edits what is complete",
    goal: { ...stateOf("model_complete"), isContractSent: true, completedAt: 7, summary: "x" },
    action: EDIT,
    then: { ...EDITED, completedAt: null, summary: "" },
  },
  {
    name: "edits what has no tokens left",
    goal: { ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
    action: EDIT,
    then: { ...EDITED, ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
  },
  {
    name: "arms again with more tokens",
    goal: { ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
    action: budget(11),
    then: { ...stateOf("resumed"), tokenBudget: 11, tokensUsed: 10 },
  },
  {
    name: "does not arm with as many",
    goal: { ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
    action: budget(10),
    then: { ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
  },
  {
    name: "arms again without a budget",
    goal: { ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
    action: budget(null),
    then: { ...stateOf("resumed"), tokenBudget: null, tokensUsed: 10 },
  },
  {
    name: "stops with fewer tokens than it used",
    goal: { tokensUsed: 10 },
    action: budget(10),
    then: { ...stateOf("token_budget"), tokenBudget: 10, tokensUsed: 10 },
  },
  {
    name: "stays paused with another budget",
    goal: stateOf("user_paused"),
    action: budget(5),
    then: { ...stateOf("user_paused"), tokenBudget: 5 },
  },
];

for (const { name, goal, action, then } of ROWS) {
  Deno.test(`changeGoal() ${name}`, () => {
    const change = changeGoal(aGoal(goal), action);
    if (then instanceof RegExp) {
      assert.match(change.kind === "refused" ? change.problem : "changed", then);
    } else {
      assert.deepEqual(change, { kind: "changed", goal: aGoal({ ...goal, ...then, epoch: 2 }) });
    }
  });
}

Deno.test("ACTIONS has actions for the state of each reason", () => {
  for (const { status } of Object.values(REASONS)) assert.ok(ACTIONS[status].includes("clear"));
});
