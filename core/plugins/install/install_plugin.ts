import { lacksContract, standInForContract } from "./contract_stand_in.ts";
import { quoted } from "../../config/quoted.ts";
import { AlisioError, errorMessage } from "../../errors.ts";
import { dirname, join } from "../../paths/path.ts";
import { VERSION } from "../../version.ts";
import { resolvePlugin } from "../resolve_plugin.ts";
import { changePackages, INSTALL_VARIABLE } from "./change_packages.ts";
import { isThere, removeTree } from "./copy_tree.ts";
import { explainFailure } from "./explain_failure.ts";
import { type InstallFolder, installFolder, readDependencies } from "./install_folder.ts";
import { changedDigests, writeRecord } from "./install_record.ts";
import { formatPackage, type InstallSpec } from "./install_spec.ts";
import { findScriptedPackages, type ScriptedPackage } from "./lifecycle_scripts.ts";
import { type InstalledPackage, packageClosure } from "./package_closure.ts";
import {
  findPackageManager,
  npmMissing,
  type PackageManager,
  type PackageTask,
  runPackageManager,
} from "./package_manager.ts";
import { inspectPackedPlugin, type PackedPlugin } from "./packed_plugin.ts";
import { findPeerConflicts } from "./peer_conflicts.ts";
import { addPluginEntries, assertEntriesWritable, removePluginEntry } from "./plugin_entries.ts";
import { isInRange } from "./version_range.ts";

/** What installing takes. */
export interface InstallOptions {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The project that the person is in; no program of it is started. */
  readonly workspace: string;
  /** The person's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
  /** Ends it, with everything put back. */
  readonly signal: AbortSignal;
  /** Names of packages whose scripts may run. */
  readonly allowScripts: readonly string[];
  /** The command that tries again, for messages. */
  readonly retry: string;
  /** Receives what the person should be told, one sentence each. */
  readonly notify: (notice: string) => void;
}

/** What is to be installed or updated. */
export type InstallTarget =
  /** One plugin of the registry. */
  | { readonly kind: "registry"; readonly name: string; readonly version?: string }
  /** One plugin of a file that was looked at. */
  | { readonly kind: "file"; readonly path: string; readonly plugin: PackedPlugin };

/** A plugin that was installed or updated. */
export interface InstalledPlugin {
  /** Name of its package, and its entry in the configuration. */
  readonly name: string;
  readonly version: string;
  /** The version that was there before; absent if there was none. */
  readonly previous?: string;
  /** Where it lies. */
  readonly path: string;
}

/** What an installation came to. */
export interface InstallResult {
  readonly plugins: readonly InstalledPlugin[];
  /** Packages that would have run something, and did not. */
  readonly silenced: readonly ScriptedPackage[];
  /** Packages whose scripts ran. */
  readonly ran: readonly string[];
}

/** The same while a change goes on. */
interface ChangeOptions extends InstallOptions {
  /** Marks the processes of the change. */
  readonly mark: string;
}

/** Prefix of what the package manager was asked for where it was a file. */
const FILE_PREFIX = "file:";

/** The contract's package: plugins say which version of it they were made for. */
const SDK = "@alisio/sdk";

/**
 * Looks at what a person asks for, before they are asked anything.
 *
 * @param spec What they wrote.
 * @param path Absolute path of the file, where it is one.
 * @throws {AlisioError} `plugin_invalid` if it is a file that cannot be installed, or no plugin but
 * the contract that plugins are written against.
 */
export async function inspectTarget(spec: InstallSpec, path: string): Promise<InstallTarget> {
  const target: InstallTarget = spec.kind === "registry"
    ? spec
    : { kind: "file", path, plugin: await inspectPackedPlugin(path, spec.path) };
  if (nameOf(target) !== SDK) return target;
  throw new AlisioError(
    "plugin_invalid",
    `Cannot install ${quoted(labelOf(target), 300)}: ${quoted(SDK)} is no plugin; it comes with ` +
      "Alisio, and plugins find it without being installed",
  );
}

/**
 * Installs plugins, or updates them, in one call of the package manager, and names them in the
 * person's configuration. All or nothing: where anything fails, and where the process is killed,
 * everything is put back as it was.
 *
 * @param targets What is installed. Plugins of the registry without a version get their latest.
 * @param options What it takes.
 * @throws {AlisioError} `install_failed` if it fails, `plugin_invalid` if a package is no plugin,
 * `usage` if a package whose scripts may run has none.
 * @throws The reason of `signal`.
 */
export async function installPlugins(
  targets: readonly InstallTarget[],
  options: InstallOptions,
): Promise<InstallResult> {
  const folder = installFolder(options.configHome);
  await assertEntriesWritable(folder.config);
  const manager = await findPackageManager(options.env, options.workspace);
  const needsNpm = options.allowScripts.length > 0 || targets.some(({ kind }) => kind === "file");
  if (manager.kind !== "npm" && needsNpm) throw npmMissing();
  const names = targets.map(nameOf);
  return await changePackages(
    folder,
    names,
    (mark) => install(targets, folder, manager, { ...options, mark }),
    options.notify,
  );
}

/**
 * Lets the scripts of installed packages run that were left out when they were installed.
 *
 * @param names Names of the plugins' packages.
 * @param options What it takes.
 * @throws {AlisioError} `install_failed` if one fails, `usage` if a package has none.
 * @throws The reason of `signal`.
 */
export async function runPackageScripts(
  names: readonly string[],
  options: InstallOptions,
): Promise<readonly string[]> {
  const folder = installFolder(options.configHome);
  const manager = await findPackageManager(options.env, options.workspace);
  if (manager.kind !== "npm") throw npmMissing();
  return await changePackages(folder, names, async (mark) => {
    const before = await changedDigests(folder, await installedNames(folder));
    const ran = await runScripts(names, folder, manager, { ...options, mark });
    await writeRecord(folder, await installedNames(folder), before);
    return ran;
  }, options.notify);
}

/**
 * Removes a plugin, with the packages that nothing else needs, and its place in the configuration.
 * All or nothing, as {@linkcode installPlugins}.
 *
 * @param name Name of its package.
 * @param options What it takes.
 * @throws {AlisioError} `install_failed` if it fails.
 * @throws The reason of `signal`.
 */
export async function uninstallPlugin(name: string, options: InstallOptions): Promise<void> {
  const folder = installFolder(options.configHome);
  await assertEntriesWritable(folder.config);
  const manager = await findPackageManager(options.env, options.workspace);
  await changePackages(folder, [], async (mark) => {
    const before = await changedDigests(folder, await installedNames(folder));
    const asked = (await readDependencies(folder))[name];
    const attempt = { ...options, mark, what: `uninstall ${quoted(name)}`, isUpdateOfAll: false };
    await runManager(manager, { do: "uninstall", name }, folder, attempt);
    await removeTree(join(folder.modules, name));
    await removeKeptCopy(folder, asked);
    await writeRecord(folder, await installedNames(folder), before);
  }, options.notify);
  await removePluginEntry(folder.config, name);
}

async function install(
  targets: readonly InstallTarget[],
  folder: InstallFolder,
  manager: PackageManager,
  options: ChangeOptions,
): Promise<InstallResult> {
  const names = targets.map(nameOf);
  const before = await changedDigests(folder, await installedNames(folder));
  const asked = await readDependencies(folder);
  const previous = new Map<string, string>();
  for (const name of names) {
    const closure = await packageClosure(folder, name);
    if (closure[0] !== undefined) previous.set(name, closure[0].version);
    await removeChanged(closure, before, folder);
  }
  if (manager.kind === "deno" && !await isThere(folder.packageJson)) {
    await Deno.writeTextFile(folder.packageJson, "{}\n");
  }
  const packages: string[] = [];
  for (const target of targets) packages.push(await packageOf(target, folder));
  const isUpdateOfAll = targets.length > 1;
  const what = isUpdateOfAll
    ? `update ${targets.length} plugins`
    : `install ${quoted(labelOf(targets[0]), 300)}`;
  const attempt = { ...options, what, isUpdateOfAll };
  await runManager(manager, { do: "install", packages }, folder, attempt);
  const plugins: InstalledPlugin[] = [];
  for (const target of targets) {
    plugins.push(await checkInstalled(target, folder, previous, options));
  }
  const ran = options.allowScripts.length === 0
    ? []
    : await runScripts(names, folder, manager, options);
  for (const target of targets) {
    const name = nameOf(target);
    if (asked[name] !== (await readDependencies(folder))[name]) {
      await removeKeptCopy(folder, asked[name]);
    }
  }
  if (manager.kind === "deno") {
    const all = await closureOf(folder, await installedNames(folder));
    findPeerConflicts(all).forEach(options.notify);
  }
  const scripted = findScriptedPackages(await closureOf(folder, names));
  await writeRecord(folder, await installedNames(folder), before);
  await addPluginEntries(folder.config, names);
  options.signal.throwIfAborted();
  return { plugins, ran, silenced: scripted.filter(({ name }) => !ran.includes(name)) };
}

/** What somebody changed is fetched anew: npm would take it for what it should be. */
async function removeChanged(
  closure: readonly InstalledPackage[],
  changed: ReadonlyMap<string, string>,
  folder: InstallFolder,
): Promise<void> {
  const broken = closure.filter(({ key }) => changed.has(key));
  if (broken.length === 0) return;
  for (const { folder: path } of broken) await removeTree(path);
  await removeTree(join(folder.modules, ".package-lock.json"));
}

/** What the package manager is asked for. A file is copied to where it stays. */
async function packageOf(target: InstallTarget, folder: InstallFolder): Promise<string> {
  if (target.kind === "registry") return `${target.name}@${target.version ?? "latest"}`;
  const { name, version } = target.plugin;
  const place = `local-packages/${name}-${version}.tgz`;
  const copy = join(folder.root, place);
  await removeTree(copy);
  await Deno.mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  await Deno.copyFile(target.path, copy);
  // The file may have become another one since the person was asked.
  const copied = await inspectPackedPlugin(copy, target.path);
  if (copied.name === name && copied.version === version) return `${FILE_PREFIX}${place}`;
  throw new AlisioError(
    "install_failed",
    `Cannot install ${quoted(target.path, 300)}: the file changed meanwhile; try again`,
  );
}

async function runManager(
  manager: PackageManager,
  task: PackageTask,
  folder: InstallFolder,
  { what, isUpdateOfAll, mark, ...options }: ChangeOptions & {
    readonly what: string;
    readonly isUpdateOfAll: boolean;
  },
): Promise<void> {
  const installed = await installedNames(folder);
  const run = async () => {
    const ended = await runPackageManager(manager, task, {
      ...options,
      folder,
      variables: { [INSTALL_VARIABLE]: mark },
    });
    options.signal.throwIfAborted();
    return ended;
  };
  let outcome = await run();
  // Plugins name the contract as a peer, and get it from the host.
  if (lacksContract(manager, outcome) && await standInForContract(folder)) outcome = await run();
  if (outcome.endedBy !== "exit" || outcome.exitCode !== 0) {
    const { retry } = options;
    throw explainFailure(manager, outcome, { what, retry, isUpdateOfAll, installed });
  }
}

async function checkInstalled(
  target: InstallTarget,
  folder: InstallFolder,
  previous: ReadonlyMap<string, string>,
  { configHome, workspace, notify }: InstallOptions,
): Promise<InstalledPlugin> {
  const name = nameOf(target);
  const [own] = await packageClosure(folder, name);
  const label = quoted(labelOf(target), 300);
  if (own === undefined || own.name !== name) {
    throw new AlisioError(
      "install_failed",
      `Cannot install ${label}: the package manager ended well, but ${
        quoted(name)
      } is not there; ` +
        "everything is as it was before",
    );
  }
  if (target.kind === "file" && own.version !== target.plugin.version) {
    throw new AlisioError(
      "install_failed",
      `Cannot install ${label}: the package manager unpacked version ${
        quoted(own.version, 100)
      }, ` +
        `and the file was shown as ${target.plugin.version}; everything is as it was before`,
    );
  }
  try {
    resolvePlugin(
      { entry: name, origin: "configuration", label, prefersProject: false },
      { configHome, workspace, trusted: false, env: {} },
    );
  } catch (error) {
    if (!(error instanceof AlisioError)) throw error;
    throw new AlisioError(
      "plugin_invalid",
      `Cannot install ${label}: ${errorMessage(error.cause)}; everything is as it was before`,
      { cause: error },
    );
  }
  const range = own.peers[SDK];
  if (range !== undefined && !isInRange(VERSION, range)) {
    notify(
      `Plugin ${quoted(name)} ${own.version} is made for ${SDK} ${
        quoted(range)
      }, and this Alisio ` +
        `has ${VERSION}; it may not work`,
    );
  }
  const before = previous.get(name);
  return {
    name,
    version: own.version,
    ...(before === undefined ? {} : { previous: before }),
    path: join(folder.modules, name),
  };
}

async function runScripts(
  names: readonly string[],
  folder: InstallFolder,
  manager: PackageManager,
  options: ChangeOptions,
): Promise<readonly string[]> {
  const scripted = findScriptedPackages(await closureOf(folder, names)).map(({ name }) => name);
  const unknown = options.allowScripts.find((name) => !scripted.includes(name));
  if (unknown !== undefined) {
    const offered = scripted.length === 0
      ? "none has any"
      : `those that do: ${scripted.join(", ")}`;
    throw new AlisioError(
      "usage",
      `Cannot run scripts of ${
        quoted(unknown)
      }: no such package of the plugin would run any when ` +
        `it is installed; ${offered}. Everything is as it was before`,
    );
  }
  const packages = [...new Set(options.allowScripts)];
  const attempt = {
    ...options,
    what: `run the scripts of ${packages.map((each) => quoted(each)).join(", ")}`,
    isUpdateOfAll: false,
  };
  await runManager(manager, { do: "run scripts", packages }, folder, attempt);
  return packages;
}

async function closureOf(
  folder: InstallFolder,
  names: readonly string[],
): Promise<readonly InstalledPackage[]> {
  const found = new Map<string, InstalledPackage>();
  for (const name of names) {
    for (const each of await packageClosure(folder, name)) found.set(each.key, each);
  }
  return [...found.values()];
}

async function installedNames(folder: InstallFolder): Promise<readonly string[]> {
  return Object.keys(await readDependencies(folder));
}

/** The copy of a file that nothing is installed from any more. */
async function removeKeptCopy(folder: InstallFolder, asked: string | undefined): Promise<void> {
  const [, place] = /^file:(local-packages\/(?:@[^/\\]+\/)?[^/\\]+\.tgz)$/.exec(asked ?? "") ?? [];
  if (place !== undefined && !place.includes("..")) await removeTree(join(folder.root, place));
}

function nameOf(target: InstallTarget): string {
  return target.kind === "registry" ? target.name : target.plugin.name;
}

function labelOf(target: InstallTarget | undefined): string {
  if (target === undefined) return "";
  return target.kind === "file" ? target.path : formatPackage(target.name, target.version);
}
