import assert from "node:assert/strict";
import { cellsOf } from "../../../core/text/cell_width.ts";
import { drawnLine, drawnLines } from "../../../core/startup/drawn_lines.ts";

const WIDE = { color: true, unicode: true, columns: 20, interactive: true };

Deno.test("drawnLines() takes a text or a list of texts, up to a number of lines", () => {
  assert.deepEqual(drawnLines("a\r\nb\nc", 3), ["a", "b", "c"]);
  assert.deepEqual(drawnLines(["a", "b\nc"], 3), ["a", "b", "c"]);
  assert.deepEqual(drawnLines([], 3), []);
  for (const drawn of ["a\nb\nc\nd", ["a", "b\nc\nd"], ["a", "b", "c", "d"]]) {
    assert.throws(
      () => drawnLines(drawn, 3),
      /^RangeError: it drew 4 lines or more; 3 are allowed$/,
    );
  }
  for (const drawn of [undefined, null, 1, {}, ["a", 1], Promise.reject(new Error("late"))]) {
    assert.throws(() => drawnLines(drawn, 3), /it drew no text and no list of texts/);
  }
});

Deno.test("drawnLine() keeps colours, where there are any, and nothing else that drives a terminal", () => {
  const rows: readonly (readonly [line: string, coloured: string, plain: string])[] = [
    ["plain", "plain", "plain"],
    ["\x1b[31mred", "\x1b[31mred\x1b[0m", "red"],
    ["\x1b[1;38:5:9mred\x1b[0m end", "\x1b[1;38:5:9mred\x1b[0m end", "red end"],
    ["a\x1b[2Jb\x1b[1;1Hc\x1b[?25ld", "abcd", "abcd"],
    ["a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c", "abc", "abc"],
    ["a\x1bPq#0\x1b\\b\x1b_x\x1b\\c\x1b^y\x07d", "abcd", "abcd"],
    ["a\x9b2Jb\x9dx\x9cc", "abc", "abc"],
    ["a\x1bcb\x1b(0c\x1b", "abc", "abc"],
    ["a\x1b]0;never ended", "a", "a"],
    ["a\x1b[31", "a", "a"],
    ["a\x00b\x07c\x08d\x7fe\x85f", "abcdef", "abcdef"],
    ["a\tb\t\tc", "a   b       c", "a   b       c"],
    ["a\u202eb\u200bc\u{e0041}d", "abcd", "abcd"],
  ];
  for (const [line, coloured, plain] of rows) {
    assert.equal(drawnLine(line, WIDE), coloured, JSON.stringify(line));
    assert.equal(drawnLine(line, { ...WIDE, color: false }), plain, JSON.stringify(line));
  }
});

Deno.test("drawnLine() shows ASCII where there is nothing else, and cuts where the line ends", () => {
  assert.equal(drawnLine("né ◢◣ 風", { ...WIDE, unicode: false }), "n? ?? ?");
  assert.equal(drawnLine("\x1b[31mabcdef", { ...WIDE, columns: 3 }), "\x1b[31mabc\x1b[0m");
  assert.equal(drawnLine("風風風", { ...WIDE, columns: 5 }), "風風");
  assert.equal(drawnLine("abc", { ...WIDE, columns: 0 }), "");
  assert.equal(drawnLine("x".repeat(1_000_000), { ...WIDE, columns: 1e9 }).length, 4_000);
});

Deno.test("drawnLine() lets nothing through but colours and what is drawn, whatever it is given", () => {
  const pieces = [
    "\x1b",
    "[",
    "31m",
    "2J",
    "]",
    "P",
    "\x07",
    "\\",
    "\x9b",
    "\x9c",
    "m",
    ";",
    "0",
    "風",
  ];
  const random = randomNumbers(7);
  for (let round = 0; round < 20_000; round++) {
    const line = Array.from({ length: 12 }, () => pieces[random() % pieces.length]).join("");
    const shown = drawnLine(line, { ...WIDE, columns: 9 });
    // deno-lint-ignore no-control-regex -- colours, and otherwise no control character
    assert.match(shown, /^(?:\x1b\[[0-9;:]*m|[^\x00-\x1f\x7f-\x9f])*$/, JSON.stringify(line));
    // deno-lint-ignore no-control-regex -- colours take no cells
    assert.ok(cellsOf(shown.replaceAll(/\x1b\[[0-9;:]*m/g, "")) <= 9, JSON.stringify(line));
    const last = shown.slice(Math.max(0, shown.lastIndexOf("\x1b")));
    assert.ok(!last.includes("\x1b") || /^.\[0?m/.test(last), JSON.stringify(line));
  }
});

/** The same numbers each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
