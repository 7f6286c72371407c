import assert from "node:assert/strict";
import type { PanelNode } from "@alisio/sdk";
import { visibleWidth } from "@earendil-works/pi-tui";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import { treeLines } from "../../../tui/trees/tree_lines.ts";
import { type TreeLook, treeRows } from "../../../tui/trees/tree_rows.ts";
import { node, panelOf } from "./_tree.ts";

const PLAIN = createTheme({ depth: "none", unicode: true, background: "dark" });
const ASCII = createTheme({ depth: "none", unicode: false, background: "dark" });

function rowsOf(
  nodes: readonly PanelNode[],
  look: Partial<TreeLook> = {},
  { theme = PLAIN, waiting = [] as readonly string[], title = "Agents" } = {},
): readonly string[] {
  const lines = treeLines({ ...panelOf(...nodes), title }, new Set(waiting));
  return treeRows([{ title, lines }], theme, {
    columns: 80,
    rows: 20,
    now: 100_000,
    folded: new Set(),
    help: ["Enter open", "Esc back"],
    keyLabel: "",
    isFolded: false,
    ...look,
  });
}

const EXAMPLE = [
  node("child", { parentId: "root", tokens: 1_234, status: "queued" }),
  node("root", { startedAt: 95_000, detail: "reads\x1b[2J notes.md", tokens: 950 }),
  node("lost", { parentId: "nobody", status: "completed", startedAt: 1_000, endedAt: 3_000 }),
  node("bad", { status: "failed", detail: "no model" }),
  node("asks", { sessionId: "s-1" }),
];

Deno.test("treeRows() draws a tree with what each line is doing, whatever the order of its lines", () => {
  assert.deepEqual(rowsOf(EXAMPLE, {}, { waiting: ["s-1"], title: "Agents\x1b[2J" }), [
    String.raw`Agents\x1b[2J  1 running · 1 queued · 1 waiting · 2 finished`,
    String.raw`  ● task root  5s  950  reads\x1b[2J notes.md`,
    "  └ ○ task child  queued  1.2k",
    "  ✓ task lost  2s",
    "  ✗ task bad  failed  no model",
    "  ◆ task asks  waiting",
  ]);
});

Deno.test("treeRows() needs neither colours nor Unicode, and 24 columns suffice", () => {
  const label = "explore: map the plugin host — all of it";
  const nodes = [node("root", { label, startedAt: 0, tokens: 12_000, detail: "reads" })];
  assert.deepEqual(rowsOf(nodes, { columns: 40 }, { theme: ASCII }), [
    "Agents  1 running",
    "  * explore: map the plugi~  1m 40s  12k",
  ]);
  for (let columns = 1; columns < 60; columns++) {
    for (const row of rowsOf([...nodes, ...EXAMPLE], { columns })) {
      assert.ok(visibleWidth(row) <= Math.max(columns, 6), `${columns}: ${row}`);
    }
  }
  assert.deepEqual(rowsOf(nodes, { columns: 24 }), [
    "Agents  1 running",
    "  ● explore: ma…  1m 40s",
  ]);
});

Deno.test("treeRows() leaves out what has ended before what goes on, and counts it", () => {
  const ended = ["1", "2", "3"].map((id) => node(id, { status: "completed" }));
  const nodes = [...ended, node("4"), node("5", { parentId: "4" })];
  assert.deepEqual(rowsOf(nodes, { rows: 5 }), [
    "Agents  2 running · 3 finished",
    "  ✓ task 3",
    "  ● task 4",
    "  └ ● task 5",
    "  … 2 more",
  ]);
  assert.deepEqual(rowsOf(nodes, { rows: 2 }), ["Agents  2 running · 3 finished", "  ✓ task 1"]);
  assert.deepEqual(rowsOf(nodes, { rows: 0 }), []);
  const many = Array.from({ length: 40 }, (_, at) => node(String(at)));
  assert.deepEqual(rowsOf(many, { rows: 4 }), [
    "Agents  40 running",
    "  ● task 0",
    "  ● task 1",
    "  … 38 more",
  ]);
});

Deno.test("treeRows() shows the selected line, what keys do, and how much is folded", () => {
  const many = Array.from({ length: 40 }, (_, at) => node(String(at)));
  const key = treeLines(panelOf(...many))[20]?.key ?? "";
  assert.deepEqual(rowsOf(many, { rows: 4, selected: key }), [
    "  ● task 19",
    "› ● task 20",
    "  ● task 21",
    "Enter open · Esc back",
  ]);
  const root = treeLines(panelOf(...EXAMPLE))[0]?.key ?? "";
  assert.deepEqual(
    rowsOf(EXAMPLE, { folded: new Set([root]), rows: 3 })[1],
    "  ● task root  5s  950  +1  reads\\x1b[2J notes.md",
  );
  assert.deepEqual(rowsOf(EXAMPLE, { isFolded: true, keyLabel: "Ctrl+X" }), [
    "Agents  2 running · 1 queued · 2 finished  Ctrl+X",
  ]);
});
