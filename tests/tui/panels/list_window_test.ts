import assert from "node:assert/strict";
import { listWindow } from "../../../tui/panels/list_window.ts";

Deno.test("listWindow() shows the selected row and says how many are left out", () => {
  const rows: readonly (readonly [args: readonly number[], window: readonly number[]])[] = [
    // total, selected, height, previous → from, to, above, below
    [[5, 0, 5, 0], [0, 5, 0, 0]],
    [[10, 0, 5, 0], [0, 4, 0, 6]],
    [[10, 3, 5, 0], [0, 4, 0, 6]],
    [[10, 4, 5, 0], [2, 5, 2, 5]],
    [[10, 9, 5, 0], [6, 10, 6, 0]],
    [[10, 7, 5, 5], [6, 10, 6, 0]],
    [[10, 4, 5, 5], [4, 7, 4, 3]],
    [[10, 9, 2, 0], [8, 10, 0, 0]],
    [[10, 4, 1, 0], [4, 5, 0, 0]],
  ];
  for (const [[total = 0, selected = 0, height = 0, previous = 0], window] of rows) {
    const { from, to, above, below } = listWindow(total, selected, height, previous);
    assert.deepEqual(
      [from, to, above, below],
      window,
      `${total} ${selected} ${height} ${previous}`,
    );
  }
});

Deno.test("listWindow() counts every row, and never leaves out the selected one", () => {
  for (let total = 1; total <= 12; total++) {
    for (let height = 1; height <= 8; height++) {
      for (let selected = 0; selected < total; selected++) {
        for (let previous = 0; previous <= total; previous++) {
          const { from, to, above, below } = listWindow(total, selected, height, previous);
          const where = `${total} ${selected} ${height} ${previous}`;
          assert.ok(from <= selected && selected < to, where);
          const notes = Math.sign(above) + Math.sign(below);
          assert.ok(to - from + notes <= height, where);
          if (height >= 3) assert.deepEqual([above, below], [from, total - to], where);
        }
      }
    }
  }
});
