import { isObject } from "../../config/is_object.ts";
import { readSmallFile } from "../../config/small_file.ts";
import { AlisioError } from "../../errors.ts";
import { join } from "../../paths/path.ts";
import { quotePath } from "../../paths/quote_path.ts";
import { pluginFolders } from "../plugin_folders.ts";

/** Where installed plugins and what belongs to them lie. */
export interface InstallFolder {
  /** `config.json` of the person. */
  readonly config: string;
  /** The folder of global plugins. */
  readonly root: string;
  /** Packages. */
  readonly modules: string;
  /** What the package manager was asked for. */
  readonly packageJson: string;
  /** Kept copies of packages that came from a file. */
  readonly localPackages: string;
  /** What Alisio notes about the packages. */
  readonly record: string;
  /** Present while a change goes on, or was cut short. */
  readonly journal: string;
  /** What there was before the change. */
  readonly backup: string;
  /** Held while a change goes on; the lock itself is this and `.lock`. */
  readonly lock: string;
}

/** Package files that a change may touch, relative to the folder. */
export const CHANGED_ENTRIES: readonly string[] = [
  "node_modules",
  "package.json",
  "package-lock.json",
  "deno.lock",
  "local-packages",
];

/** Larger ones are no list of what a person installed. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Names the files of installed plugins.
 *
 * @param configHome The folder of the person's configuration.
 */
export function installFolder(configHome: string): InstallFolder {
  const { global: root } = pluginFolders(configHome, configHome);
  const own = join(root, ".alisio");
  return {
    config: join(configHome, "config.json"),
    root,
    modules: join(root, "node_modules"),
    packageJson: join(root, "package.json"),
    localPackages: join(root, "local-packages"),
    record: join(own, "installed.json"),
    journal: join(own, "journal.json"),
    backup: join(own, "backup"),
    lock: join(own, "install"),
  };
}

/**
 * What the package manager was asked for in the folder: package names with what was asked.
 *
 * @param folder The folder.
 * @throws {AlisioError} `install_failed` if its `package.json` cannot be understood.
 */
export async function readDependencies(
  folder: InstallFolder,
): Promise<Readonly<Record<string, string>>> {
  const file = await readSmallFile(folder.packageJson, MAX_BYTES);
  if (file.status === "missing") return {};
  const content = file.status === "read" ? parse(file.bytes) : null;
  if (!isObject(content)) {
    const reason = file.status === "read" ? "it is no JSON object" : file.reason;
    throw new AlisioError(
      "install_failed",
      `Cannot read ${quotePath(folder.packageJson)}: ${reason}; correct the file, or move the ` +
        "folder of plugins away and install them again",
    );
  }
  const { dependencies } = content;
  if (!isObject(dependencies)) return {};
  return Object.fromEntries(
    Object.entries(dependencies).flatMap(([name, asked]) =>
      typeof asked === "string" ? [[name, asked]] : []
    ),
  );
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
