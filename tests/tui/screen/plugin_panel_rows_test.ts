import assert from "node:assert/strict";
import type { PanelNode } from "@alisio/sdk";
import { pluginPanelRows } from "../../../tui/screen/plugin_panel_rows.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";

const PLAIN = createTheme({ depth: "none", unicode: true, background: "dark" });

const node = (id: string, more: Partial<PanelNode> = {}): PanelNode => ({
  id,
  label: `task ${id}`,
  status: "running",
  ...more,
});

function rowsOf(nodes: readonly PanelNode[], rows = 20, columns = 60): readonly string[] {
  return pluginPanelRows([{ plugin: "acme.one", title: "Tasks\x1b[2J", nodes }], PLAIN, {
    columns,
    rows,
    now: 100_000,
  });
}

Deno.test("pluginPanelRows() draws a tree, whatever the order of its lines", () => {
  assert.deepEqual(
    rowsOf([
      node("child", { parentId: "root", tokens: 1_234 }),
      node("root", { startedAt: 95_000, detail: "reads" }),
      node("lost", { parentId: "nobody", status: "completed", startedAt: 1_000, endedAt: 3_000 }),
    ]),
    [
      String.raw`Tasks\x1b[2J`,
      "  task root  running  5s  reads",
      `  ${PLAIN.glyph("treeLast")} task child  running  1.2k`,
      "  task lost  completed  2s",
    ],
  );
});

Deno.test("pluginPanelRows() says how many lines have no room, and is cut in a narrow window", () => {
  const nodes = [node("1"), node("2"), node("3"), node("4", { parentId: "4" })];
  assert.deepEqual(rowsOf(nodes, 3), [
    String.raw`Tasks\x1b[2J`,
    "  task 1  running",
    "… 3 more",
  ]);
  assert.deepEqual(rowsOf(nodes, 1), []);
  assert.deepEqual(rowsOf([node("1", { detail: "more" })], 9, 8), ["Tasks\\x1", "  task 1"]);
});
