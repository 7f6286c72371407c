import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { isInside } from "../paths/is_inside.ts";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { findInstalledPackage, packageMain } from "./installed_package.ts";
import { foldersAbove, isFile, isFolder, readPackageJson } from "./package_json.ts";
import { packageTarget } from "./package_targets.ts";
import { foreignScheme, isModuleFile, isPluginPath, parsePackageName } from "./plugin_entry.ts";
import { PluginFilesError, readPluginManifest } from "./plugin_manifest.ts";
import type { PluginRequest } from "./plugin_sources.ts";

/** Where packages are looked for. */
export interface PluginPlaces {
  /** The workspace. */
  readonly workspace: string;
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** Whether the project is trusted. */
  readonly trusted: boolean;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A plugin whose module was found. */
export interface ResolvedPlugin {
  readonly request: PluginRequest;
  /** Where it was found, symbolic links and all. */
  readonly found: string;
  /** Real path of its module. */
  readonly module: string;
  /** The folder that it comes in, or the module itself where it comes alone. */
  readonly root: string;
}

/** What a plugin's package must say of itself, so that a slip of the pen loads nothing else. */
const KEYWORD = "alisio-plugin";

/** What holds for the entry of a plugin's package. */
const ENTRY_CONDITIONS = ["import", "node"] as const;

/**
 * Finds the module of a plugin, by path or in `node_modules`.
 *
 * @param request The plugin.
 * @param places Where packages are looked for.
 * @throws {AlisioError} `plugin_invalid` if there is none that could be loaded.
 */
export function resolvePlugin(request: PluginRequest, places: PluginPlaces): ResolvedPlugin {
  try {
    const place = isPluginPath(request.entry) ? atPath(request.entry) : ofPackage(request, places);
    return { request, ...place };
  } catch (error) {
    throw new AlisioError(
      "plugin_invalid",
      `Cannot load plugin ${request.label}: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

type Place = Omit<ResolvedPlugin, "request">;

function atPath(path: string): Place {
  const real = realPath(path);
  if (isFolder(real)) {
    return { found: path, module: entryOf(real, readPluginManifest(real)), root: real };
  }
  if (!isModuleFile(real) || !isFile(real)) {
    throw new PluginFilesError(
      "a plugin is a .js, .mjs, .cjs, .ts, .mts or .cts file, or a folder",
    );
  }
  return { found: path, module: real, root: packageRootOf(real) };
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    throw new PluginFilesError(
      error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory
        ? `there is no ${quotePath(path)}`
        : `${quotePath(path)} cannot be read`,
      { cause: error },
    );
  }
}

/** The nearest folder with a `package.json`; a file that lies in none comes with its own folder. */
function packageRootOf(file: string): string {
  for (const folder of foldersAbove(file)) {
    if (basename(folder) === "node_modules") break;
    if (isFile(join(folder, "package.json"))) return folder;
  }
  return dirname(file);
}

function ofPackage(request: PluginRequest, places: PluginPlaces): Place {
  const scheme = foreignScheme(request.entry);
  if (scheme !== null) throw new PluginFilesError(adviceFor(scheme));
  const named = parsePackageName(request.entry);
  if (named === null) {
    throw new PluginFilesError("it is neither a path nor the name of an npm package");
  }
  const { name, version } = named;
  const folder = findPackage(name, request, places);
  if (folder === null) {
    throw new PluginFilesError(
      `package ${quoted(name)} is not installed where Alisio looks: in node_modules from the ` +
        "project upward, in the plugins folder of the configuration, in NODE_PATH and among npm's " +
        "global packages",
    );
  }
  const real = realPath(folder);
  const description = readPackageJson(real);
  if (description === null) {
    throw new PluginFilesError(`${quotePath(folder)} has no package.json that can be read`);
  }
  if (!description.keywords.includes(KEYWORD)) {
    throw new PluginFilesError(
      `package ${quoted(name)} is no Alisio plugin: its package.json lacks the keyword ` +
        `"${KEYWORD}"`,
    );
  }
  assertVersion(version, description.version);
  const main = packageMain(description, ENTRY_CONDITIONS);
  if (main !== null) return { found: folder, module: inside(real, main), root: real };
  const target = packageTarget(description.exports, ".", ENTRY_CONDITIONS);
  throw new PluginFilesError(
    target === null
      ? 'the "exports" of its package.json offer no "." for the conditions import, node or default'
      : `its entry ${quoted(target)} leads out of its folder`,
  );
}

function adviceFor(scheme: string): string {
  return scheme === "file:"
    ? 'it is an address; write the path of the file or folder, without "file:"'
    : `nothing is loaded from addresses with ${
      quoted(scheme)
    }; write a path or the name of an npm ` +
      "package, which alisio install fetches";
}

function assertVersion(wanted: string | undefined, installed: string | undefined): void {
  if (wanted === undefined || wanted === installed) return;
  throw new PluginFilesError(
    `version ${quoted(wanted)} is asked for, and ${quoted(installed ?? "none")} is installed; ` +
      "name the package alone, or the exact version that is installed",
  );
}

function entryOf(folder: string, entry: string): string {
  return inside(folder, resolve(folder, entry));
}

/** Real path of a module that must lie in a folder. */
function inside(folder: string, path: string): string {
  const real = realPath(path);
  if (!isInside(real, folder) || real === folder) {
    throw new PluginFilesError(`its entry ${quotePath(path)} leads out of its folder`);
  }
  if (!isModuleFile(real) || !isFile(real)) {
    throw new PluginFilesError(
      `its entry ${quotePath(path)} is no JavaScript or TypeScript module`,
    );
  }
  return real;
}

/**
 * A name in the person's own configuration means what they installed; what a repository brings
 * along does not take its place.
 */
function findPackage(
  name: string,
  { prefersProject }: PluginRequest,
  { workspace, configHome, trusted, env }: PluginPlaces,
): string | null {
  const own = [join(configHome, "plugins", "node_modules", name)];
  const ofProject = findInstalledPackage(name, join(workspace, "package.json"));
  const project = ofProject === null ? [] : [ofProject];
  const candidates = prefersProject ? [...project, ...own] : [...own, ...(trusted ? project : [])];
  return [...candidates, ...globalRoots(env, workspace).map((root) => join(root, name))]
    .find(isFolder) ?? null;
}

/**
 * Where npm puts packages for everybody: `NODE_PATH`, and beside every folder of programs, because
 * `npm install --global` links a package's programs there.
 */
function globalRoots(env: PluginPlaces["env"], workspace: string): readonly string[] {
  const split = (list: string | undefined) =>
    (list ?? "").split(delimiter).filter((folder) =>
      isAbsolute(folder) && !isInside(resolve(folder), workspace)
    );
  const beside = split(env["PATH"]).flatMap((folder) => {
    if (Deno.build.os === "windows") return [join(folder, "node_modules")];
    return basename(folder) === "bin" ? [join(dirname(folder), "lib", "node_modules")] : [];
  });
  return [...new Set([...split(env["NODE_PATH"]), ...beside])];
}
