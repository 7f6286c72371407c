import type { PanelNode } from "@alisio/sdk";
import type { PluginPanel } from "../../../core/plugins/plugin_ui.ts";

/** A line of a tree. */
export function node(id: string, more: Partial<PanelNode> = {}): PanelNode {
  return { id, label: `task ${id}`, status: "running", sessionId: `session-${id}`, ...more };
}

/** A panel with lines. */
export function panelOf(...nodes: readonly PanelNode[]): PluginPanel {
  return { id: "panel", plugin: "acme.one", title: "Agents", nodes, acts: true };
}
