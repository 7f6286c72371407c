import type { QuestionAnswer } from "../../core/tools/user_question.ts";
import { previewText } from "../../core/text/bound_text.ts";

const MAX_LABEL_CHARS = 60;

/**
 * What a person answered, one line for each question.
 *
 * @param answers The answers.
 */
export function answerSummary(answers: readonly QuestionAnswer[]): string {
  return answers.map(({ header, skipped, selected }) => {
    const labels = selected.map((label) => previewText(label, MAX_LABEL_CHARS)).join(", ");
    const text = skipped ? "_Skipped_" : labels === "" ? "_None selected_" : labels;
    return `${previewText(header, MAX_LABEL_CHARS)}: ${text}`;
  }).join("\n");
}
