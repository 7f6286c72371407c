import assert from "node:assert/strict";
import type { GoalSettings } from "../../../core/config/configuration.ts";
import { SessionGoals } from "../../../core/goals/session_goals.ts";
import { assertFails, newSession, withStore } from "../session/_support.ts";

const SETTINGS: GoalSettings = {
  enabled: true,
  maxTurns: 2,
  maxMinutes: 1,
  repeatedReplyLimit: 3,
  noToolTurnsLimit: 3,
  blockedRepeats: 2,
};

async function withGoals(
  fn: (
    goals: SessionGoals,
    state: { settings: GoalSettings; agent: string; owner: (pid: number, token: string) => void },
  ) => Promise<void> | void,
): Promise<void> {
  await withStore(async (store) => {
    newSession(store);
    const state = {
      settings: SETTINGS,
      agent: "build",
      owner: (pid: number, token: string) => store.recordOwner("s1", { pid, token }),
    };
    state.owner(7, "t1");
    await fn(
      new SessionGoals({
        store,
        settings: () => state.settings,
        agent: () => state.agent,
        redact: (text) => text.replaceAll("secret", "[redacted]"),
      }),
      state,
    );
  });
}

const WANTED = { objective: " Keep the secret ", tokenBudget: 100 };

Deno.test("SessionGoals sets a goal, without secrets, and reads it again", async () => {
  await withGoals((goals) => {
    const goal = goals.create("s1", WANTED);
    assert.equal(goal.objective, "Keep the [redacted]");
    assert.deepEqual(goals.find("s1"), goal);
    assert.notEqual(goals.create("s1", WANTED).id, goal.id);
  });
});

Deno.test("SessionGoals refuses what somebody wants of a goal that has changed", async () => {
  await withGoals((goals) => {
    const { id: goalId, epoch } = goals.create("s1", WANTED);
    const paused = goals.act("s1", { goalId, epoch }, { kind: "pause" });
    assert.equal(paused.epoch, epoch + 1);
    assertFails("usage", () => goals.act("s1", { goalId, epoch }, { kind: "resume" }));
    assertFails("usage", () => goals.clear("s1", { goalId, epoch }));
    goals.clear("s1", { goalId, epoch: paused.epoch });
    assert.equal(goals.find("s1"), undefined);
  });
});

Deno.test("SessionGoals.claim() gives each turn to one, and none to who may not work", async () => {
  await withGoals((goals, state) => {
    const { id } = goals.create("s1", WANTED);
    state.agent = "plan";
    assert.equal(goals.claim("s1"), null);
    state.agent = "build";
    const turn = goals.claim("s1");
    assert.equal(turn?.requestId, `goal-${id}-1`);
    assert.match(turn?.prompt ?? "", /<goal_objective>\nKeep the \[redacted\]\n/);
    assert.equal(goals.claim("s1"), null);
    goals.release("s1");
    assert.equal(goals.claim("s1")?.requestId, `goal-${id}-2`);
    state.settings = { ...SETTINGS, enabled: false };
    goals.release("s1");
    assert.equal(goals.claim("s1"), null);
    assertFails("usage", () => goals.create("s1", WANTED));
  });
});

Deno.test("SessionGoals.runTurn() runs no claimed turn of a goal that was paused", async () => {
  await withGoals(async (goals) => {
    const { id: goalId, epoch } = goals.create("s1", WANTED);
    const requestId = goals.claim("s1")?.requestId ?? "";
    goals.act("s1", { goalId, epoch }, { kind: "pause" });
    const options = {
      prompt: { signal: new AbortController().signal, observers: [], requestId },
      limits: { maxTokens: 1_000, timeoutMs: 1_000 },
      contextTokens: () => 0,
      activeMs: () => 0,
    };
    await assert.rejects(
      goals.runTurn("s1", options, () => assert.fail("it was run")),
      /Cannot go on with the goal/,
    );
    assert.equal(goals.find("s1")?.isInFlight, false);
  });
});

Deno.test("SessionGoals.recover() pauses what another process worked on", async () => {
  await withGoals((goals, state) => {
    goals.create("s1", WANTED);
    goals.claim("s1");
    assert.equal(goals.recover("s1"), undefined, "it is the same process");
    // The system gave the id of the process out again.
    state.owner(7, "t2");
    const { status, reason, isInFlight } = goals.recover("s1") ?? {};
    assert.deepEqual({ status, reason, isInFlight }, {
      status: "paused",
      reason: "restart",
      isInFlight: false,
    });
    assert.equal(goals.recover("s1"), undefined);
  });
});
