import { configHome } from "../core/config/directories.ts";
import type { ToolFacts } from "../core/application_options.ts";
import { join } from "../core/paths/path.ts";
import type { HostTool } from "../core/tools/host_tool.ts";
import { PLUGIN_INSTALL } from "../tools/tool_definitions.ts";

/**
 * The tool `plugin_install`, whose code is loaded by its first call.
 *
 * @param facts What the application knows of its workspace.
 */
export function pluginInstallTool(facts: ToolFacts): HostTool {
  const { env, createRedactor, sandbox } = facts;
  return {
    ...PLUGIN_INSTALL,
    async execute(input, context) {
      const { createPluginInstallTool } = await import("../tools/plugin_install.ts");
      const tool = createPluginInstallTool({
        program: await ownProgram(),
        env,
        config: join(configHome(env), "config.json"),
        createRedactor,
        ...(sandbox === undefined ? {} : { sandbox }),
      });
      return await tool.execute(input, context);
    },
  };
}

/** How this program is started anew, with all permissions. */
async function ownProgram(): Promise<readonly [string, ...string[]]> {
  const program = Deno.execPath();
  if (Deno.build.standalone) return [program];
  const { carriedFlags, moduleFlags, readCommandLine } = await import(
    "../core/wall/runtime_flags.ts"
  );
  const main = new URL("../cli.ts", import.meta.url).href;
  const config = import.meta.dirname === undefined
    ? undefined
    : join(import.meta.dirname, "..", "deno.json");
  const flags = moduleFlags(main, carriedFlags(readCommandLine()), config);
  return [program, "run", "--allow-all", ...flags, main];
}
