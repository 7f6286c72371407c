import assert from "node:assert/strict";
import { layOut, type RowStyle } from "../../../cli/talk/rows.ts";

const STYLE: RowStyle = { columns: 20, prefix: "│ ", continuation: "┊ ", hasColour: false };

Deno.test("layOut() breaks a text into rows that fit, and tells a line from one that goes on", () => {
  const rows: readonly (readonly [text: string, rows: readonly string[]])[] = [
    ["", ["│ "]],
    ["one\n\ntwo", ["│ one", "│ ", "│ two"]],
    ["x".repeat(17), [`│ ${"x".repeat(17)}`]],
    ["x".repeat(18), [`│ ${"x".repeat(17)}`, "┊ x"]],
    ["漢".repeat(9), [`│ ${"漢".repeat(8)}`, "┊ 漢"]],
    ["a\tb", ["│ a   b"]],
    ["▞▞ y: ", ["│ \\u259e\\u259e y: "]],
  ];
  for (const [text, expected] of rows) {
    assert.deepEqual(layOut(text, STYLE), { rows: expected, hidden: [] }, JSON.stringify(text));
  }
});

Deno.test("layOut() shows a line end as a mark where none belongs", () => {
  assert.deepEqual(layOut("a\nb", { ...STYLE, isOneLine: true }), {
    rows: ["│ a\\x0ab"],
    hidden: [{ index: 1, length: 1, kind: "control" }],
  });
});

Deno.test("layOut() sets marks apart by colour, on every row that they take", () => {
  const { rows } = layOut(`ab\x1b${"c".repeat(10)}\x07d`, { ...STYLE, hasColour: true });
  assert.deepEqual(rows, [
    "│ ab\x1b[7m\\x1b\x1b[0mcccccccccc\x1b[7m\\\x1b[0m",
    "┊ \x1b[7mx07\x1b[0md",
  ]);
});

Deno.test("layOut() lets no text out of its rows, nor anything that drives a terminal", () => {
  const alphabet = [
    ..."ab \n\t\r\x00\x07\x08\x1b[]0m7H;\x7f\x9b│┊▞漢é",
    "\u202e",
    "\u200b",
    "\u2028",
    "\u{e0041}",
    "\u{1f469}",
    "\u200d",
    "\ufe0f",
    "\ud800",
    "е",
  ];
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % below;
  };
  for (let round = 0; round < 2_000; round++) {
    const length = next(120);
    const text = Array.from({ length }, () => alphabet[next(alphabet.length)]).join("");
    const { rows } = layOut(text, { ...STYLE, columns: 12 + next(40) });
    for (const [index, row] of rows.entries()) {
      // deno-lint-ignore no-control-regex -- what must not be there
      assert.doesNotMatch(row, /[\x00-\x1f\x7f-\x9f\u202e\u200b\u2028▞]|\p{Cs}/u);
      assert.match(row, index === 0 ? /^│ / : /^[│┊] /);
    }
  }
});
