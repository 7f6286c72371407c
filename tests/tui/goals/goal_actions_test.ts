import assert from "node:assert/strict";
import { KEYS } from "../../support/fake_stage.ts";
import { PlayedProvider, says } from "../../support/run_harness.ts";
import { withCommands } from "../commands/_command_scene.ts";

Deno.test("/goal sets, changes and clears the goal of a session", async () => {
  await withCommands({ provider: new PlayedProvider([says("Done")]) }, async ({ stage, type }) => {
    const goals = await stage.application.goals();
    const current = () => goals.find(stage.opened?.id ?? "");
    await type("/goal resume");
    await type(`/goal ${"x".repeat(4_001)}`);
    await type("/goal Make it work budget=lots");
    await type("/goal Make it work budget=50k");
    assert.deepEqual([current()?.objective, current()?.tokenBudget], ["Make it work", 50_000]);
    await type("/goal pause");
    await type("/goal pause");
    await type("/goal budget=clear");
    await type("/goal edit");
    assert.equal(stage.text, "/goal edit Make it work");
    await type("/goal edit Make it fly");
    assert.deepEqual([current()?.status, current()?.reason], ["active", "edited"]);
    const replacing = type("/goal Another one");
    assert.match(await stage.screen(60), /Replace the goal\?[^]*Make it fly/);
    await stage.press(KEYS.escape);
    await replacing;
    assert.equal(current()?.objective, "Make it fly");
    const choosing = type("/goal");
    assert.match(await stage.screen(60), /Goal: Active: changed[^]*pause[^]*edit[^]*budget/);
    await stage.press(KEYS.enter);
    await choosing;
    assert.equal(current()?.reason, "user_paused");
    await type("/goal clear");
    assert.equal(current(), undefined);
    assert.deepEqual(stage.log.filter((line) => line !== "goal changed"), [
      "info: There is no goal; /goal <objective> sets one",
      "error: Cannot set the goal: the objective has 4001 characters, the limit is 4000; put the " +
      "rest into a file and name that",
      "warning: Cannot read that: the budget is no number of tokens: write 50k, 1.5M or 250000, " +
      "or clear for none",
      "success: The goal is paused; the turn at hand goes on to its end",
      "error: Cannot pause the goal: it is paused; what can be done is resume, edit, budget, clear",
      "success: The goal has no token budget",
      "success: The goal is another one: Make it fly",
      "info: The goal stays as it is",
      "success: The goal is paused; the turn at hand goes on to its end",
      "success: The goal is forgotten",
    ]);
  });
});
