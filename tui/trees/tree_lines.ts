import type { PanelNode } from "@alisio/sdk";
import type { PluginPanel } from "../../core/plugins/plugin_ui.ts";

/** A line of a tree, at its place. */
export interface TreeLine {
  /** Names it among the lines of all panels. */
  readonly key: string;
  readonly panel: PluginPanel;
  readonly node: PanelNode;
  /** How many lines it hangs below. */
  readonly depth: number;
  /** The line that it hangs on. */
  readonly parentKey?: string;
  /** How many lines hang below it, however deep. */
  readonly below: number;
  /** Whether it, or something below it, goes on. */
  readonly isLive: boolean;
  /** Whether it is blocked on an answer of the person. */
  readonly isWaiting: boolean;
}

/** How many of a panel's lines are in each state; other states are not counted. */
export interface TreeCounts {
  readonly running: number;
  readonly queued: number;
  readonly waiting: number;
  readonly finished: number;
}

const MAX_DEPTH = 8;
const FINISHED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "interrupted"]);

/**
 * The lines of a panel, each below the one that it hangs on. What hangs on nothing that there is
 * stands at the top. Pure.
 *
 * @param panel The panel.
 * @param waiting Sessions that are blocked on an answer of the person.
 */
export function treeLines(
  panel: PluginPanel,
  waiting: ReadonlySet<string> = new Set(),
): readonly TreeLine[] {
  const ids = new Set(panel.nodes.map(({ id }) => id));
  const below = new Map<string | undefined, PanelNode[]>();
  for (const node of panel.nodes) {
    const { parentId } = node;
    const hangs = parentId !== undefined && parentId !== node.id && ids.has(parentId);
    const parent = hangs ? parentId : undefined;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [node]);
    else siblings.push(node);
  }
  const seen = new Set<PanelNode>();
  const place = (parent: string | undefined, depth: number): readonly TreeLine[] =>
    (below.get(parent) ?? []).flatMap((node) => {
      if (seen.has(node)) return [];
      seen.add(node);
      const inner = depth < MAX_DEPTH ? place(node.id, depth + 1) : [];
      return [{
        key: lineKey(panel, node.id),
        panel,
        node,
        depth,
        ...parent === undefined ? {} : { parentKey: lineKey(panel, parent) },
        below: inner.length,
        isLive: isLive(node) || inner.some((line) => line.isLive),
        isWaiting: isLive(node) && node.sessionId !== undefined && waiting.has(node.sessionId),
      }, ...inner];
    });
  return place(undefined, 0);
}

/**
 * How many lines are in each state.
 *
 * @param lines The lines of one panel.
 */
export function countLines(lines: readonly TreeLine[]): TreeCounts {
  const counts = { running: 0, queued: 0, waiting: 0, finished: 0 };
  for (const { node: { status }, isWaiting } of lines) {
    if (isWaiting) counts.waiting += 1;
    else if (status === "running" || status === "queued") counts[status] += 1;
    else if (FINISHED.has(status)) counts.finished += 1;
  }
  return counts;
}

/**
 * Whether a line stands for something that goes on, or will.
 *
 * @param node The line.
 */
export function isLive({ status }: PanelNode): boolean {
  return status === "running" || status === "queued" || status === "waiting";
}

function lineKey({ id }: PluginPanel, nodeId: string): string {
  return JSON.stringify([id, nodeId]);
}
