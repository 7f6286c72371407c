import assert from "node:assert/strict";
import { TextPanel, type TextPanelOptions } from "../../../tui/panels/text_panel.ts";
import {
  ASCII_THEME,
  assertDrawable,
  frameOf,
  HOSTILE_TEXTS,
  KEYS,
  PLAIN_THEME,
  press,
  seen,
  type,
} from "../../support/panel_scene.ts";

const NUMBERS = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n");

function createPanel(options: Partial<TextPanelOptions> = {}) {
  const events: string[] = [];
  const panel = new TextPanel({
    title: "Changes",
    body: NUMBERS,
    theme: PLAIN_THEME,
    frame: frameOf(6),
    onClose: () => events.push("closed"),
    ...options,
  });
  panel.render(40);
  return { panel, events };
}

Deno.test("TextPanel shows the part that was scrolled to", () => {
  const rows: readonly (readonly [keys: readonly string[], first: string, aside: string])[] = [
    [[], "line 1", "(4/10)"],
    [[KEYS.down, KEYS.down, KEYS.up], "line 2", "(5/10)"],
    [[KEYS.pageDown], "line 4", "(7/10)"],
    [[KEYS.end], "line 7", "(10/10)"],
    [[KEYS.end, KEYS.pageUp], "line 4", "(7/10)"],
    [[KEYS.end, KEYS.down, KEYS.home, KEYS.up], "line 1", "(4/10)"],
  ];
  for (const [keys, first, aside] of rows) {
    const { panel } = createPanel();
    press(panel, ...keys);
    assert.deepEqual(seen(panel, 40).split("\n").slice(0, 2), [`Changes ${aside}`, first]);
  }
  const { panel } = createPanel();
  assert.match(seen(panel, 80), /\nEsc close · ↑↓ PgUp PgDn Home End scroll$/);
});

Deno.test("TextPanel scrolls with the wheel of a mouse", () => {
  const { panel } = createPanel();
  panel.scroll(3);
  assert.match(seen(panel, 40), /^Changes \(7\/10\)/);
  panel.scroll(-30);
  assert.match(seen(panel, 40), /^Changes \(4\/10\)/);
});

Deno.test("TextPanel shows control characters, and breaks long lines", () => {
  const { panel } = createPanel({
    body: "\x1b[31mred\ta\r\nsecond line that is long",
    theme: ASCII_THEME,
  });
  assert.equal(
    seen(panel, 20),
    ["Changes", "\\x1b[31mred    a", "second line that is", "long", "Esc close"].join("\n"),
  );
});

Deno.test("TextPanel closes with Esc, Enter and q, and runs further keys", () => {
  const runs: string[] = [];
  const { panel, events } = createPanel({
    keys: [{ keys: ["o"], help: "o open", run: () => runs.push("open") }],
  });
  type(panel, "ozq");
  press(panel, KEYS.enter, KEYS.escape);
  assert.deepEqual([runs, events], [["open"], ["closed", "closed", "closed"]]);
});

Deno.test("TextPanel follows the end of a text that grows, unless it was scrolled", () => {
  const { panel } = createPanel({ followsEnd: true });
  assert.match(seen(panel, 40), /^Changes \(10\/10\)/);
  panel.setBody(`${NUMBERS}\nline 11`);
  assert.match(seen(panel, 40), /^Changes \(11\/11\)/);
  press(panel, KEYS.up);
  panel.setBody(`${NUMBERS}\nline 11\nline 12`);
  assert.match(seen(panel, 40), /^Changes \(10\/12\)/);
  press(panel, KEYS.end);
  panel.setBody(`${NUMBERS}\nline 11\nline 12\nline 13`);
  assert.match(seen(panel, 40), /^Changes \(13\/13\)/);
});

Deno.test("TextPanel draws hostile texts at every size", () => {
  for (const body of [...HOSTILE_TEXTS, () => HOSTILE_TEXTS.slice(4, 9)]) {
    for (const rows of [1, 2, 5, 15]) {
      for (const width of [1, 2, 7, 40, 80]) {
        const { panel } = createPanel({ body, frame: frameOf(rows), title: String(body) });
        assertDrawable(panel, { width, rows });
        press(panel, KEYS.end);
        assertDrawable(panel, { width, rows });
      }
    }
  }
});
