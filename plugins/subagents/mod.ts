/**
 * The built-in plugin `subagents`: the model hands tasks to other agents, each in a conversation of
 * its own, in parallel or in the background.
 *
 * @module
 */
import { definePlugin, type Plugin } from "@alisio/sdk";
import type { Delegation } from "./delegation.ts";
import { subagentSettings } from "./subagent_settings.ts";
import { taskTools } from "./task_tools.ts";

/** Registers the tools that hand work over, and the tree of agents. */
export const subagentsPlugin: Plugin = definePlugin({
  id: "subagents",
  version: "0.1.0",
  apiVersion: 1,
  name: "Subagents",
  description: "Hands tasks to other agents, in parallel or in the background.",
  categories: ["subagents"],
  setup(api) {
    const { sessions } = api;
    if (sessions === undefined) return;
    const settings = subagentSettings(api.options);
    let loading: Promise<Delegation> | undefined;
    let loaded: Delegation | undefined;
    const delegation = () => {
      loading ??= import("./delegation.ts").then(({ Delegation }) => {
        loaded = new Delegation({ sessions, agents: api.agents, settings });
        return loaded;
      });
      return loading;
    };
    const describeAgents = async () => {
      const catalog = await import("./agent_catalog.ts");
      return catalog.describeAgents((await catalog.listAgents(api.agents)).agents);
    };
    for (const tool of taskTools({ delegation, describeAgents, settings })) {
      api.tools.register(tool);
    }
    api.commands.register("agents", async (args, context = {}) => {
      const { runAgentsCommand } = await import("./agents_command.ts");
      return await runAgentsCommand(args, {
        delegation: await delegation(),
        report: (id) => sessions.lastResult?.(id)?.text,
        open: (id) => api.ui.open(id),
        sessionId: context.sessionId,
      });
    }, {
      description: "Show, open, cancel and resume the tasks of agents, and list definitions",
      argumentHint: "[list|open|cancel|resume|reload|defs]",
    });
    api.events.on((event) => loaded?.tree.observe(event));
    api.ui.panel("agents", {
      title: "Agents",
      nodes: (context) => loaded?.tree.nodes(context) ?? [],
      action: (name, nodeId) => {
        if (name === "cancel") loaded?.cancel(nodeId);
        else loaded?.detach(nodeId);
      },
    });
  },
});
