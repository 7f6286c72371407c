import { join } from "node:path";
import type { PluginRequest } from "../../../core/plugins/plugin_sources.ts";
import type { PluginPlaces } from "../../../core/plugins/resolve_plugin.ts";

/**
 * The source of a plugin with one tool, without types.
 *
 * @param id Its id.
 * @param setup What its `setup` does, instead of registering a tool.
 */
export function pluginSource(id: string, setup?: string): string {
  return `
import { definePlugin, textResult } from "@alisio/sdk";
export default definePlugin({
  id: ${JSON.stringify(id)},
  version: "0.1.0",
  apiVersion: 1,
  async setup(api) {
    ${setup ?? registerTool("greet", `"hello of ${id}"`)}
  },
});
`;
}

/**
 * A statement that registers a tool.
 *
 * @param name Its name.
 * @param text The expression of its result.
 * @param more More properties.
 */
export function registerTool(name: string, text: string, more = `effect: "read",`): string {
  return `api.tools.register({
      name: ${JSON.stringify(name)},
      description: "Greets",
      inputSchema: { type: "object", properties: {} },
      ${more}
      execute: async () => textResult(${text}),
    });`;
}

/**
 * A plugin that is named on the command line.
 *
 * @param entry An absolute path or the name of a package.
 * @param rest Other ways to be named.
 */
export function requestOf(entry: string, rest: Partial<PluginRequest> = {}): PluginRequest {
  return { entry, origin: "flag", label: `"${entry}"`, prefersProject: true, ...rest };
}

/**
 * Places below one folder.
 *
 * @param dir The folder.
 * @param rest What differs.
 */
export function placesIn(dir: string, rest: Partial<PluginPlaces> = {}): PluginPlaces {
  return {
    workspace: join(dir, "work"),
    configHome: join(dir, "config"),
    trusted: false,
    env: {},
    ...rest,
  };
}
