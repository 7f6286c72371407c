import assert from "node:assert/strict";
import { formatKey, parseKey } from "../../../tui/keys/parse_key.ts";

const ROWS: readonly (readonly [written: string, key: string, label: string])[] = [
  ["ctrl+g", "ctrl+g", "Ctrl+G"],
  ["Ctrl-G", "ctrl+g", "Ctrl+G"],
  ["Control+Alt+x", "ctrl+alt+x", "Ctrl+Alt+X"],
  ["alt+shift+ctrl+p", "ctrl+shift+alt+p", "Ctrl+Shift+Alt+P"],
  ["ctrl+-", "ctrl+-", "Ctrl+-"],
  ["ctrl++", "ctrl++", "Ctrl++"],
  ["-", "-", "-"],
  ["Esc", "escape", "Esc"],
  ["Return", "enter", "Enter"],
  ["PAGEUP", "pageUp", "PgUp"],
  ["pgdn", "pageDown", "PgDn"],
  ["F12", "f12", "F12"],
  ["up", "up", "↑"],
  ["Y", "shift+y", "Shift+Y"],
  ["ctrl+Y", "ctrl+y", "Ctrl+Y"],
  [" space ", "space", "Space"],
];

Deno.test("parseKey() reads keys as people write them", () => {
  for (const [written, key, label] of ROWS) {
    assert.deepEqual(parseKey(written), { key }, written);
    assert.equal(formatKey(key), label);
  }
});

const PROBLEMS: readonly (readonly [written: string, problem: string])[] = [
  ["", "is no key"],
  ["ctrl+", "is unknown"],
  ["ctrl+entr", 'is unknown; did you mean "enter"?'],
  ["ctrll+g", 'has the unknown modifier "ctrll"; did you mean "ctrl"?'],
  ["f13", 'is unknown; did you mean "f1"?'],
  ["ñ", "is unknown"],
  ["\x1b[A", "is unknown"],
  ["x".repeat(41), "is no key"],
];

Deno.test("parseKey() says why something is no key, and what it may mean", () => {
  for (const [written, problem] of PROBLEMS) {
    assert.deepEqual(parseKey(written), { problem }, written);
  }
});
