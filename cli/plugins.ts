import type { Plugin } from "@alisio/sdk";
import type { Application } from "../core/application.ts";
import { configHome, stateHome } from "../core/config/directories.ts";
import { loadConfiguration, type LoadedConfiguration } from "../core/config/load_config.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";
import { resolve } from "../core/paths/path.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import { extensionName } from "../core/plugins/extension_registry.ts";
import type { PluginSummary } from "../core/plugins/plugin_host.ts";
import { listPluginRequests, type PluginRequest } from "../core/plugins/plugin_sources.ts";
import { type PluginPlaces, resolvePlugin } from "../core/plugins/resolve_plugin.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { projectTrust } from "../core/trust/project_trust.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { HERDR_PLUGIN } from "./herdr.ts";
import { jsonLine } from "./json_line.ts";
import { BUILTIN_PLUGINS, MEMORY_PLUGIN, openApplication } from "./open_application.ts";

/**
 * `alisio plugins`: `list` shows which plugins would be loaded and runs none of their code;
 * `doctor` loads them, behind the second wall, and shows what they register; `new` writes one.
 *
 * @param context What the command was called with.
 * @returns The exit status: 1 if a plugin cannot be found or loaded.
 * @throws {AlisioError} If the command line is wrong or the configuration is not usable.
 */
export async function runPlugins(context: CommandContext): Promise<number> {
  const [action, extra] = context.args;
  if (action === "new") return await (await import("./new_plugin.ts")).newPlugin(context);
  if (context.commandFlags.id !== undefined) {
    throw new AlisioError("usage", 'Flag "--id" belongs to "alisio plugins new"');
  }
  if (extra !== undefined) throw wrongUse(`Unexpected argument ${quoted(extra)}: write `);
  switch (action) {
    case "list":
      return await listPlugins(context);
    case "doctor":
      return await examinePlugins(context);
    default:
      throw wrongUse("Write ");
  }
}

function wrongUse(start: string): AlisioError {
  const forms = "alisio plugins list, alisio plugins doctor, or alisio plugins new <folder>";
  return new AlisioError("usage", start + forms);
}

async function listPlugins(context: CommandContext): Promise<number> {
  sayUnderReadOnly(context);
  const { requests, places, loaded } = await findRequests(context);
  for (const id of [...BUILTIN_PLUGINS.map((plugin) => plugin.id), HERDR_PLUGIN, MEMORY_PLUGIN]) {
    showBuiltin(context, id, whySwitchedOff(id, context.flags, loaded));
  }
  let failures = 0;
  for (const request of requests) {
    if (!showRequest(context, request, places)) failures++;
  }
  // Their ids are in their code, which is not run here.
  const off = Object.entries(loaded.configuration.pluginOverrides)
    .flatMap(([id, { enabled }]) => enabled === false ? [id] : []);
  if (off.length > 0 && !context.flags.quiet) {
    const names = off.map((id) => quoted(id)).join(", ");
    context.err(`Switched off by "pluginOverrides", if among these: ${names}\n`);
  }
  return failures === 0 ? EXIT_STATUS.completed : EXIT_STATUS.failed;
}

function showBuiltin({ flags, out }: CommandContext, id: string, off: string | null): void {
  if (flags.json) {
    const data = {
      id,
      origin: "built-in",
      enabled: off === null,
      ...(off === null ? {} : { switchedOffBy: off }),
    };
    out(jsonLine({ schemaVersion: 1, type: "plugin", data }));
  } else out(`${id}  built-in${off === null ? "" : `, switched off by ${off}`}\n`);
}

/** What switches a built-in plugin off; null where nothing does. */
function whySwitchedOff(
  id: string,
  { disablePlugin }: CommandContext["flags"],
  { configuration, sources }: LoadedConfiguration,
): string | null {
  if (disablePlugin.includes(id)) return '"--disable-plugin"';
  const settings = Object.entries(configuration.builtinPlugins).find(([each]) => each === id)?.[1];
  if (settings?.enabled !== false) return null;
  const key = `builtinPlugins.${id}.enabled`;
  const file = sources.get(key)?.file;
  return `"${key}"${file === undefined ? "" : ` in ${quotePath(file)}`}`;
}

/** Answers whether it was found. */
function showRequest(
  context: CommandContext,
  request: PluginRequest,
  places: PluginPlaces,
): boolean {
  const { entry, origin, label } = request;
  try {
    const { module } = resolvePlugin(request, places);
    context.out(
      context.flags.json
        ? jsonLine({ schemaVersion: 1, type: "plugin", data: { entry, origin, module } })
        : `${visibleLines(label)}\n  ${origin}, module ${quoted(module, 1000)}\n`,
    );
    return true;
  } catch (error) {
    if (!(error instanceof AlisioError)) throw error;
    showFailure(context, error);
    return false;
  }
}

async function examinePlugins(context: CommandContext): Promise<number> {
  sayUnderReadOnly(context);
  const failures: AlisioError[] = [];
  const application = await openApplication(context, {
    onPluginFailed: (failure) => void failures.push(failure),
  });
  try {
    const effects = new Map(
      application.gate.status("").map(({ tool }) => [tool.name, tool.effect]),
    );
    const plugins = application.plugins();
    for (const summary of plugins) {
      context.out(
        context.flags.json
          ? jsonLine({ schemaVersion: 1, type: "plugin", data: dataOf(summary, effects) })
          : formatSummary(summary, effects),
      );
    }
    showExtensions(context, application.extensions());
    for (const failure of failures) showFailure(context, failure);
    if (plugins.length + failures.length === 0 && !context.flags.quiet) {
      context.err("No external plugin is named, and none lies in a folder of plugins\n");
    }
    return failures.length === 0 ? EXIT_STATUS.completed : EXIT_STATUS.failed;
  } finally {
    await application.close();
  }
}

function showExtensions(
  { flags, out }: CommandContext,
  { resolved, conflicts }: ReturnType<Application["extensions"]>,
): void {
  if (flags.json) {
    for (const each of resolved) {
      const data = { point: each.point, provider: extensionName(each), priority: each.priority };
      out(jsonLine({ schemaVersion: 1, type: "extension", data }));
    }
    for (const data of conflicts) {
      out(jsonLine({ schemaVersion: 1, type: "extension_conflict", data }));
    }
    return;
  }
  for (const each of resolved) out(`${each.point}: ${visibleName(extensionName(each))}\n`);
  for (const { point, winner, losers } of conflicts) {
    out(
      `extension_conflict: ${point} is ${visibleName(winner)}, and equally high stand ` +
        `${visibleName(losers.join(", "))}; leave a plugin out, or ask for a priority\n`,
    );
  }
}

function showFailure({ flags, out, err }: CommandContext, { message }: AlisioError): void {
  if (flags.json) {
    out(jsonLine({ schemaVersion: 1, type: "plugin_failure", data: { error: message } }));
  } else err(`${visibleLines(message)}\n`);
}

function sayUnderReadOnly({ flags, err }: CommandContext): void {
  if (flags.readOnly && !flags.quiet) err("With --read-only, no external plugin is loaded\n");
}

function dataOf(
  { plugin, external, tools, commands, providers, extensions, resources }: PluginSummary,
  effects: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { id, version, name, description } = plugin;
  return {
    id,
    version,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    categories: categoriesOf(plugin, providers),
    origin: external?.origin,
    source: external?.label,
    tools: tools.map((tool) => ({ name: tool, effect: effects.get(tool) })),
    commands: commands.map(({ name: command, description, argumentHint }) => ({
      name: command,
      ...(description === undefined ? {} : { description }),
      ...(argumentHint === undefined ? {} : { argumentHint }),
    })),
    providers,
    extensions: extensions.map(({ point, provider, priority }) => ({
      point,
      id: provider.id,
      priority,
    })),
    resources: resources.map(({ kind, path }) => ({ kind, path })),
  };
}

function formatSummary(
  { plugin, external, tools, commands, providers, extensions, resources }: PluginSummary,
  effects: ReadonlyMap<string, string>,
): string {
  const lines = [
    `${plugin.id} ${plugin.version}`,
    ...(plugin.description === undefined ? [] : [`  ${visibleName(plugin.description)}`]),
    `  from ${external?.label ?? "the program"}`,
    `  in ${visibleName(categoriesOf(plugin, providers).join(", ") || "General")}`,
    ...tools.map((tool) => `  tool ${tool} (${effects.get(tool) ?? "external"})`),
    ...commands.map(({ name, argumentHint = "", description = "" }) =>
      `  command /${visibleName(`${name} ${argumentHint}`.trimEnd())}  ${visibleName(description)}`
        .trimEnd()
    ),
    ...providers.map((provider) => `  provider ${visibleName(provider)}`),
    ...extensions.map(({ point, provider, priority }) =>
      `  extension ${point} ${visibleName(provider.id)} (priority ${priority})`
    ),
    ...resources.map(({ kind, path }) => `  ${kind} in ${quotePath(path)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** What it says of itself, and what its registrations say. */
function categoriesOf(
  { categories = [] }: Plugin,
  providers: readonly string[],
): readonly string[] {
  return [...new Set([...categories, ...providers.length > 0 ? ["model-provider"] : []])];
}

/** Finds them by the same rules as a run. */
async function findRequests(
  { flags, cwd, env, err }: CommandContext,
): Promise<{
  readonly requests: readonly PluginRequest[];
  readonly places: PluginPlaces;
  readonly loaded: LoadedConfiguration;
}> {
  const workspace = resolveWorkspace(cwd);
  const home = configHome(env);
  const explicit = flags.config === undefined ? undefined : resolve(cwd, flags.config);
  const trust = await projectTrust({
    workspace,
    stateHome: stateHome(env),
    trustProjectFlag: flags.trustProject,
    ...(explicit === undefined ? {} : { explicitConfig: explicit }),
  });
  const trusted = trust.state === "trusted";
  const loaded = await loadConfiguration({
    configHome: home,
    workspace,
    ...(explicit === undefined ? {} : { explicitPath: explicit }),
    trusted,
    env,
  });
  if (!flags.quiet) {
    for (const notice of [...trust.notices, ...loaded.notices]) err(`${visibleLines(notice)}\n`);
  }
  const requests = listPluginRequests({
    flags: flags.plugin,
    cwd,
    loaded,
    configHome: home,
    workspace,
    trusted,
  });
  return { requests, places: { workspace, configHome: home, trusted, env }, loaded };
}
