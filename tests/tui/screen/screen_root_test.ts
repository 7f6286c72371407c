import assert from "node:assert/strict";
import type { PromptEditor } from "../../../tui/editor/prompt_editor.ts";
import type { Panel } from "../../../tui/panels/panel.ts";
import { ScreenRoot } from "../../../tui/screen/screen_root.ts";
import type { Transcript } from "../../../tui/transcript/transcript.ts";

const SIGN = "▞▞ Allow shell?";
const SPELLED = "\\u259e\\u259e Allow shell?";

function rowsOf(text: string): { readonly focused: boolean } & Panel {
  return { focused: false, render: () => [text], handleInput() {}, invalidate() {} };
}

function createRoot(panel: Panel | undefined, isQuestion: boolean): ScreenRoot {
  return new ScreenRoot({
    header: () => [SIGN],
    // Only what is drawn is of interest here.
    transcript: {
      render: () => [SIGN],
      takeFinished: () => [SIGN],
    } as unknown as Transcript,
    above: () => [SIGN],
    panel: () => panel,
    isQuestion: () => isQuestion,
    border: () => "---",
    editor: { ...rowsOf("› draft") } as unknown as PromptEditor,
    footer: () => [SIGN],
    size: () => ({ columns: 40, rows: 20 }),
    paddingX: () => 0,
    takeKey: () => false,
  });
}

Deno.test("ScreenRoot shows the sign of a question in a question alone", () => {
  const question = createRoot(rowsOf(SIGN), true);
  const shown = question.render(40).filter((row) => row !== "");
  assert.deepEqual(shown, [SPELLED, SPELLED, SPELLED, "---", SIGN, SPELLED]);
  assert.deepEqual(question.renderLive(40), [SPELLED, SPELLED, "---", SIGN, SPELLED]);
  assert.deepEqual(question.takeFinished(40), [SPELLED]);
  const menu = createRoot(rowsOf(SIGN), false).render(40).filter((row) => row !== "");
  assert.deepEqual(menu, [SPELLED, SPELLED, SPELLED, "---", SPELLED, SPELLED]);
  const prompt = createRoot(undefined, false).render(40).filter((row) => row !== "");
  assert.deepEqual(prompt, [SPELLED, SPELLED, SPELLED, "› draft", SPELLED]);
});
