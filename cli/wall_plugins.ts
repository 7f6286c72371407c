import { configHome, stateHome, userHome } from "../core/config/directories.ts";
import type { LoadedConfiguration } from "../core/config/load_config.ts";
import { AlisioError } from "../core/errors.ts";
import { resolve } from "../core/paths/path.ts";
import { isFolder } from "../core/plugins/package_json.ts";
import { pluginFolders } from "../core/plugins/plugin_folders.ts";
import { readByPlugin } from "../core/plugins/plugin_reads.ts";
import { listPluginRequests } from "../core/plugins/plugin_sources.ts";
import { resolvePlugin } from "../core/plugins/resolve_plugin.ts";
import type { WallRequest } from "./wall_facts.ts";

/** Where programs of all kinds and of all users put their files. */
const SHARED_FOLDERS = ["/tmp", "/var/tmp"] as const;

/**
 * The folders and files that the external plugins of a run are loaded from, found as the run itself
 * will find them.
 *
 * @param request The run.
 * @param workspace Real path of the workspace.
 * @param loaded The configuration, where it names plugins.
 * @throws {AlisioError} `plugin_invalid` if a plugin of the command line cannot be found. What is
 * wrong with any other is said when it is left out.
 */
export async function readForPlugins(
  request: WallRequest,
  workspace: string,
  loaded: Pick<LoadedConfiguration, "configuration" | "sources"> | null,
): Promise<readonly string[]> {
  const { flags, cwd, env } = request;
  const homes = { config: configHome(env), state: stateHome(env) };
  const { project } = pluginFolders(homes.config, workspace);
  const trusted = (loaded !== null || isFolder(project)) &&
    await isTrusted(request, workspace, homes.state);
  const requests = listPluginRequests({
    flags: flags.plugin,
    cwd,
    loaded,
    configHome: homes.config,
    workspace,
    trusted,
  });
  const home = userHome(env);
  const kept = [
    ...SHARED_FOLDERS,
    ...home === undefined ? [] : [home],
    ...env["TMPDIR"] === undefined ? [] : [resolve(env["TMPDIR"])],
    homes.config,
    homes.state,
    workspace,
  ].map(realOrSame);
  return requests.flatMap((each) => {
    try {
      const places = { workspace, configHome: homes.config, trusted, env };
      return readByPlugin(resolvePlugin(each, places), kept);
    } catch (error) {
      if (each.origin === "flag" || !(error instanceof AlisioError)) throw error;
      return [];
    }
  });
}

/** Whoever has nothing that needs trust does not pay for what looks it up. */
async function isTrusted(
  { flags, cwd }: WallRequest,
  workspace: string,
  state: string,
): Promise<boolean> {
  const { projectTrust } = await import("../core/trust/project_trust.ts");
  const trust = await projectTrust({
    workspace,
    stateHome: state,
    trustProjectFlag: flags.trustProject,
    ...(flags.config === undefined ? {} : { explicitConfig: resolve(cwd, flags.config) }),
  });
  return trust.state === "trusted";
}

function realOrSame(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}
