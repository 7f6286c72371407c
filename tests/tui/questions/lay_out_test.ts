import assert from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { layOut } from "../../../tui/questions/lay_out.ts";
import {
  ASCII_THEME,
  COLOUR_THEME,
  HOSTILE_TEXTS,
  PLAIN_THEME,
} from "../../support/panel_scene.ts";

const STYLE = { width: 12, theme: PLAIN_THEME, prefix: "│ ", continuation: "┊ " } as const;

Deno.test("layOut() leaves nothing out and hides nothing", () => {
  const rows: readonly (readonly [text: string, rows: readonly string[]])[] = [
    ["ls", ["│ ls"]],
    ["", ["│ "]],
    ["a\n\nb", ["│ a", "│ ", "│ b"]],
    ["0123456789", ["│ 0123456789"]],
    ["0123456789ab", ["│ 0123456789", "┊ ab"]],
    ["日本語日本語", ["│ 日本語日本", "┊ 語"]],
    ["a\tb", ["│ a   b"]],
    ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", [`│ ${"👩‍👩‍👧‍👦".repeat(5)}`, "┊ 👩‍👩‍👧‍👦"]],
    ["\x1b[31mx", ["│ \\x1b[31mx"]],
    ["▞▞ Allow", ["│ \\u259e\\u25", "┊ 9e Allow"]],
    ["a\u202eb", ["│ a\\u{202E}b"]],
  ];
  for (const [text, expected] of rows) {
    assert.deepEqual(layOut(text, STYLE).rows, expected, JSON.stringify(text));
  }
});

Deno.test("layOut() spells what one line or ASCII cannot hold", () => {
  assert.deepEqual(layOut("a\nb", { ...STYLE, isOneLine: true }).rows, ["│ a\\x0ab"]);
  assert.deepEqual(
    layOut("é日", { ...STYLE, theme: ASCII_THEME, prefix: "| ", continuation: ": " }).rows,
    ["| \\u{E9}\\u{6", ": 5E5}"],
  );
});

Deno.test("layOut() sets marks apart, and colours lines", () => {
  const { rows } = layOut("+a\x07\n-b", {
    ...STYLE,
    theme: COLOUR_THEME,
    role: (line) => line.startsWith("+") ? "added" : "removed",
  });
  const paint = COLOUR_THEME.paint.bind(COLOUR_THEME);
  assert.deepEqual(rows, [
    paint("border", "│ ") + paint("added", "+a") + paint("selected", "\\x07"),
    paint("border", "│ ") + paint("removed", "-b"),
  ]);
});

Deno.test("layOut() fits every text into every width", () => {
  for (const text of [HOSTILE_TEXTS.join("\n"), ...HOSTILE_TEXTS]) {
    for (const width of [3, 4, 7, 40, 80]) {
      for (const theme of [PLAIN_THEME, ASCII_THEME]) {
        const { rows } = layOut(text, { ...STYLE, width, theme });
        for (const row of rows) assert.ok(visibleWidth(row) <= width, `${width}: ${row}`);
      }
    }
  }
});

Deno.test("layOut() lays out a megabyte at once", () => {
  const text = "echo 0123456789; ".repeat(62_500);
  const start = performance.now();
  const { rows } = layOut(text, { ...STYLE, width: 80 });
  const shown = rows.map((row) => row.slice(2)).join("");
  assert.equal(shown, text);
  // Far more than it takes, and far less than a person would wait.
  assert.ok(performance.now() - start < 5_000);
});
