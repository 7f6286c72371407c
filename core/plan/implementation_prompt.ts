import type { PlanState } from "./plan_state.ts";

/** What a run that implements a plan begins with. */
export interface ImplementationPrompt {
  /** What the model gets. */
  readonly prompt: string;
  /** What the conversation shows in its place. */
  readonly display: string;
  /** Known to the record, so that there is one run for one plan. */
  readonly requestId: string;
}

/**
 * Puts an approved plan into the message that has it implemented. Pure: nothing in the plan can end
 * its frame.
 *
 * @param state The plan, with what was approved.
 */
export function implementationPrompt(
  { planId, revision, hash, title, plan = "" }: PlanState,
): ImplementationPrompt {
  const framed = plan.replace(/<(\/?)approved_plan/gi, "&lt;$1approved_plan");
  const attributes = [
    `id="${attribute(planId)}"`,
    `revision="${revision}"`,
    `hash="${attribute(hash)}"`,
    `title="${attribute(title)}"`,
  ].join(" ");
  return {
    prompt: `<approved_plan ${attributes}>\n${framed}\n</approved_plan>\n\n` +
      "The person approved this plan. Implement exactly this, step by step, and verify it as it " +
      "says. Where the code turns out to be other than the plan assumes, say so and do the least " +
      "that still reaches its goal.",
    display: `Implement the approved plan: ${title}`,
    requestId: planRequestId(planId),
  };
}

/**
 * The request that the one run for a plan is known by.
 *
 * @param planId The plan.
 */
export function planRequestId(planId: string): string {
  return `plan-${planId}`;
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replace(/\s+/g, " ");
}
