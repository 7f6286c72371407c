import { isInside } from "../paths/is_inside.ts";
import { basename, dirname, join } from "../paths/path.ts";
import { foldersAbove, isFolder } from "./package_json.ts";
import type { ResolvedPlugin } from "./resolve_plugin.ts";

/**
 * The folders and files that a plugin is loaded from: its own folder, and every `node_modules` that
 * its packages are looked for in.
 *
 * A folder that holds more than a plugin is not opened for one: where a plugin is a file in the
 * home folder, only the file is.
 *
 * @param plugin The plugin.
 * @param kept Folders that no plugin's folder may hold: the home, those of Alisio, the workspace,
 * those for temporary files.
 */
export function readByPlugin(plugin: ResolvedPlugin, kept: readonly string[]): readonly string[] {
  const { found, module, root } = plugin;
  const holdsMore = (folder: string) =>
    folder === dirname(folder) || kept.some((each) => isInside(each, folder));
  const own = [root, dirname(module)].find((folder) => !holdsMore(folder)) ?? module;
  const packages = foldersAbove(module).flatMap((folder) => {
    if (basename(folder) === "node_modules") return [folder];
    const candidate = join(folder, "node_modules");
    return isFolder(candidate) ? [candidate] : [];
  });
  return [...new Set([found, own, module, ...packages])];
}
