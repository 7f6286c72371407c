import assert from "node:assert/strict";
import { ConfirmPanel, type ConfirmPanelOptions } from "../../../tui/panels/confirm_panel.ts";
import {
  assertDrawable,
  frameOf,
  HOSTILE_TEXTS,
  KEYS,
  PLAIN_THEME,
  press,
  seen,
} from "../../support/panel_scene.ts";

function createPanel(options: Partial<ConfirmPanelOptions> = {}) {
  const answers: boolean[] = [];
  const panel = new ConfirmPanel({
    title: "Use full access?",
    body: "Writes, commands and the network run unasked.\nThis is no sandbox.",
    yes: "Use it",
    theme: PLAIN_THEME,
    frame: frameOf(8),
    onAnswer: (answer) => answers.push(answer),
    ...options,
  });
  return { panel, answers };
}

Deno.test("ConfirmPanel draws what it asks, with no selected", () => {
  const { panel } = createPanel();
  assert.equal(
    seen(panel, 80),
    [
      "Use full access?",
      "Writes, commands and the network run unasked.",
      "This is no sandbox.",
      "  Use it",
      "› No",
      "y yes · n no · Enter choose",
    ].join("\n"),
  );
  const { panel: small } = createPanel({ frame: frameOf(5) });
  press(small, KEYS.pageDown);
  small.render(20);
  press(small, KEYS.pageDown, KEYS.pageDown);
  assert.equal(
    seen(small, 20),
    ["Use full acce… (3/4)", "unasked.", "  Use it", "› No", "y yes · n no"].join("\n"),
  );
});

Deno.test("ConfirmPanel takes an answer", () => {
  const rows: readonly (readonly [keys: readonly string[], answer: boolean])[] = [
    [[KEYS.enter], false],
    [[KEYS.escape], false],
    [[KEYS.ctrlC], false],
    [["n"], false],
    [["y"], true],
    [[KEYS.up, KEYS.enter], true],
    [[KEYS.tab, KEYS.enter], true],
    [[KEYS.left, KEYS.right, KEYS.enter], false],
    [["\x1b[200~y\x1b[201~", KEYS.enter], false],
    [["x", KEYS.enter], false],
  ];
  for (const [keys, answer] of rows) {
    const { panel, answers } = createPanel();
    press(panel, ...keys);
    assert.deepEqual(answers, [answer], JSON.stringify(keys));
  }
});

Deno.test("ConfirmPanel draws hostile texts at every size", () => {
  for (const text of HOSTILE_TEXTS) {
    for (const rows of [1, 2, 5, 15]) {
      for (const width of [1, 2, 7, 40, 80]) {
        const { panel } = createPanel({
          title: text,
          body: text,
          yes: text,
          no: text,
          frame: frameOf(rows),
        });
        assertDrawable(panel, { width, rows });
        press(panel, KEYS.pageDown, KEYS.pageDown);
        assertDrawable(panel, { width, rows });
      }
    }
  }
});
