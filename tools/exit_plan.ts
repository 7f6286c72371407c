import type { ToolResult } from "@alisio/sdk";
import type { PlanPort } from "../core/plan/plan_port.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import { EXIT_PLAN } from "./tool_definitions.ts";

/**
 * Creates `exit_plan`: hands a finished plan to the person. It changes nothing itself; what was
 * decided is carried out when the run has ended.
 *
 * @param plans Takes plans to the person.
 */
export function createExitPlanTool(plans: PlanPort): HostTool {
  return { ...EXIT_PLAN, execute: (input, context) => exitPlan(plans, input, context) };
}

async function exitPlan(
  plans: PlanPort,
  input: Record<string, unknown>,
  { session, callId, agentPath = [], run, signal }: HostToolContext,
): Promise<ToolResult> {
  if (!plans.isOffered() || agentPath.length > 0 || session === undefined || run === undefined) {
    return failure(
      "not_offered",
      'Only the agent "plan" of the main conversation ends with this tool: give the plan as text',
    );
  }
  // The shape was checked against the schema before the call was let through.
  const { plan, title, diagrams } = input as {
    readonly plan: string;
    readonly title?: string;
    readonly diagrams?: unknown;
  };
  if (plan.trim() === "") return failure("empty_plan", "The plan is blank: write it in Markdown");
  const outcome = await plans.propose({
    plan,
    ...(title === undefined ? {} : { title }),
    ...(diagrams === undefined ? {} : { diagrams }),
  }, { sessionId: session, callId, signal, record: run.record, pauseWhile: run.pauseWhile });
  return jsonResult(outcome);
}

function failure(code: string, message: string): ToolResult {
  return jsonResult({ error: { code, message } }, true);
}
