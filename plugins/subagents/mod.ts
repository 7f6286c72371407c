/**
 * The built-in plugin `subagents`: the model hands tasks to other agents, each in a conversation of
 * its own, in parallel or in the background.
 *
 * @module
 */
import { definePlugin, type Plugin, type PluginPaths } from "@alisio/sdk";
import type { Delegation } from "./delegation.ts";
import { subagentSettings } from "./subagent_settings.ts";
import { taskTools } from "./task_tools.ts";

/** Registers the tools that hand work over, and the tree of agents. */
export const subagentsPlugin: Plugin = createSubagentsPlugin({});

/**
 * The plugin, with what it is told by whoever opens it.
 *
 * @param usual `worktreeDir` is used where configuration names no folder for worktrees; without it,
 * it is looked for beside the folders of plugins, which not every run may make.
 */
export function createSubagentsPlugin(usual: { readonly worktreeDir?: string }): Plugin {
  return definePlugin({
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
        loading ??= Promise.all([import("./delegation.ts"), import("./writers/writers.ts")]).then(
          ([{ Delegation }, { Writers }]) => {
            const { parallelWrites } = settings;
            const worktreeDir = settings.worktreeDir ?? usual.worktreeDir ??
              usualWorktrees(api.paths);
            const writers = worktreeDir === undefined
              ? undefined
              : new Writers({ sessions, ui: api.ui, parallelWrites, worktreeDir });
            loaded = new Delegation({
              sessions,
              agents: api.agents,
              settings,
              ...(writers === undefined ? {} : { writers }),
            });
            return loaded;
          },
        );
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
        argumentHint: "[list|open|cancel|resume|merge|discard|reload|defs]",
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
}

/** `worktrees` in the state home, which holds the folder of each plugin in its own `plugins`. */
function usualWorktrees(paths: PluginPaths | undefined): string | undefined {
  return paths?.state.replace(/[\\/]plugins[\\/][^\\/]+$/, "/worktrees");
}
