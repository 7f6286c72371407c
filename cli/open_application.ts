import { type Application, createApplication } from "../core/application.ts";
import type { ApplicationOptions, BuiltinPlugin } from "../core/application_options.ts";
import { stateHome } from "../core/config/directories.ts";
import { join } from "../core/paths/path.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import {
  createStandardTools,
  loadSchemaValidator,
  loadYamlEditor,
  loadYamlParser,
} from "../tools/standard_tools.ts";
import type { CommandContext } from "./command_context.ts";
import { AGENT_TOOLS, agentsNotice, herdrPlugin, herdrUse } from "./herdr.ts";
import { pluginInstallTool } from "./plugin_install_tool.ts";

/** Plugins that come with the program. Each is imported only when its provider is used. */
export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = [
  {
    id: "openai-compatible",
    load: async () => (await import("../plugins/openai_compatible/mod.ts")).openAiCompatiblePlugin,
  },
  {
    id: "scripted",
    load: async () => (await import("../plugins/scripted/mod.ts")).scriptedPlugin,
  },
  {
    id: "subagents",
    isNeeded: true,
    delegates: true,
    load: async () => (await import("../plugins/subagents/mod.ts")).subagentsPlugin,
  },
];

/** Id of the plugin that remembers. */
export const MEMORY_PLUGIN = "memory";

/**
 * Puts the parts of the program together for a command.
 *
 * @param context What the command was called with.
 * @param person Puts questions to a person, where one is there, or is told of plugins that fail.
 * @throws {AlisioError} If the workspace, the configuration or the database is not usable.
 */
export async function openApplication(
  context: CommandContext,
  person: Pick<
    ApplicationOptions,
    "approve" | "ask" | "view" | "onPluginFailed" | "loadsExternalPlugins" | "taskEnds"
  > = {},
): Promise<Application> {
  const { agents, ...flags } = context.flags;
  const say = (notice: string) => {
    if (!flags.quiet) context.err(`${visibleLines(notice)}\n`);
  };
  const notice = agentsNotice(flags, context.env);
  if (notice !== null) say(notice);
  return await createApplication({
    ...flags,
    ...person,
    ...(agents === undefined ? {} : { agents: await parseAgents(agents) }),
    cwd: context.cwd,
    env: context.env,
    signal: context.signal,
    tools: (facts) => [
      ...createStandardTools(facts),
      // A profile grades each command that a tool runs, and could not grade what npm does.
      ...(flags.readOnly || facts.profile !== undefined ? [] : [pluginInstallTool(facts)]),
    ],
    plugins: [
      ...BUILTIN_PLUGINS.map((plugin) =>
        plugin.id === "subagents" ? placed(plugin, context) : plugin
      ),
      herdrPlugin(herdrUse(flags, context.env), { isReady: person.ask !== undefined, say }),
      memoryPlugin(context),
    ],
    ...(flags.allowAgents ? { allowedTools: AGENT_TOOLS } : {}),
    loadValidator: loadSchemaValidator,
    loadMcp: async () => (await import("../tools/mcp/mcp_parts.ts")).MCP_PARTS,
    loadYamlParser,
    loadYamlEditor,
    onNotice: say,
  });
}

/** Worktrees lie in the state home, wherever `--db` puts the sessions. */
function placed(plugin: BuiltinPlugin, { env }: Pick<CommandContext, "env">): BuiltinPlugin {
  return {
    ...plugin,
    load: async () =>
      (await import("../plugins/subagents/mod.ts")).createSubagentsPlugin({
        worktreeDir: join(stateHome(env), "worktrees"),
      }),
  };
}

/** One memory of the person's, whatever database their sessions are in. */
function memoryPlugin({ cwd, env }: Pick<CommandContext, "cwd" | "env">): BuiltinPlugin {
  return {
    id: MEMORY_PLUGIN,
    isNeeded: true,
    load: async ({ redact }) => {
      const [{ createMemoryPlugin }, workspace] = await Promise.all([
        import("../plugins/memory/mod.ts"),
        Deno.realPath(cwd),
      ]);
      return createMemoryPlugin({
        databasePath: join(stateHome(env), "memory.sqlite"),
        workspace,
        redact,
      });
    },
  };
}

/** Only here is the code that reads them loaded. */
async function parseAgents(text: string): Promise<ApplicationOptions["agents"] & object> {
  return (await import("./parse_agents_flag.ts")).parseAgentsFlag(text);
}
