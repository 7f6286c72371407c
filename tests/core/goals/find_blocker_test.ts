import assert from "node:assert/strict";
import { type BlockerFacts, findBlocker } from "../../../core/goals/find_blocker.ts";

const FREE: BlockerFacts = {
  isEnabled: true,
  status: "active",
  isBusy: false,
  hasDraft: false,
  asksPermission: false,
  asksPerson: false,
  agent: "build",
  hasLiveTasks: false,
};

/** Each beside the next, which counts for less. */
const ROWS: readonly (readonly [Partial<BlockerFacts>, ReturnType<typeof findBlocker>])[] = [
  [{}, null],
  [{ status: "paused", isBusy: true }, "not_active"],
  [{ isEnabled: false }, "not_active"],
  [{ isBusy: true, hasDraft: true }, "busy"],
  [{ hasDraft: true, asksPermission: true }, "draft"],
  [{ asksPermission: true, asksPerson: true }, "permission"],
  [{ asksPerson: true, agent: "plan" }, "question"],
  [{ agent: "plan", hasLiveTasks: true }, "plan_agent"],
  [{ hasLiveTasks: true }, "tasks"],
];

Deno.test("findBlocker() names the first thing that a goal waits for", () => {
  for (const [facts, blocker] of ROWS) {
    assert.equal(findBlocker({ ...FREE, ...facts }), blocker, JSON.stringify(facts));
  }
});
