import { quoted } from "../../config/quoted.ts";
import { AlisioError } from "../../errors.ts";
import { isInside } from "../../paths/is_inside.ts";
import { isLockHeld } from "../../session/lock_file.ts";
import { isPluginPath, parsePackageName } from "../plugin_entry.ts";
import type { ResolvedPlugin } from "../resolve_plugin.ts";
import { isThere } from "./copy_tree.ts";
import { installFolder, readDependencies } from "./install_folder.ts";
import { changedPackages, readRecord } from "./install_record.ts";
import { formatPackage } from "./install_spec.ts";
import { packageClosure } from "./package_closure.ts";

/**
 * Makes sure that a plugin which Alisio installed, and every package that it stands on, still has
 * the files that were installed. Where nothing touched them, their names and times are looked at and
 * no file is read. A package that somebody else put there has no note, and is not judged.
 *
 * @param plugin A plugin that was found.
 * @param configHome The folder of the person's configuration.
 * @throws {AlisioError} `plugin_invalid` if files changed, `install_failed` if the notes about them
 * cannot be read.
 */
export async function assertUnchanged(plugin: ResolvedPlugin, configHome: string): Promise<void> {
  const folder = installFolder(configHome);
  const { entry, label } = plugin.request;
  const name = isPluginPath(entry) ? undefined : parsePackageName(entry)?.name;
  if (name === undefined || !isInside(plugin.found, folder.modules)) return;
  const record = await readRecord(folder);
  const closure = await packageClosure(folder, name);
  const [own] = closure;
  if (own === undefined || !Object.hasOwn(record, own.key)) return;
  const changed = await changedPackages(closure, record);
  if (changed.length === 0) return;
  const isFile = (await readDependencies(folder))[name]?.startsWith("file:") ?? false;
  const source = isFile ? "<its .tgz file>" : formatPackage(name);
  throw new AlisioError(
    "plugin_invalid",
    `Cannot load plugin ${label}: the files of ${
      changed.map((each) => quoted(each.name)).join(", ")
    } ` +
      `are not those that were installed; fetch them anew: alisio install ${source} --update`,
  );
}

/**
 * Whether a change of the installed plugins was cut short and nobody has put it right.
 *
 * @param configHome The folder of the person's configuration.
 */
export async function wasCutShort(configHome: string): Promise<boolean> {
  const folder = installFolder(configHome);
  return await isThere(folder.journal) && !isLockHeld(`${folder.lock}.lock`);
}
