import type { LoadedConfiguration } from "../config/load_config.ts";
import { basename, join, resolve } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { quoted } from "../config/quoted.ts";
import { isFile } from "./package_json.ts";
import { isModuleFile, isPluginPath } from "./plugin_entry.ts";
import { pluginFolders } from "./plugin_folders.ts";
import { MANIFEST_NAME } from "./plugin_manifest.ts";

/** What names a plugin. */
export type PluginOrigin = "flag" | "configuration" | "global folder" | "project folder";

/** A plugin that is to be loaded. */
export interface PluginRequest {
  /** An absolute path, or the name of a package. */
  readonly entry: string;
  /** What names it. */
  readonly origin: PluginOrigin;
  /** The same for a person, such as `"./hello.ts" of "--plugin"`. */
  readonly label: string;
  /**
   * Whether a package of that name is taken from the `node_modules` of the project too, and before
   * the person's own: its name comes from the command line or from the project's own, trusted
   * configuration.
   */
  readonly prefersProject: boolean;
}

/** Where plugins may be named. */
export interface PluginSources {
  /** Values of `--plugin`. */
  readonly flags: readonly string[];
  /** The directory that they are relative to. */
  readonly cwd: string;
  /** The configuration; of it, only files that are trusted were read. */
  readonly loaded: Pick<LoadedConfiguration, "configuration" | "sources"> | null;
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The workspace. */
  readonly workspace: string;
  /** Whether the project is trusted. */
  readonly trusted: boolean;
}

/**
 * Lists every plugin that is to be loaded, in the order of loading: the person's folder, the
 * configuration, the folder of a trusted project, the command line.
 *
 * @param sources Where plugins may be named.
 */
export function listPluginRequests(sources: PluginSources): readonly PluginRequest[] {
  const { flags, cwd, configHome, workspace, trusted } = sources;
  const folders = pluginFolders(configHome, workspace);
  return [
    ...inFolder(folders.global, "global folder"),
    ...ofConfiguration(sources),
    ...(trusted ? inFolder(folders.project, "project folder") : []),
    ...flags.map((entry): PluginRequest => ({
      entry: isPluginPath(entry) ? resolve(cwd, entry) : entry,
      origin: "flag",
      label: `${quoted(entry, 300)} of "--plugin"`,
      prefersProject: true,
    })),
  ];
}

function ofConfiguration({ loaded }: PluginSources): readonly PluginRequest[] {
  if (loaded === null) return [];
  return loaded.configuration.plugins.map((entry, index) => {
    const source = loaded.sources.get(`plugins[${index}]`);
    const file = source?.file === undefined ? "" : ` in ${quotePath(source.file)}`;
    return {
      entry,
      origin: "configuration",
      label: `${quoted(entry, 300)} of "plugins"${file}`,
      prefersProject: source?.layer !== "global",
    };
  });
}

/** Modules of the folder, and folders in it that have a manifest. Anything else is no plugin. */
function inFolder(folder: string, origin: PluginOrigin): readonly PluginRequest[] {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch {
    // Missing, as a rule; what cannot be listed holds nothing that could be loaded.
    return [];
  }
  return entries.map(({ name }) => join(folder, name))
    .filter((path) => isModuleFile(path) ? isFile(path) : isFile(join(path, MANIFEST_NAME)))
    .filter((path) => !basename(path).startsWith("."))
    .sort()
    .map((entry) => ({ entry, origin, label: quotePath(entry), prefersProject: false }));
}
