import assert from "node:assert/strict";
import { stateOf } from "../../../core/goals/goal_states.ts";
import { takeReport } from "../../../core/goals/report_goal.ts";
import { aGoal } from "./_goal.ts";

const RULES = { runId: "r1", blockedRepeats: 2, at: 9_000 };
const SAID = { summary: "s", evidence: [{ kind: "log", detail: "d" }] } as const;

Deno.test("takeReport() completes a goal", () => {
  assert.deepEqual(takeReport(aGoal(), { status: "complete", ...SAID }, RULES), {
    outcome: "complete",
    goal: aGoal({ ...SAID, ...stateOf("model_complete"), completedAt: 9_000, epoch: 2 }),
  });
});

Deno.test("takeReport() blocks a goal when the next turn repeats the blocker", () => {
  const report = { status: "blocked", ...SAID } as const;
  const first = takeReport(aGoal(), report, RULES);
  const counted = { ...SAID, blockedStreak: 1, blockedRun: "r1" };
  assert.deepEqual(first, { outcome: "noted", goal: aGoal(counted) });
  assert.deepEqual(takeReport(first.goal, report, RULES), first, "one turn counts once");
  const later = { ...RULES, runId: "r2" };
  const stale = { outcome: "stale", goal: first.goal } as const;
  assert.deepEqual(takeReport(first.goal, report, later), stale, "evidence of the turn before");
  const same = { ...report, evidence: [{ kind: "log", detail: " D\n" }] } as const;
  assert.deepEqual(takeReport(first.goal, same, later), stale);
  const evidence = [...SAID.evidence, { kind: "log", detail: "again" }] as const;
  assert.deepEqual(takeReport(first.goal, { ...report, evidence }, later), {
    outcome: "blocked",
    goal: aGoal({
      summary: "s",
      evidence,
      ...stateOf("model_blocked"),
      blockedStreak: 2,
      blockedRun: "r2",
      epoch: 2,
    }),
  });
});

Deno.test("takeReport() blocks a goal at once where a permission was refused, as the record shows", () => {
  const claimed = [{ kind: "denied", detail: "shell", verified: false }] as const;
  const said = { status: "blocked", summary: "s", evidence: claimed } as const;
  assert.equal(takeReport(aGoal(), said, RULES).outcome, "noted");
  const evidence = [{ kind: "denied", detail: "shell", verified: true }] as const;
  assert.deepEqual(takeReport(aGoal(), { status: "blocked", summary: "s", evidence }, RULES), {
    outcome: "blocked",
    goal: aGoal({ summary: "s", evidence, ...stateOf("policy_denied"), epoch: 2 }),
  });
});
