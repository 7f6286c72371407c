import type { PanelNode } from "@alisio/sdk";
import type { PluginPanel } from "../../core/plugins/plugin_ui.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { Role, Theme } from "../theme/theme.ts";
import { fitParts } from "./fit_parts.ts";
import { formatElapsed, formatTokens } from "./format_count.ts";

const MAX_DEPTH = 8;

/** What the status of a line is called by plugins, and how it looks. */
const ROLES: Readonly<Record<string, Role>> = {
  running: "accent",
  completed: "success",
  failed: "error",
  cancelled: "warning",
  waiting: "question",
};

/**
 * Panels of plugins as rows: a title, and its lines as a tree. Where there is no room for all, the
 * last row says how many are left out. Pure.
 *
 * @param panels The panels.
 * @param theme The colours.
 * @param options Columns, the most rows, and the time in epoch milliseconds.
 */
export function pluginPanelRows(
  panels: readonly PluginPanel[],
  theme: Theme,
  { columns, rows, now }: { readonly columns: number; readonly rows: number; readonly now: number },
): readonly string[] {
  const all = panels.flatMap(({ title, nodes }) => [
    fitParts([{ text: theme.paint("heading", visibleName(title)), priority: 1 }], "", columns),
    ...inOrder(nodes).map(({ node, depth }) => nodeRow(node, depth, theme, { columns, now })),
  ]);
  if (all.length <= rows) return all;
  if (rows < 2) return [];
  const left = all.length - (rows - 1);
  return [...all.slice(0, rows - 1), theme.paint("dim", `${theme.glyph("ellipsis")} ${left} more`)];
}

interface PlacedNode {
  readonly node: PanelNode;
  readonly depth: number;
}

/** Each line below the one it hangs on; what hangs on nothing that there is stands at the top. */
function inOrder(nodes: readonly PanelNode[]): readonly PlacedNode[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const below = new Map<string | undefined, PanelNode[]>();
  for (const node of nodes) {
    const { parentId } = node;
    const parent = parentId !== undefined && parentId !== node.id && ids.has(parentId)
      ? parentId
      : undefined;
    below.set(parent, [...below.get(parent) ?? [], node]);
  }
  const placed: PlacedNode[] = [];
  const seen = new Set<PanelNode>();
  const place = (parent: string | undefined, depth: number): void => {
    for (const node of below.get(parent) ?? []) {
      if (seen.has(node)) continue;
      seen.add(node);
      placed.push({ node, depth });
      if (depth < MAX_DEPTH) place(node.id, depth + 1);
    }
  };
  place(undefined, 0);
  return placed;
}

function nodeRow(
  { label, status, startedAt, endedAt, tokens, detail }: PanelNode,
  depth: number,
  theme: Theme,
  { columns, now }: { readonly columns: number; readonly now: number },
): string {
  const dim = (text: string | undefined): string =>
    text === undefined ? "" : theme.paint("dim", text);
  const indent = depth === 0 ? "  " : `${"  ".repeat(depth)}${theme.glyph("treeLast")} `;
  return fitParts(
    [
      { text: `${indent}${visibleName(label)}`, priority: 5 },
      { text: theme.paint(ROLES[status] ?? "dim", visibleName(status)), priority: 4 },
      {
        text: dim(
          startedAt === undefined ? undefined : formatElapsed((endedAt ?? now) - startedAt),
        ),
        priority: 3,
      },
      { text: dim(tokens === undefined ? undefined : formatTokens(tokens)), priority: 2 },
      { text: dim(detail === undefined ? undefined : visibleName(detail)), priority: 1 },
    ],
    "  ",
    columns,
  );
}
