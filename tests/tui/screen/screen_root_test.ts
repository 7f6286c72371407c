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

function createRoot(
  panel: Panel | undefined,
  isQuestion: boolean,
  scrollBy: (rows: number) => void = () => {},
): ScreenRoot {
  return new ScreenRoot({
    header: () => [SIGN],
    // Only what is drawn is of interest here.
    transcript: {
      render: () => [SIGN],
      takeFinished: () => [SIGN],
      scrollBy,
    } as unknown as Transcript,
    above: () => [SIGN],
    panel: () => panel,
    isQuestion: () => isQuestion,
    isAside: () => false,
    border: () => "---",
    editor: { ...rowsOf("› draft") } as unknown as PromptEditor,
    footer: () => [SIGN],
    size: () => ({ columns: 40, rows: 20 }),
    paddingX: () => 0,
    takeKey: () => false,
    takeBesidePanel: (data) => data === "\x1a",
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

Deno.test("ScreenRoot scrolls what is under the mouse", () => {
  const scrolled: string[] = [];
  const panel: Panel = {
    ...rowsOf("panel"),
    scroll: (rows) => void scrolled.push(`panel ${rows}`),
  };
  const root = createRoot(panel, true, (rows) => scrolled.push(`conversation ${rows}`));
  root.render(40);
  const wheel = (y: number, wheelDelta: number) =>
    root.handleMouse({
      type: "wheel",
      button: "none",
      x: 0,
      y,
      screenX: 0,
      screenY: y,
      width: 40,
      height: 20,
      shift: false,
      alt: false,
      ctrl: false,
      wheelDelta,
    });
  wheel(18, 1);
  wheel(5, -1);
  assert.deepEqual(scrolled, ["panel 3", "conversation -3"]);
});

Deno.test("ScreenRoot gives a panel every key but those of the whole screen", () => {
  const given: string[] = [];
  const panel: Panel = { ...rowsOf("panel"), handleInput: (data) => void given.push(data) };
  const root = createRoot(panel, true);
  for (const key of ["y", "\x1a", "\r"]) root.handleInput(key);
  assert.deepEqual(given, ["y", "\r"]);
});
