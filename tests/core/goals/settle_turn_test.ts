import assert from "node:assert/strict";
import type { Goal } from "../../../core/goals/goal.ts";
import { stateOf } from "../../../core/goals/goal_states.ts";
import {
  noticedIn,
  nudgesOf,
  settleTurn,
  type TurnFacts,
} from "../../../core/goals/settle_turn.ts";
import { aGoal } from "./_goal.ts";

const LIMITS = { repeatedReplyLimit: 3, noToolTurnsLimit: 3 };
const FACTS: TurnFacts = {
  runId: "r2",
  end: "answered",
  error: "",
  tokens: 10,
  activeMs: 100,
  toolCalls: 1,
  replyHash: "h",
};
const COUNTED = { lastRunId: "r2", turnsUsed: 1, tokensUsed: 10, activeMs: 100, replyHash: "h" };

interface Row {
  readonly name: string;
  readonly goal?: Partial<Goal>;
  readonly facts?: Partial<TurnFacts>;
  readonly then: Partial<Goal>;
}

const stopped = (...args: Parameters<typeof stateOf>) => ({ ...stateOf(...args), epoch: 2 });

const ROWS: readonly Row[] = [
  { name: "counts a turn", goal: { isInFlight: true }, then: { ...COUNTED, isInFlight: false } },
  {
    name: "counts no run twice",
    goal: { lastRunId: "r2", turnsUsed: 1 },
    then: { lastRunId: "r2", turnsUsed: 1 },
  },
  {
    name: "counts a turn of a goal that was paused meanwhile",
    goal: stateOf("user_paused"),
    then: { ...COUNTED, ...stateOf("user_paused") },
  },
  {
    name: "pauses what a person stopped",
    facts: { end: "stopped" },
    then: { ...COUNTED, replyHash: "", ...stopped("user_interrupt") },
  },
  {
    name: "blocks after a failure",
    facts: { end: "failed", error: "No key" },
    then: { ...COUNTED, replyHash: "", ...stopped("run_error", "No key") },
  },
  {
    name: "stops at the budget",
    goal: { tokenBudget: 10 },
    then: { ...COUNTED, tokenBudget: 10, ...stopped("token_budget") },
  },
  {
    name: "goes on below the budget",
    goal: { tokenBudget: 11 },
    then: { ...COUNTED, tokenBudget: 11 },
  },
  {
    name: "counts turns without a call",
    goal: { noToolStreak: 1 },
    facts: { toolCalls: 0 },
    then: { ...COUNTED, noToolStreak: 2 },
  },
  {
    name: "forgets them after a call",
    goal: { noToolStreak: 2 },
    then: { ...COUNTED, noToolStreak: 0 },
  },
  {
    name: "gives up without calls",
    goal: { noToolStreak: 2 },
    facts: { toolCalls: 0 },
    then: { ...COUNTED, noToolStreak: 3, ...stopped("no_progress", "no_tool_turns") },
  },
  {
    name: "counts repeats",
    goal: { replyHash: "h", repeatStreak: 1 },
    then: { ...COUNTED, repeatStreak: 2 },
  },
  {
    name: "gives up after repeats",
    goal: { replyHash: "h", repeatStreak: 2 },
    then: { ...COUNTED, repeatStreak: 3, ...stopped("no_progress", "repeated_reply") },
  },
  {
    name: "takes no empty reply for a repeat",
    facts: { replyHash: "" },
    then: { ...COUNTED, replyHash: "" },
  },
  {
    name: "pauses at the last turn",
    goal: { maxTurns: 1 },
    then: { ...COUNTED, maxTurns: 1, ...stopped("max_turns") },
  },
  {
    name: "pauses at the end of its time",
    goal: { maxWallMs: 100 },
    then: { ...COUNTED, maxWallMs: 100, ...stopped("max_wall") },
  },
  {
    name: "keeps a blocker of this turn",
    goal: { blockedStreak: 1, blockedRun: "r2" },
    then: { ...COUNTED, blockedStreak: 1, blockedRun: "r2" },
  },
  {
    name: "clears a blocker that is not repeated",
    goal: { blockedStreak: 1, blockedRun: "r1" },
    then: { ...COUNTED, blockedStreak: 0, blockedRun: "" },
  },
];

for (const { name, goal = {}, facts = {}, then } of ROWS) {
  Deno.test(`settleTurn() ${name}`, () => {
    assert.deepEqual(
      settleTurn(aGoal(goal), { ...FACTS, ...facts }, LIMITS),
      aGoal({ ...goal, ...then }),
    );
  });
}

Deno.test("noticedIn() and nudgesOf() tell the first and the second time apart", () => {
  const rows = [0, 1, 2].map((noToolStreak) => {
    const goal = aGoal({ noToolStreak });
    return [noticedIn(goal), nudgesOf(goal)];
  });
  assert.deepEqual(rows, [[[], []], [["no_tool_turns"], []], [[], ["no_tool_turns"]]]);
});
