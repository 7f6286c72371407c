import type { ToolResult } from "@alisio/sdk";
import type { Evidence, Goal } from "../core/goals/goal.ts";
import type { GoalPort } from "../core/goals/goal_port.ts";
import { tokensLeft } from "../core/goals/goal_states.ts";
import type { TakenReport } from "../core/goals/report_goal.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import { GET_GOAL, UPDATE_GOAL } from "./tool_definitions.ts";

const NO_GOAL = "This session has no active goal";

const OUTCOMES: Readonly<Record<TakenReport["outcome"], string>> = {
  complete: "The goal is complete. Tell the person in a few words what was done.",
  blocked: "The goal is blocked until the person changes something. Tell them what you need.",
  noted: "Noted. If it still blocks you in the next turn, report it again with fresh evidence; " +
    "until then, do what can be done without it.",
  stale: "Not counted: this is the evidence of the last turn. Try once more what is blocked, and " +
    "report what you see now; or do what can be done without it.",
};

/**
 * Creates `get_goal`: the goal of the session, and what is left of it.
 *
 * @param goals The goals.
 */
export function createGetGoalTool(goals: GoalPort): HostTool {
  return {
    ...GET_GOAL,
    async execute(_input, { session = "" }) {
      if (!goals.isActive(session)) return jsonResult({ error: NO_GOAL }, true);
      const goal = (await goals.open()).find(session);
      return goal === undefined ? jsonResult({ error: NO_GOAL }, true) : jsonResult(shown(goal));
    },
  };
}

/**
 * Creates `update_goal`: reports that the goal of the session is complete or blocked.
 *
 * @param goals The goals.
 */
export function createUpdateGoalTool(goals: GoalPort): HostTool {
  return { ...UPDATE_GOAL, execute: (input, context) => updateGoal(goals, input, context) };
}

async function updateGoal(
  goals: GoalPort,
  input: Record<string, unknown>,
  { session = "", callId }: HostToolContext,
): Promise<ToolResult> {
  // The shape was checked against the schema before the call was let through.
  const { status, summary, evidence = [] } = input as {
    readonly status: "complete" | "blocked";
    readonly summary: string;
    readonly evidence?: readonly Evidence[];
  };
  if (!goals.isActive(session)) return jsonResult({ error: NO_GOAL }, true);
  if (evidence.length === 0) {
    const error =
      `Cannot report "${status}" without evidence: name the files, commands, tests or ` +
      "lines of a log that show it";
    return jsonResult({ error }, true);
  }
  const taken = (await goals.open()).report(session, callId, { status, summary, evidence });
  if (taken === null) return jsonResult({ error: NO_GOAL }, true);
  const unverified = taken.goal.evidence.filter(({ verified }) => verified === false);
  return jsonResult({
    status: taken.goal.status,
    message: OUTCOMES[taken.outcome],
    ...(unverified.length === 0
      ? {}
      : { notFoundInTheRecord: unverified.map(({ detail }) => detail) }),
  });
}

function shown(goal: Goal): Readonly<Record<string, unknown>> {
  const { objective, status, turnsUsed, maxTurns, activeMs, maxWallMs, tokensUsed } = goal;
  return {
    objective,
    status,
    turns: { used: turnsUsed, max: maxTurns },
    minutes: { used: minutes(activeMs), max: minutes(maxWallMs) },
    tokens: { used: tokensUsed, left: tokensLeft(goal) },
  };
}

function minutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}
