/**
 * Begins what Alisio itself asks at a terminal. Wherever a model or a tool writes it, it is shown
 * as an escape, so that nothing else can look like a question.
 */
export const QUESTION_MARK = "▞▞";

const MARK_REGEXP = /\u259e/g;

/**
 * Shows the sign of a question as an escape.
 *
 * @param text Any text that Alisio did not write itself.
 */
export function withoutQuestionMark(text: string): string {
  return text.replace(MARK_REGEXP, "\\u259e");
}
