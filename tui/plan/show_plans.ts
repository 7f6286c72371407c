import { fenced } from "../../core/plan/plan_markdown.ts";
import { PLAN_TOOL, planHistory } from "../../core/plan/plan_history.ts";
import { describePlans, readPlanRequest } from "../../core/plan/plan_request.ts";
import type { Stage } from "../stage.ts";

/**
 * Shows the plans of the session that is open.
 *
 * @param stage The conversation.
 * @param argument What follows the command.
 */
export async function showPlans(stage: Stage, argument: string): Promise<void> {
  const id = stage.session()?.id;
  const calls = id === undefined ? [] : stage.application.store.callsOf(id, PLAN_TOOL);
  const history = planHistory(calls);
  const words = argument.split(/\s+/).filter((word) => word !== "");
  const request = readPlanRequest(words, history);
  switch (request.kind) {
    case "problem":
      return stage.say(request.message, "warning");
    case "list":
      return stage.say(describePlans(history).join("\n"));
    case "show":
      return stage.sayMarkdown(request.plan.markdown);
    case "diff": {
      const { before, after } = request;
      const lines = await stage.compareTexts(before.markdown, after.markdown);
      stage.say(`Plan ${before.number} to ${after.number}: ${after.title}`);
      return lines.length === 0
        ? stage.say("Nothing changed between them")
        : stage.sayMarkdown(fenced(lines, "diff"));
    }
  }
}
