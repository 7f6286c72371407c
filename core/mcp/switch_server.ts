import { changeConfig } from "../config/change_config.ts";
import { isObject } from "../config/is_object.ts";
import type { LoadedConfiguration } from "../config/load_config.ts";
import { quoted } from "../config/quoted.ts";
import { readConfigFile } from "../config/read_config_file.ts";
import { AlisioError } from "../errors.ts";
import {
  changeProjectConfig,
  type ChangeProjectConfigOptions,
} from "../trust/change_project_config.ts";

/** What {@linkcode switchServer} goes by. */
export interface SwitchServerOptions {
  /** The configuration as it was when the application was opened. */
  readonly loaded: Pick<LoadedConfiguration, "layers">;
  /** The project. */
  readonly project: ChangeProjectConfigOptions;
}

/**
 * Switches an MCP server on or off in the file that configures it, in the form that the file has.
 *
 * @param name The server.
 * @param isEnabled What it is to be.
 * @param options What it goes by.
 * @returns What the person should know, if there is anything.
 * @throws {AlisioError} `usage` if no file configures it, or the project is not trusted; `config_*`
 * if the file cannot be changed.
 */
export async function switchServer(
  name: string,
  isEnabled: boolean,
  { loaded, project }: SwitchServerOptions,
): Promise<string | null> {
  const source = loaded.layers.findLast(({ values: { mcp } }) =>
    isObject(mcp) && isObject(mcp["servers"]) && Object.hasOwn(mcp["servers"], name)
  )?.source;
  const file = source?.file;
  const section = file === undefined ? undefined : await sectionOf(file, name);
  if (file === undefined || section === undefined) {
    throw new AlisioError(
      "usage",
      `Cannot switch MCP server ${quoted(name)}: no file configures it any more; reload`,
    );
  }
  const change = { path: [...section, name, "enabled"], value: isEnabled ? undefined : false };
  if (source?.layer === "project") return await changeProjectConfig([change], project);
  await changeConfig(file, [change], { signal: project.signal });
  return null;
}

/** Where in a file a server stands. */
async function sectionOf(file: string, name: string): Promise<readonly string[] | undefined> {
  const content = await readConfigFile(file);
  const { mcp, mcpServers } = content ?? {};
  if (isObject(mcpServers) && Object.hasOwn(mcpServers, name)) return ["mcpServers"];
  const servers = isObject(mcp) ? mcp["servers"] : undefined;
  return isObject(servers) && Object.hasOwn(servers, name) ? ["mcp", "servers"] : undefined;
}
