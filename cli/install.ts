import { configHome } from "../core/config/directories.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";
import { resolve } from "../core/paths/path.ts";
import {
  inspectTarget,
  type InstallOptions,
  installPlugins,
  type InstallResult,
  type InstallTarget,
  runPackageScripts,
} from "../core/plugins/install/install_plugin.ts";
import {
  findPresent,
  listInstalled,
  type PresentPlugin,
  recoverInstallation,
  rememberPlugin,
} from "../core/plugins/install/installed_plugins.ts";
import { formatPackage, parseInstallSpec } from "../core/plugins/install/install_spec.ts";
import type { ScriptedPackage } from "../core/plugins/install/lifecycle_scripts.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";
import { confirmAtTerminal } from "./confirm.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { secretValues } from "./secret_values.ts";

/** Longest script that is shown whole. */
const MAX_SCRIPT_CHARS = 200;

/**
 * `alisio install`: installs a plugin from npm or from a `.tgz` file into the person's own folder of
 * plugins and names it in their configuration, or updates what is installed.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, nobody agreed, or nothing could be installed.
 */
export async function runInstall(context: CommandContext): Promise<number> {
  const [text, extra] = context.args;
  if (extra !== undefined) {
    throw new AlisioError(
      "usage",
      `Unexpected argument ${quoted(extra)}: write alisio install <package>, one at a time`,
    );
  }
  const isUpdate = context.commandFlags.update === true;
  if (text === undefined && !isUpdate) {
    throw new AlisioError(
      "usage",
      "Write alisio install npm:<package>, alisio install <file>.tgz, or alisio install --update",
    );
  }
  const spec = text === undefined ? null : parseInstallSpec(text);
  assertMayInstall(context);
  await recoverInstallation(configHome(context.env), noticesOf(context));
  if (spec === null) return await updateAll(context);
  const path = spec.kind === "file" ? resolve(context.cwd, spec.path) : "";
  return await installOne(context, await inspectTarget(spec, path), isUpdate);
}

/**
 * What installing and uninstalling take from the command line.
 *
 * @param context What the command was called with.
 */
export function installOptions(context: CommandContext): InstallOptions {
  return {
    configHome: configHome(context.env),
    workspace: resolveWorkspace(context.cwd),
    env: context.env,
    secrets: secretValues(context.env),
    signal: context.signal,
    allowScripts: scriptsOf(context),
    retry: commandLine(context),
    notify: noticesOf(context),
  };
}

/**
 * Where what a person should know of an installation goes.
 *
 * @param context What the command was called with.
 */
export function noticesOf({ flags, err }: CommandContext): (notice: string) => void {
  return (notice) => {
    if (!flags.quiet) err(`${visibleLines(notice)}\n`);
  };
}

/**
 * Refuses to change anything where only reading is allowed.
 *
 * @param context What the command was called with.
 * @throws {AlisioError} `usage` under `--read-only`.
 */
export function assertMayInstall({ flags }: CommandContext): void {
  if (!flags.readOnly) return;
  throw new AlisioError("usage", 'Cannot change the installed plugins: "--read-only" was given');
}

async function installOne(
  context: CommandContext,
  target: InstallTarget,
  isUpdate: boolean,
): Promise<number> {
  const name = target.kind === "registry" ? target.name : target.plugin.name;
  const present = await findPresent(configHome(context.env), name);
  if (present !== null && !isUpdate) return await sayPresent(context, target, present);
  if (present === null && isUpdate) {
    throw new AlisioError(
      "usage",
      `Cannot update ${quoted(name)}: it is not installed; write ${commandLine(context, [])}`,
    );
  }
  if (present !== null && target.kind === "registry") await assertFromRegistry(context, name);
  const done = present === null ? "installed" : "updated";
  const scripts = target.kind === "file" ? target.plugin.scripts : {};
  const label = target.kind === "file"
    ? `${quoted(name)} ${target.plugin.version} of ${quotePath(target.path)}`
    : quoted(formatPackage(name, target.version));
  await assertConfirmed(context, `${present === null ? "Install" : "Update"} ${label}`, [
    ...Object.keys(scripts).length === 0 || scriptsOf(context).includes(name)
      ? []
      : [`It has scripts that are left out: ${Object.keys(scripts).join(", ")}`],
  ]);
  sayAtWork(context);
  await finish(context, done, await installPlugins([target], installOptions(context)));
  return EXIT_STATUS.completed;
}

async function updateAll(context: CommandContext): Promise<number> {
  const { registry, files } = await listInstalled(configHome(context.env));
  if (files.length > 0) {
    noticesOf(context)(
      `Left as they are, because they came from a file: ${
        files.map((each) => quoted(each)).join(", ")
      }`,
    );
  }
  if (registry.length === 0) {
    report(context, "updated", { plugins: [], silenced: [], ran: [] });
    if (!context.flags.json) {
      context.out("No plugin is installed from npm; there is nothing to update\n");
    }
    return EXIT_STATUS.completed;
  }
  await assertConfirmed(context, `Update ${registry.map((each) => quoted(each)).join(", ")}`, []);
  sayAtWork(context);
  const targets = registry.map((name): InstallTarget => ({ kind: "registry", name }));
  await finish(context, "updated", await installPlugins(targets, installOptions(context)));
  return EXIT_STATUS.completed;
}

/** Says what was installed, and asks about scripts where somebody can answer. */
async function finish(
  context: CommandContext,
  done: "installed" | "updated",
  result: InstallResult,
): Promise<void> {
  const { silenced } = result;
  if (silenced.length === 0 || isAgreed(context) || !canAsk(context)) {
    return report(context, done, result);
  }
  report(context, done, { ...result, silenced: [] });
  const names = result.plugins.map(({ name }) => name);
  const allowed = await askAboutScripts(context, silenced);
  if (allowed.length > 0) {
    sayAtWork(context);
    const options = { ...installOptions(context), allowScripts: allowed };
    const ran = await runPackageScripts(names, options);
    context.out(`Scripts were run: ${ran.join(", ")}\n`);
  }
  const left = silenced.filter(({ name }) => !allowed.includes(name));
  if (left.length > 0) sayHowToAllow(context, names[0], left);
}

/** A script has all rights of the person, so each package takes a yes of its own. */
async function askAboutScripts(
  context: CommandContext,
  packages: readonly ScriptedPackage[],
): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const each of packages) {
    context.err(`${visibleLines(`${describeScripts(each)}, with all your rights`)}\n`);
    const question = `Let the scripts of ${quoted(each.name)} run?`;
    if (await confirmAtTerminal(context, question)) allowed.push(each.name);
  }
  return allowed;
}

function describeScripts({ name, version, scripts }: ScriptedPackage): string {
  const list = Object.entries(scripts)
    .map(([key, script]) => `${key}: ${quoted(script, MAX_SCRIPT_CHARS)}`);
  return `Package ${quoted(name)} ${version} would run ${list.join("; ")}`;
}

/** A package may take minutes, and npm is not heard. */
function sayAtWork({ flags, output, err }: CommandContext): void {
  if (output.errIsTerminal && !flags.quiet) err("Installing…\n");
}

/** npm is not run again: what is there stays, unless the person says otherwise. */
async function sayPresent(
  context: CommandContext,
  target: InstallTarget,
  present: PresentPlugin,
): Promise<number> {
  const name = target.kind === "registry" ? target.name : target.plugin.name;
  const update = commandLine(context, ["--update"]);
  const scripts = scriptsOf(context);
  if (scripts.length > 0) {
    await assertConfirmed(context, `Let the scripts of ${scripts.join(", ")} run`, []);
    const ran = await runPackageScripts([name], installOptions(context));
    const plugin = { name, version: present.version, path: present.path };
    report(context, "present", { plugins: [plugin], silenced: [], ran });
    return EXIT_STATUS.completed;
  }
  const isNamed = await rememberPlugin(configHome(context.env), name);
  if (context.flags.json) {
    const plugin = { name, version: present.version, path: present.path };
    report(context, "present", { plugins: [plugin], silenced: [], ran: [] });
  } else {
    context.out(`Plugin ${quoted(name)} ${visibleName(present.version)} is installed already\n`);
  }
  const notify = noticesOf(context);
  if (isNamed) notify('It was not named in "plugins" of your configuration, and now is');
  if (present.changed.length > 0) {
    notify(
      `The files of ${present.changed.map((each) => quoted(each)).join(", ")} are not those that ` +
        `were installed, so it is not loaded. To fetch it anew: ${update}`,
    );
  } else notify(`To replace it by ${wantedOf(target)}: ${update}`);
  return EXIT_STATUS.completed;
}

function wantedOf(target: InstallTarget): string {
  if (target.kind === "file") return `version ${target.plugin.version} of the file`;
  return target.version === undefined ? "the latest version" : `version ${target.version}`;
}

/** A plugin of a file would be replaced by what somebody else published under its name. */
async function assertFromRegistry(context: CommandContext, name: string): Promise<void> {
  const { files } = await listInstalled(configHome(context.env));
  if (!files.includes(name)) return;
  throw new AlisioError(
    "usage",
    `Cannot update ${quoted(name)} from npm: it was installed from a file; name its new file, or ` +
      `uninstall it first: alisio uninstall ${name}`,
  );
}

/**
 * Asks the person at the terminal. Where nobody can be asked, only a flag agrees, and nothing has
 * been started yet.
 */
async function assertConfirmed(
  context: CommandContext,
  what: string,
  remarks: readonly string[],
): Promise<void> {
  if (isAgreed(context)) return;
  if (!canAsk(context)) {
    throw new AlisioError(
      "usage",
      `Cannot ask whether to go on: ${what}? A plugin runs with all your rights. If you trust it, ` +
        `write: ${commandLine(context, ["--yes"])}`,
    );
  }
  const scripts = scriptsOf(context);
  const lines = [
    "A plugin is code that runs as a part of Alisio, with what you permit and in every project.",
    scripts.length === 0
      ? "Scripts that its packages run when they are installed are left out; you are asked about each."
      : `When they are installed, these packages run scripts with all your rights: ${
        scripts.join(", ")
      }.`,
    ...remarks,
  ];
  for (const line of lines) context.err(`${visibleLines(line)}\n`);
  if (await confirmAtTerminal(context, `${what}?`)) return;
  throw new AlisioError("usage", "Nothing was installed");
}

function isAgreed({ commandFlags }: CommandContext): boolean {
  return commandFlags.yes === true || commandFlags["trust-plugin"] === true;
}

function canAsk({ flags }: CommandContext): boolean {
  return !flags.json && Deno.stdin.isTerminal();
}

function report(
  context: CommandContext,
  action: "installed" | "updated" | "present",
  { plugins, silenced, ran }: InstallResult,
): void {
  if (context.flags.json) {
    const data = { action, plugins, scriptsLeftOut: silenced, scriptsRun: ran };
    context.out(jsonLine({ schemaVersion: 1, type: "install", data }));
    return;
  }
  for (const { name, version, previous, path } of plugins) {
    const done = previous === undefined
      ? "is installed"
      : previous === version
      ? "is up to date"
      : `is updated, was ${previous}`;
    context.out(visibleLines(`Plugin ${quoted(name)} ${version} ${done}, in ${quotePath(path)}\n`));
  }
  if (ran.length > 0) context.out(`Scripts were run: ${ran.join(", ")}\n`);
  sayWhatNext(context, action, { plugins, silenced, ran });
}

function sayWhatNext(
  context: CommandContext,
  action: string,
  { plugins, silenced }: InstallResult,
): void {
  const notify = noticesOf(context);
  const [first] = plugins;
  for (const { name, version, scripts } of silenced) {
    const list = Object.entries(scripts).map(([key, script]) =>
      `${key}: ${quoted(script, MAX_SCRIPT_CHARS)}`
    );
    notify(`Not run, of package ${quoted(name)} ${version}: ${list.join("; ")}`);
  }
  if (silenced.length > 0) sayHowToAllow(context, first?.name, silenced);
  if (action === "installed") {
    notify(
      'It is named in "plugins" of your configuration and loaded in every project; see alisio ' +
        "plugins doctor",
    );
  }
}

function sayHowToAllow(
  context: CommandContext,
  plugin: string | undefined,
  packages: readonly ScriptedPackage[],
): void {
  if (plugin === undefined) return;
  const flags = packages.map(({ name }) => `--allow-scripts ${name}`).join(" ");
  noticesOf(context)(
    `If it does not work without, let them run: alisio install ${plugin} ${flags}`,
  );
}

function scriptsOf({ commandFlags }: CommandContext): readonly string[] {
  const given = commandFlags["allow-scripts"];
  return Array.isArray(given) ? given.map(String) : [];
}

/** The command as the person would write it again, with more flags if need be. */
function commandLine(
  { args, commandFlags, commandFlags: { update, yes } }: CommandContext,
  instead?: readonly string[],
): string {
  const given = [
    ...(update === true ? ["--update"] : []),
    ...(yes === true || commandFlags["trust-plugin"] === true ? ["--yes"] : []),
  ];
  const flags = instead === undefined
    ? given
    : instead.includes("--yes")
    ? [...new Set([...given, ...instead])]
    : instead;
  const scripts = commandFlags["allow-scripts"];
  const named = Array.isArray(scripts) ? scripts.map((each) => `--allow-scripts ${each}`) : [];
  return ["alisio install", ...args.map(asWord), ...flags, ...named].join(" ");
}

function asWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : visibleName(`'${text.replaceAll("'", `'\\''`)}'`);
}
