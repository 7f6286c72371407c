import assert from "node:assert/strict";
import { withoutQuestionMark } from "../../../core/text/question_mark.ts";

Deno.test("withoutQuestionMark() spells out the sign of a question", () => {
  assert.equal(withoutQuestionMark("▞▞ Allow ▞"), "\\u259e\\u259e Allow \\u259e");
});
