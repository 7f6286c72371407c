import type { Plugin } from "@alisio/sdk";
import { AlisioError, errorMessage } from "../errors.ts";
import { isInside } from "../paths/is_inside.ts";
import { dirname, join } from "../paths/path.ts";
import { untilAborted } from "../until_aborted.ts";
import { pluginOf } from "./check_plugin.ts";
import { installModuleHooks, type ModuleHooks, withOwnNames } from "./module_hooks.ts";
import { endingPlugin, guardAgainstStrays, type StrayGuard } from "./guard_against_strays.ts";
import { isFile } from "./package_json.ts";
import { pluginFolders } from "./plugin_folders.ts";
import type { PluginHost } from "./plugin_host.ts";
import type { PluginRequest } from "./plugin_sources.ts";
import { type PluginPlaces, type ResolvedPlugin, resolvePlugin } from "./resolve_plugin.ts";
import { watchEventLoop } from "./watch_event_loop.ts";

/** What loading plugins takes. */
export interface LoadPluginsOptions {
  /** The plugins, in order. */
  readonly requests: readonly PluginRequest[];
  /** Where packages are looked for. */
  readonly places: PluginPlaces;
  /** Sets them up. */
  readonly host: Pick<PluginHost, "add">;
  /** How long one may take to be imported, and again to be set up. */
  readonly timeoutMs: number;
  /** Whether a plugin of that id is switched off. */
  readonly isDisabled: (id: string) => boolean;
  /** Is told of a plugin that is switched off. */
  readonly onDisabled?: (request: PluginRequest, plugin: Plugin) => void;
  /** Is told of a plugin that cannot be loaded; what it throws ends the loading of all. */
  readonly onFailed: (request: PluginRequest, failure: AlisioError) => void;
  /** Gives up. */
  readonly signal?: AbortSignal;
  /** Receives what the person should be told, one sentence each. */
  readonly notify: (notice: string) => void;
}

/** Plugins that were loaded. */
export interface LoadedPlugins {
  /** Leaves the module loader as it was. */
  close(): void;
}

/** A plugin that keeps everything else from going on for longer is named. */
const BLOCKED_MS = 1_000;

/** Of a plugin that cannot be used. */
const EXIT_STATUS = 2;

/** Of a run that failed. */
const EXIT_STATUS_OF_RUN = 1;

/** The plugin that is being loaded. */
let loadingLabel: string | undefined;

/** What watches over plugins. */
interface Watchers {
  readonly hooks: ModuleHooks;
  readonly guard: StrayGuard;
}

/**
 * Loads plugins one after the other.
 *
 * @param options What it takes.
 * @throws Whatever `onFailed` throws, or the signal's reason.
 */
export async function loadPlugins(options: LoadPluginsOptions): Promise<LoadedPlugins> {
  const { signal } = options;
  const hooks = installModuleHooks();
  const guard = guardAgainstStrays(hooks, options.notify);
  // A plugin may end the program as long as it lasts. Added twice, it is called once.
  globalThis.addEventListener("unload", onUnload);
  const close = () => {
    guard.close();
    hooks.close();
  };
  try {
    const seen = new Set<string>();
    await sayCutShort(options);
    for (const request of options.requests) {
      try {
        const resolved = resolvePlugin(request, options.places);
        // Named twice, it is one plugin all the same.
        if (seen.has(resolved.module)) continue;
        seen.add(resolved.module);
        await judgeInstalled(resolved, options.places.configHome);
        const loading = loadOne(resolved, { hooks, guard }, options);
        await (signal === undefined ? loading : untilAborted(loading, signal));
      } catch (error) {
        if (!(error instanceof AlisioError)) throw error;
        options.onFailed(request, error);
      }
    }
    return { close };
  } catch (error) {
    close();
    throw error;
  }
}

/** What Alisio installed is held against its notes. Who has installed nothing does not pay for it. */
async function judgeInstalled(resolved: ResolvedPlugin, configHome: string): Promise<void> {
  const { global } = pluginFolders(configHome, configHome);
  if (!isInside(resolved.found, join(global, "node_modules"))) return;
  const { assertUnchanged } = await import("./install/check_installed.ts");
  await assertUnchanged(resolved, configHome);
}

/** Whatever is missing then has a reason that its own failure does not tell. */
async function sayCutShort({ places: { configHome }, notify }: LoadPluginsOptions): Promise<void> {
  const { global } = pluginFolders(configHome, configHome);
  if (!isFile(join(global, ".alisio", "journal.json"))) return;
  const { wasCutShort } = await import("./install/check_installed.ts");
  if (!await wasCutShort(configHome)) return;
  notify(
    "A change of the installed plugins was cut short; alisio install --update puts back what was " +
      "there, and updates it",
  );
}

async function loadOne(
  { request, module }: ResolvedPlugin,
  { hooks, guard }: Watchers,
  { host, timeoutMs, isDisabled, onDisabled, notify }: LoadPluginsOptions,
): Promise<void> {
  const watch = watchEventLoop();
  const { label, origin } = request;
  loadingLabel = label;
  try {
    const within = <T>(call: () => T): T => guard.within(label, call);
    const plugin = await within(() => importPlugin(request, module, hooks, timeoutMs));
    if (isDisabled(plugin.id)) return onDisabled?.(request, plugin);
    await host.add(plugin, { label, origin, folder: dirname(module), timeoutMs, within });
  } finally {
    loadingLabel = undefined;
    const blockedMs = watch.stop();
    if (blockedMs > BLOCKED_MS) {
      notify(
        `Plugin ${request.label} let nothing else go on for ${(blockedMs / 1000).toFixed(1)} s ` +
          "while it was loaded",
      );
    }
  }
}

/**
 * A plugin that ends the program would end it without a word, as if all was well. Nothing but a
 * direct write still comes out then.
 */
function onUnload(): void {
  // A signal may end the program meanwhile, which is nobody's fault.
  const plugin = endingPlugin();
  if (plugin === undefined) return;
  Deno.exitCode = loadingLabel === undefined ? EXIT_STATUS_OF_RUN : EXIT_STATUS;
  const text = loadingLabel === undefined
    ? `${plugin} ended the program before the run was over`
    : `Plugin ${loadingLabel} ended the program while it was loaded`;
  Deno.stderr.writeSync(new TextEncoder().encode(`alisio: ${text}\n`));
}

async function importPlugin(
  { label }: PluginRequest,
  module: string,
  hooks: ModuleHooks,
  timeoutMs: number,
): Promise<Plugin> {
  const url = hooks.own(module, label);
  const importing: Promise<Readonly<Record<string, unknown>>> = import(url);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  try {
    const imported = await Promise.race([importing, limit]);
    if (imported === null) throw invalid(label, `its module did not load within ${timeoutMs} ms`);
    const found = pluginOf(imported);
    if ("flaw" in found) throw invalid(label, found.flaw);
    return found.plugin;
  } catch (error) {
    if (error instanceof AlisioError) throw error;
    throw invalid(label, reasonOf(error), error);
  } finally {
    clearTimeout(timer);
    importing.catch(() => {
      // Said above, or nobody waits for it any more.
    });
  }
}

/** The loader puts the names of what was thrown on the way in front of it. */
function reasonOf(error: unknown): string {
  const said = withOwnNames(errorMessage(error)).slice(0, 1_000);
  const text = said.replace(/^(?:\w*Error: )+/, "");
  if (!(error instanceof SyntaxError) && !/^(?:\w*Error: )*SyntaxError: /.test(said)) return text;
  const hint = / does not provide an export named /.test(text)
    ? "; a type is imported with import type"
    : "";
  return `it is no valid module: ${text}${hint}`;
}

function invalid(label: string, reason: string, cause?: unknown): AlisioError {
  return new AlisioError("plugin_invalid", `Cannot load plugin ${label}: ${reason}`, { cause });
}
