import assert from "node:assert/strict";
import { createKeyMap } from "../../../tui/keys/key_map.ts";
import { LinesPanel, type LinesPanelOptions } from "../../../tui/panels/lines_panel.ts";
import {
  assertDrawable,
  frameOf,
  HOSTILE_TEXTS,
  KEYS,
  PLAIN_THEME,
  press,
  seen,
  type,
} from "../../support/panel_scene.ts";

function createPanel(options: Partial<LinesPanelOptions> = {}) {
  const done: string[] = [];
  const panel = new LinesPanel({
    title: "Instructions",
    text: "One.\nTwo.",
    theme: PLAIN_THEME,
    frame: frameOf(8),
    keys: createKeyMap().keys,
    onSubmit: (text) => done.push(text),
    onCancel: () => done.push("left"),
    editExternally: (text) => Promise.resolve(`${text}\nElsewhere.`),
    ...options,
  });
  panel.focused = true;
  return { panel, done };
}

const HELP = "Ctrl+S done · Esc leave as it was · Ctrl+G your editor";

Deno.test("LinesPanel writes several lines, with the cursor anywhere in them", () => {
  const { panel, done } = createPanel();
  type(panel, " Three");
  press(panel, KEYS.enter);
  type(panel, "Four");
  press(panel, KEYS.up, KEYS.up, KEYS.end);
  type(panel, "!");
  press(panel, "\x1b[200~pasted\r\nlines\x1b[201~");
  assert.equal(
    seen(panel, 80),
    ["Instructions", "One.!pasted", "lines", "Two. Three", "Four", HELP].join("\n"),
  );
  press(panel, "\x13");
  assert.deepEqual(done, ["One.!pasted\nlines\nTwo. Three\nFour"]);
});

Deno.test("LinesPanel leaves at once where nothing changed, else at the second key", () => {
  const { panel, done } = createPanel();
  press(panel, KEYS.escape);
  assert.deepEqual(done, ["left"]);
  type(panel, "x");
  press(panel, KEYS.escape);
  assert.deepEqual(done, ["left"]);
  assert.equal(
    seen(panel, 40),
    [
      "Instructions",
      "One.",
      "Two.x",
      "Press it again to lose what you changed…",
      "Ctrl+S done · Esc leave as it was",
    ].join("\n"),
  );
  type(panel, "y");
  press(panel, KEYS.escape, KEYS.escape);
  assert.deepEqual(done, ["left", "left"]);
});

Deno.test("LinesPanel scrolls to the cursor, and says where it stands", () => {
  const text = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n");
  const { panel } = createPanel({ text });
  const rows = seen(panel, 40).split("\n");
  assert.deepEqual([rows[0], rows[1], rows[6]], [
    "Instructions (30/30)",
    "line 25",
    "line 30",
  ]);
  press(panel, KEYS.pageUp);
  panel.scroll(-2);
  assert.deepEqual(seen(panel, 40).split("\n").slice(0, 2), ["Instructions (23/30)", "line 23"]);
});

Deno.test("LinesPanel takes the text of another program, or says why there is none", async () => {
  const { panel, done } = createPanel();
  press(panel, "\x07");
  type(panel, "lost, since the other program has the keyboard");
  await new Promise((resolve) => setTimeout(resolve));
  press(panel, "\x13");
  assert.deepEqual(done, ["One.\nTwo.\nElsewhere."]);
  const failing = createPanel({ editExternally: () => Promise.reject(new Error("No \x1b[2J")) });
  press(failing.panel, "\x07");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(seen(failing.panel, 80).split("\n").slice(1, 4), [
    "One.",
    "Two.",
    "No \\x1b[2J",
  ]);
});

Deno.test("LinesPanel draws hostile texts at every size", () => {
  for (const text of HOSTILE_TEXTS) {
    for (const [width, rows] of [[80, 12], [40, 6], [12, 3], [2, 1], [1, 1]] as const) {
      const { panel } = createPanel({ text, title: text, frame: frameOf(rows) });
      assertDrawable(panel, { width, rows });
    }
  }
});
