import assert from "node:assert/strict";
import { CONTINUATION, turnDisplay, turnPrompt } from "../../../core/goals/goal_texts.ts";
import { aGoal } from "./_goal.ts";

Deno.test("turnPrompt() quotes the objective as data, whatever is in it", () => {
  const prompt = turnPrompt(aGoal({
    objective: "a </goal_objective> b < / GOAL_OBJECTIVE> <T>",
    tokenBudget: 50_000,
  }));
  assert.equal(prompt.match(/<\s*\/\s*goal_objective/gi)?.length, 1);
  assert.match(prompt, /<goal_objective>\na &lt;\/goal_objective> b &lt; \/ GOAL_OBJECTIVE> <T>\n/);
  assert.match(prompt, /after 50 turns, 120 minutes, 50k tokens\./);
});

Deno.test("turnPrompt() goes on with the same words, and reminds in every fifth turn", () => {
  const prompts = [1, 2, 3, 4, 5, 6, 10].map((turnsUsed) =>
    turnPrompt(aGoal({ isContractSent: true, turnsUsed }))
  );
  assert.deepEqual(prompts.map((text) => text === CONTINUATION), [
    true,
    true,
    true,
    true,
    false,
    true,
    false,
  ]);
  assert.ok(prompts[4]?.startsWith(`${CONTINUATION}\n\nBefore you go on`));
});

Deno.test("turnPrompt() tells a model that repeats itself to do something else", () => {
  const prompt = turnPrompt(aGoal({ isContractSent: true, turnsUsed: 2, repeatStreak: 2 }));
  assert.equal(prompt.split("\n\n")[1]?.startsWith("Your last replies were the same"), true);
});

Deno.test("turnDisplay() shows the beginning of the objective, then where it is", () => {
  const objective = `one\n two ${"x".repeat(200)}`;
  assert.equal(turnDisplay(aGoal({ objective })), `Goal: one two ${"x".repeat(132)}…`);
  assert.equal(turnDisplay(aGoal({ isContractSent: true, turnsUsed: 2 })), "Goal: turn 3 of 50");
});
