import { join } from "../paths/path.ts";

/** Folders below which plugins lie without being named. */
export interface PluginFolders {
  /** `<config home>/plugins`. */
  readonly global: string;
  /** `<workspace>/.alisio/plugins`. */
  readonly project: string;
}

/**
 * The folders of plugins that need not be named.
 *
 * @param configHome The folder of the person's configuration.
 * @param workspace The workspace.
 */
export function pluginFolders(configHome: string, workspace: string): PluginFolders {
  return { global: join(configHome, "plugins"), project: join(workspace, ".alisio", "plugins") };
}
