import { join } from "../../paths/path.ts";
import { recoverPackages } from "./change_packages.ts";
import { isThere } from "./copy_tree.ts";
import { installFolder, readDependencies } from "./install_folder.ts";
import { changedPackages, readRecord } from "./install_record.ts";
import { packageClosure } from "./package_closure.ts";
import {
  addPluginEntries,
  assertEntriesWritable,
  hasPluginEntry,
  removePluginEntry,
} from "./plugin_entries.ts";

/** What of a plugin is there already. */
export interface PresentPlugin {
  readonly version: string;
  readonly path: string;
  /** Names of packages whose files are not those that were installed. */
  readonly changed: readonly string[];
}

/** Prefix of what the package manager was asked for where it was a file. */
const FILE_PREFIX = "file:";

/**
 * Finds a plugin among those that are installed.
 *
 * @param configHome The folder of the person's configuration.
 * @param name Name of its package.
 * @returns Null if it is not there.
 */
export async function findPresent(configHome: string, name: string): Promise<PresentPlugin | null> {
  const folder = installFolder(configHome);
  if (!Object.hasOwn(await readDependencies(folder), name)) return null;
  const closure = await packageClosure(folder, name);
  const [own] = closure;
  if (own === undefined) return null;
  const record = await readRecord(folder);
  const changed = Object.hasOwn(record, own.key) ? await changedPackages(closure, record) : [];
  return {
    version: own.version,
    path: join(folder.modules, name),
    changed: changed.map((each) => each.name),
  };
}

/**
 * Names of the plugins that were installed, in the order of their names.
 *
 * @param configHome The folder of the person's configuration.
 * @returns Those of the registry and those of files apart.
 */
export async function listInstalled(
  configHome: string,
): Promise<{ readonly registry: readonly string[]; readonly files: readonly string[] }> {
  const folder = installFolder(configHome);
  const registry: string[] = [];
  const files: string[] = [];
  for (const [name, asked] of Object.entries(await readDependencies(folder)).sort()) {
    if (!await isThere(join(folder.modules, name))) continue;
    (asked.startsWith(FILE_PREFIX) ? files : registry).push(name);
  }
  return { registry, files };
}

/**
 * Puts back what an earlier installation that was cut short had begun.
 *
 * @param configHome The folder of the person's configuration.
 * @param notify Is told of it.
 * @throws {AlisioError} `install_failed` if that fails.
 */
export async function recoverInstallation(
  configHome: string,
  notify: (notice: string) => void,
): Promise<void> {
  await recoverPackages(installFolder(configHome), notify);
}

/**
 * Takes a plugin that is not installed out of the person's configuration.
 *
 * @param configHome The folder of the person's configuration.
 * @param name Name of its package.
 * @returns Whether it was named there.
 * @throws {AlisioError} If the file is not usable, or cannot be written.
 */
export async function forgetPlugin(configHome: string, name: string): Promise<boolean> {
  const { config } = installFolder(configHome);
  if (!await hasPluginEntry(config, name)) return false;
  await assertEntriesWritable(config);
  await removePluginEntry(config, name);
  return true;
}

/**
 * Names an installed plugin in the person's configuration again, if it is not named there.
 *
 * @param configHome The folder of the person's configuration.
 * @param name Name of its package.
 * @returns Whether it was not named there.
 * @throws {AlisioError} If the file is not usable, or cannot be written.
 */
export async function rememberPlugin(configHome: string, name: string): Promise<boolean> {
  const { config } = installFolder(configHome);
  if (await hasPluginEntry(config, name)) return false;
  await assertEntriesWritable(config);
  await addPluginEntries(config, [name]);
  return true;
}
