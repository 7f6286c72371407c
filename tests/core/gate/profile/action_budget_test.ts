import assert from "node:assert/strict";
import { ActionBudget } from "../../../../core/gate/profile/action_budget.ts";

const HOUR_MS = 3_600_000;

Deno.test("ActionBudget lets a second call run when the first was refused (R36)", () => {
  const { budget } = budgetOf(1);
  const first = budget.reserve();
  assert.equal(budget.left(), 0);
  assert.equal(budget.reserve(), null);
  first?.release();
  const second = budget.reserve();
  assert.ok(second !== null);
  second.commit();
  assert.equal(budget.left(), 0);
});

Deno.test("ActionBudget of 0 lets nothing run (R37)", () => {
  const { budget } = budgetOf(0);
  assert.deepEqual([budget.left(), budget.reserve()], [0, null]);
});

Deno.test("ActionBudget counts an hour back from now, and not by the clock hour", () => {
  const { budget, advance } = budgetOf(2);
  budget.reserve()?.commit();
  advance(HOUR_MS - 1000);
  budget.reserve()?.commit();
  assert.equal(budget.left(), 0);
  advance(999);
  assert.equal(budget.left(), 0);
  advance(1);
  assert.equal(budget.left(), 1);
  advance(HOUR_MS);
  assert.equal(budget.left(), 2);
});

Deno.test("ActionBudget counts from when a call ran, and keeps its place until then", () => {
  const { budget, advance } = budgetOf(1);
  const waiting = budget.reserve();
  advance(2 * HOUR_MS);
  assert.equal(budget.left(), 0);
  waiting?.commit();
  advance(HOUR_MS - 1);
  assert.equal(budget.left(), 0);
  advance(1);
  assert.equal(budget.left(), 1);
});

Deno.test("ActionBudget takes one end of a reservation and ignores the others", () => {
  const { budget } = budgetOf(2);
  const committed = budget.reserve();
  committed?.commit();
  committed?.commit();
  committed?.release();
  assert.equal(budget.left(), 1);
  const released = budget.reserve();
  released?.release();
  released?.commit();
  released?.release();
  assert.equal(budget.left(), 1);
});

function budgetOf(maxActionsPerHour: number) {
  let time = 0;
  return {
    budget: new ActionBudget({ maxActionsPerHour, now: () => time }),
    advance: (byMs: number) => {
      time += byMs;
    },
  };
}

Deno.test("ActionBudget counts what earlier runs did until it is an hour old", () => {
  let now = 5_000;
  const earlierMs = [HOUR_MS - 1000, 10, HOUR_MS + 1, -60_000];
  const budget = new ActionBudget({ maxActionsPerHour: 4, now: () => now, earlierMs });
  assert.equal(budget.left(), 1);
  now += 1000;
  assert.equal(budget.left(), 2);
  // The one that a clock put into the future counts from now.
  now += HOUR_MS - 1000 - 11;
  assert.equal(budget.left(), 2);
  now += 1000;
  assert.equal(budget.left(), 4);
  const spent = new ActionBudget({ maxActionsPerHour: 2, now: () => now, earlierMs: [1, 2, 3] });
  assert.deepEqual([spent.left(), spent.reserve()], [0, null]);
});
