import assert from "node:assert/strict";
import { applyKeys } from "../../../tui/keys/apply_keys.ts";
import { createKeyMap } from "../../../tui/keys/key_map.ts";
import type { Panel } from "../../../tui/panels/panel.ts";
import { PanelStack } from "../../../tui/panels/panel_stack.ts";
import {
  askLine,
  askToConfirm,
  fillInForm,
  pickFromList,
  showText,
} from "../../../tui/panels/show_panels.ts";
import { KEYS, PLAIN_THEME, press, seen, type } from "../../support/panel_scene.ts";

function createPlace() {
  const shown: (Panel | undefined)[] = [];
  const panels = new PanelStack({
    rows: () => 10,
    redraw() {},
    show: (panel) => shown.push(panel),
  });
  return {
    place: { panels, theme: PLAIN_THEME },
    current: (): Panel => {
      const panel = shown.at(-1);
      assert.ok(panel !== undefined);
      return panel;
    },
    isEmpty: () => shown.at(-1) === undefined,
  };
}

Deno.test("Panels of the person are shown and answered", async () => {
  const { place, current, isEmpty } = createPlace();
  const picked = pickFromList(place, { title: "Pick", items: [{ value: 7, label: "seven" }] });
  press(current(), KEYS.enter);
  const left = pickFromList(place, { title: "Pick", items: [{ value: 7, label: "seven" }] });
  press(current(), KEYS.escape);
  const read = showText(place, { title: "Read", body: "text" });
  press(current(), KEYS.escape);
  const filled = fillInForm(place, { title: "Form", fields: [{ key: "a", label: "A" }] });
  type(current(), "x");
  press(current(), KEYS.enter);
  const line = askLine(place, "Line", { label: "B" });
  type(current(), "y");
  press(current(), KEYS.enter);
  const confirmed = askToConfirm(place, { title: "Sure?" });
  press(current(), "y");
  assert.deepEqual(await Promise.all([picked, left, read, filled, line, confirmed]), [
    7,
    undefined,
    undefined,
    { a: "x" },
    "y",
    true,
  ]);
  assert.ok(isEmpty());
});

Deno.test("Panels name the keys that the person chose", () => {
  const { place, current } = createPlace();
  const { keys } = createKeyMap({ listConfirm: ["ctrl+o"], listCancel: [] });
  applyKeys(keys);
  try {
    void pickFromList(place, { title: "Pick", items: [{ value: 1, label: "one" }] });
    assert.match(seen(current(), 80), /\nCtrl\+O choose · type to search$/);
    press(current(), "\x0f");
  } finally {
    applyKeys(createKeyMap().keys);
  }
});

Deno.test("Panels of the person are taken back", async () => {
  const { place, isEmpty } = createPlace();
  const controller = new AbortController();
  const { signal } = controller;
  const waits = [
    pickFromList(place, { title: "Pick", items: [], signal }),
    askLine(place, "Line", { label: "B", signal }),
    askToConfirm(place, { title: "Sure?", signal }),
  ];
  controller.abort();
  assert.deepEqual(await Promise.all(waits), [undefined, undefined, false]);
  assert.ok(isEmpty());
});
