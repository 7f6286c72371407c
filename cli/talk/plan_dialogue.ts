import { planMarkdown } from "../../core/plan/plan_markdown.ts";
import {
  ADD_CONTEXT,
  APPROVE,
  MAX_FEEDBACK_CHARS,
  PLAN_QUESTION,
  type ProposedPlan,
  SKIP,
} from "../../core/plan/plan_review.ts";
import type { QuestionAnswer } from "../../core/tools/user_question.ts";
import { type DialoguePorts, printHeading, printText, readAnswer } from "./dialogue.ts";

/**
 * Has a person decide about a plan between lines: shows all of it, and asks by number.
 *
 * @param ports What it asks with.
 * @param plan The plan.
 * @param signal Takes it back.
 */
export async function reviewPlan(
  ports: DialoguePorts,
  plan: ProposedPlan,
  signal: AbortSignal,
): Promise<QuestionAnswer> {
  const { title, revision } = plan;
  printHeading(ports, revision > 1 ? `Plan, revision ${revision}: ${title}` : `Plan: ${title}`);
  printText(ports, planMarkdown(plan), "│ ");
  printHeading(ports, PLAN_QUESTION.question);
  printText(ports, PLAN_QUESTION.options.map(({ label }, at) => `${at + 1}. ${label}`).join("\n"));
  const { header } = PLAN_QUESTION;
  while (true) {
    const answer = await readAnswer(ports, "answer: ", signal);
    const typed = answer.kind === "line" ? answer.text.trim() : "";
    if (typed === "1") return { header, skipped: false, selected: [APPROVE.label] };
    if (typed === "" || typed === "2") return { header, skipped: true, selected: [SKIP.label] };
    if (typed !== "3") {
      printText(ports, "A number from 1 to 3; Enter alone skips");
      continue;
    }
    const words = await readWords(ports, signal);
    if (words === null) return { header, skipped: true, selected: [] };
    if (words !== "") {
      return { header, skipped: false, selected: [ADD_CONTEXT.label, words] };
    }
    printText(ports, "Nothing was added: 1, 2 or 3");
  }
}

/** Null where nothing can be typed any more, or the run is stopped. */
async function readWords(ports: DialoguePorts, signal: AbortSignal): Promise<string | null> {
  const answer = await readAnswer(ports, "context: ", signal);
  return answer.kind === "line" ? answer.text.trim().slice(0, MAX_FEEDBACK_CHARS) : null;
}
