import {
  type CompletionRequest,
  type ExtensionPoint,
  type JsonObject,
  type JsonValue,
  type ModelProvider,
  type Plugin,
  type PluginAgents,
  type PluginAPI,
  type PluginModels,
  type PluginSessions,
  type ProviderCreateRequest,
  ProviderError,
  type ProviderRegistration,
  type ResourceFolder,
  type ResourceKind,
  type RunEvent,
  type SqlDatabase,
  type ToolDefinition,
  type Unregister,
} from "@alisio/sdk";
import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { sha256Hex } from "../files/sha256.ts";
import { boundText, previewText } from "../text/bound_text.ts";
import { PLUGIN_ID_REGEXP } from "./check_plugin.ts";
import {
  createPluginApi,
  type PluginCommand,
  type PluginRegistry,
  resourceFolders,
} from "./plugin_api.ts";
import { type Extension, type ExtensionConflict, ExtensionRegistry } from "./extension_registry.ts";
import type { PluginHomes } from "./plugin_paths.ts";
import { checkedProvider } from "./plugin_provider.ts";
import {
  type PanelAction,
  type PluginAsker,
  type PluginPanel,
  PluginPanels,
  type PluginStatus,
  PluginStatuses,
} from "./plugin_ui.ts";
import type { CompactionHook } from "./compaction_hooks.ts";
import type { SessionHook } from "./session_hooks.ts";
import type { PluginOrigin } from "./plugin_sources.ts";

/** Where registrations of plugins go. */
export interface PluginHostPorts {
  /**
   * Adds a tool of a plugin; throws if it is not acceptable. Only one that comes with the program may
   * have effect `internal`.
   */
  readonly registerTool: (tool: ToolDefinition, plugin: Plugin, isBuiltin: boolean) => Unregister;
  /** Adds a kind of provider; throws if its id is taken. */
  readonly registerProvider: (registration: ProviderRegistration) => Unregister;
  /** How long one plugin may take to release what it holds. */
  readonly disposeTimeoutMs: number;
  /** Ids that no external plugin may have, and no provider of one. */
  readonly reservedIds?: readonly string[];
  /** Keeps small values of plugins, by plugin and key. */
  readonly state?: {
    readonly get: (plugin: string, key: string) => JsonValue | undefined;
    readonly set: (plugin: string, key: string, value: JsonValue | undefined) => void;
  };
  /** Opens a database of a plugin. */
  readonly openDatabase?: (path: string) => SqlDatabase;
  /** Folders that hold those of plugins. */
  readonly folders?: PluginHomes;
  /** What the person's configuration says to a plugin. */
  readonly optionsOf?: (plugin: string) => JsonObject | undefined;
  /** Asks a model for a text. */
  readonly complete?: (request: CompletionRequest) => Promise<string>;
  /** The models that are configured. */
  readonly models?: PluginModels;
  /** Child sessions, where they were opened; asked for as each plugin is set up. */
  readonly sessions?: () => PluginSessions | undefined;
  /** The definitions of agents that there are. */
  readonly agents?: PluginAgents;
  /** Puts a question of a plugin to the person; absent where nobody can answer. */
  readonly ask?: PluginAsker;
  /** Shows the person a session; absent where there is no interface that can. */
  readonly view?: (sessionId: string) => boolean;
  /** Is told once of everything that the person should know. */
  readonly onFailure?: (failure: HookFailure) => void;
}

/** A plugin that keeps everything else from going on for longer is named. */
const BLOCKED_MS = 1_000;

/** How much of the context one plugin may use. */
const MAX_CONTEXT_CHARS = 16_000;

/** What a hook, a tool or a command of a plugin did wrong. */
export interface HookFailure {
  /** The plugin. */
  readonly plugin: string;
  /** Such as `events.on`. */
  readonly hook: string;
  /** In one sentence. */
  readonly notice: string;
  /** Why the hook added nothing; absent where it only took too long. */
  readonly error?: string;
}

/** How a plugin that does not come with the program is added. */
export interface ExternalPluginOptions {
  /** What named it, for messages. */
  readonly label: string;
  /** What kind of place named it. */
  readonly origin: PluginOrigin;
  /** Absolute path of the folder that its own file lies in. */
  readonly folder: string;
  /** How long its setup may take. */
  readonly timeoutMs: number;
  /** Makes the plugin answerable for a call of its code, and whatever comes of that later. */
  readonly within?: <T>(call: () => T) => T;
}

/** A plugin that is set up, and what it registered. */
export interface PluginSummary {
  readonly plugin: Plugin;
  /** Absent for one that comes with the program. */
  readonly external?: ExternalPluginOptions;
  /** Its tools, by the names that the model knows. */
  readonly tools: readonly string[];
  readonly commands: readonly PluginCommand[];
  /** Ids of its kinds of providers. */
  readonly providers: readonly string[];
  readonly extensions: readonly Extension[];
  /** Folders that it brings. */
  readonly resources: readonly (ResourceFolder & { readonly kind: ResourceKind })[];
}

/** What a plugin registered, and whether it may still register more. */
interface Registrations {
  readonly external: ExternalPluginOptions | undefined;
  readonly undo: Unregister[];
  readonly tools: Set<string>;
  readonly providers: Set<string>;
  isOpen: boolean;
}

/** Sets plugins up and closes them again. */
export class PluginHost {
  readonly #ports: PluginHostPorts;
  readonly #plugins = new Map<
    string,
    { readonly plugin: Plugin; readonly registrations: Registrations }
  >();
  /** Ids of plugins that are being set up. */
  readonly #claimed = new Set<string>();
  readonly #registry: PluginRegistry = {
    commands: new Map(),
    observers: new Set(),
    contexts: new Set(),
    resources: new Set(),
    extensions: new ExtensionRegistry(),
    statuses: new PluginStatuses(),
    panels: new PluginPanels(),
    sessionStarts: new Set(),
    sessionEnds: new Set(),
    compactions: new Set(),
  };
  readonly #said = new Set<string>();
  #isClosed = false;

  /** @param ports Where registrations go. */
  constructor(ports: PluginHostPorts) {
    this.#ports = ports;
  }

  /**
   * Sets a plugin up. If that fails, everything it had registered is gone again.
   *
   * @param plugin The plugin.
   * @param external Given for one that does not come with the program. Its tools get a name that
   * holds a hash of its id, its setup a time limit, and it cannot take a built-in plugin's place.
   * @throws {AlisioError} `plugin_invalid` if its id is malformed or taken, its setup fails, or the
   * host was closed.
   */
  async add(plugin: Plugin, external?: ExternalPluginOptions): Promise<void> {
    const { id } = plugin;
    const label = external?.label ?? quoted(id);
    const isReserved = external !== undefined && this.#ports.reservedIds?.includes(id) === true;
    if (!PLUGIN_ID_REGEXP.test(id)) throw invalid(label, "its id is malformed");
    if (isReserved) {
      throw invalid(label, `its id ${quoted(id)} is the one of a built-in plugin`);
    }
    if (this.#plugins.has(id) || this.#claimed.has(id)) {
      throw invalid(label, `a plugin with its id ${quoted(id)} is already loaded`);
    }
    if (this.#isClosed) throw invalid(label, "Alisio is closing");
    this.#claimed.add(id);
    try {
      await this.#setUp(plugin, label, external);
    } finally {
      this.#claimed.delete(id);
    }
  }

  async #setUp(
    plugin: Plugin,
    label: string,
    external: ExternalPluginOptions | undefined,
  ): Promise<void> {
    const registrations: Registrations = {
      external,
      undo: [],
      tools: new Set(),
      providers: new Set(),
      isOpen: true,
    };
    const isExternal = external !== undefined;
    const within = external?.within ?? ((call) => call());
    const { api, missing } = noticingAbsence(createPluginApi({
      plugin,
      folder: external?.folder,
      ports: this.#noting(registrations),
      registry: this.#registry,
      toolPrefix: isExternal ? await toolPrefix(plugin.id) : "",
      commandPrefix: isExternal ? `${plugin.id}:` : "",
      watched: (hook, call) => this.#watched(plugin.id, hook, () => within(call)),
      keep: (register) => {
        if (!registrations.isOpen) {
          throw new Error(`Cannot register anything for plugin "${plugin.id}": it is not loaded`);
        }
        const unregister = once(register());
        registrations.undo.push(unregister);
        return unregister;
      },
    }));
    try {
      extend(plugin, api);
      const setup = within(() => Promise.resolve(plugin.setup(api)));
      await (external === undefined ? setup : withinLimit(setup, external.timeoutMs));
    } catch (error) {
      takeBack(registrations);
      this.#registry.statuses.removeOf(plugin.id);
      const reason = previewText(errorMessage(error), 1_000);
      throw invalid(label, `its setup failed: ${reason}${explainAbsence(missing)}`, error);
    }
    if (this.#isClosed) {
      await this.#release(plugin, registrations);
      throw invalid(label, "Alisio is closing");
    }
    this.#plugins.set(plugin.id, { plugin, registrations });
  }

  /**
   * Hands an event to every plugin that listens. Never throws.
   *
   * @param event The event.
   */
  observe(event: RunEvent): void {
    for (const { plugin, handle } of this.#registry.observers) {
      const failed = (error: unknown) => this.#failed(plugin, "events.on", error);
      try {
        Promise.resolve(handle(event)).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }

  /**
   * What plugins add to the context of a session, in the order of their registration. What one of
   * them fails at is reported and left out.
   *
   * @param timeoutMs How long each may take.
   */
  async contextTexts(timeoutMs: number): Promise<readonly string[]> {
    const texts = await Promise.all([...this.#registry.contexts].map(
      async ({ plugin, provide }) => {
        try {
          const text: unknown = await withinLimit(Promise.resolve(provide()), timeoutMs);
          if (typeof text !== "string") throw new TypeError("it returned no text");
          if (text.trim() === "") return null;
          return `# From plugin ${plugin}\n\n${boundText(text.trim(), MAX_CONTEXT_CHARS).text}`;
        } catch (error) {
          this.#failed(plugin, "context.register", error);
          return null;
        }
      },
    ));
    return texts.filter((text) => text !== null);
  }

  /**
   * The folders of one kind that plugins brought, in the order of registration.
   *
   * @param kind Which of them.
   */
  resources(kind: ResourceKind): readonly ResourceFolder[] {
    return resourceFolders(this.#registry, kind);
  }

  /** What plugins want to be called for when a session begins, in the order of registration. */
  get sessionStarts(): ReadonlySet<SessionHook> {
    return this.#registry.sessionStarts;
  }

  /** What plugins want to be called for when a person leaves a session. */
  get sessionEnds(): ReadonlySet<SessionHook> {
    return this.#registry.sessionEnds;
  }

  /** What plugins want to be called for when a conversation is made shorter. */
  get compactions(): ReadonlySet<CompactionHook> {
    return this.#registry.compactions;
  }

  /**
   * A command by the name that a person writes after the slash.
   *
   * @param name Its name, with the id of its plugin.
   */
  command(name: string): PluginCommand | undefined {
    return this.#registry.commands.get(name);
  }

  /**
   * The providers that plugins offer for an extension point, the chosen one first.
   *
   * @param point The extension point.
   */
  extensions<P extends ExtensionPoint>(point: P): readonly Extension<P>[] {
    return this.#registry.extensions.ranked(point);
  }

  /** What plugins show beside the conversation. */
  statuses(): readonly PluginStatus[] {
    return this.#registry.statuses.list();
  }

  /**
   * Panels that plugins show beside the conversation, as they are now.
   *
   * @param context The session that is open, where one is.
   */
  panels(context: { readonly sessionId?: string }): readonly PluginPanel[] {
    return this.#registry.panels.list(
      context,
      (plugin, error) => this.failed(plugin, "ui.panel", error),
    );
  }

  /**
   * Does with a line of a panel what the person wants. Never throws.
   *
   * @param action What they want.
   */
  async actOnPanel(action: PanelAction): Promise<void> {
    await this.#registry.panels.act(
      action,
      (plugin, error) => this.failed(plugin, "ui.panel action", error),
    );
  }

  /** Where several providers stand equally high. */
  extensionConflicts(): readonly ExtensionConflict[] {
    return this.#registry.extensions.conflicts();
  }

  /** All commands, in the order of their registration. */
  commands(): readonly PluginCommand[] {
    return [...this.#registry.commands.values()];
  }

  /** The plugins that are set up, in the order in which they were. */
  plugins(): readonly Plugin[] {
    return [...this.#plugins.values()].map(({ plugin }) => plugin);
  }

  /** What each plugin registered, in the order in which they were set up. */
  summaries(): readonly PluginSummary[] {
    return [...this.#plugins.values()].map(({ plugin, registrations }) => ({
      plugin,
      ...(registrations.external === undefined ? {} : { external: registrations.external }),
      tools: [...registrations.tools],
      commands: this.commands().filter((command) => command.plugin === plugin.id),
      providers: [...registrations.providers],
      extensions: this.#registry.extensions.of(plugin.id),
      resources: [...this.#registry.resources].filter((each) => each.plugin === plugin.id),
    }));
  }

  /** The ports, with a note of what goes through them. */
  #noting({ external, tools, providers }: Registrations): PluginHostPorts {
    return {
      ...this.#ports,
      registerTool: (tool, plugin) =>
        noted(tools, tool.name, this.#ports.registerTool(tool, plugin, external === undefined)),
      registerProvider: (registration) => {
        const taken = external === undefined ? [] : this.#ports.reservedIds ?? [];
        const { id } = checkedProvider(registration, taken);
        const usable = external === undefined ? registration : guarded(registration, external);
        return noted(providers, id, this.#ports.registerProvider(usable));
      },
    };
  }

  /** What computes without a pause cannot be stopped from here, but it can be named. */
  #watched<T>(plugin: string, hook: string, call: () => T): T {
    const startedAt = performance.now();
    try {
      return call();
    } finally {
      const ms = performance.now() - startedAt;
      if (ms > BLOCKED_MS) {
        const seconds = (ms / 1000).toFixed(1);
        this.#report("blocked", {
          plugin,
          hook,
          notice: `Plugin "${plugin}" let nothing else go on for ${seconds} s in ${hook}`,
        });
      }
    }
  }

  /**
   * Notes that a hook of a plugin failed.
   *
   * @param plugin The plugin's id.
   * @param hook Such as `mascot`.
   * @param error Why.
   */
  failed(plugin: string, hook: string, error: unknown): void {
    this.#failed(plugin, hook, error);
  }

  #failed(plugin: string, hook: string, thrown: unknown): void {
    const error = previewText(errorMessage(thrown), 300);
    const goesOn = hook === "dispose" ? "" : ", and the run goes on";
    const notice = `Plugin "${plugin}" failed in ${hook}${goesOn}: ${error}`;
    this.#report("failed", { plugin, hook, notice, error });
  }

  #report(how: "failed" | "blocked", failure: HookFailure): void {
    const key = `${how} ${failure.plugin} ${failure.hook}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.#ports.onFailure?.(failure);
  }

  /**
   * Releases all plugins side by side, each within its limit, and removes what they registered.
   * A plugin that fails or hangs does not hold the others up; one that is still being set up is
   * released as soon as it is.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const plugins = [...this.#plugins.values()];
    this.#plugins.clear();
    await Promise.all(
      plugins.map(({ plugin, registrations }) => this.#release(plugin, registrations)),
    );
  }

  async #release(plugin: Plugin, registrations: Registrations): Promise<void> {
    try {
      const within = registrations.external?.within ?? ((call) => call());
      const dispose = () => plugin.dispose?.();
      // What does not end is left alone.
      await withinLimit(
        Promise.resolve(this.#watched(plugin.id, "dispose", () => within(dispose))),
        this.#ports.disposeTimeoutMs,
      );
    } catch (error) {
      this.#failed(plugin.id, "dispose", error);
    }
    takeBack(registrations);
    this.#registry.statuses.removeOf(plugin.id);
  }
}

/** What a plugin offers without a word of its setup. */
function extend(plugin: Plugin, api: PluginAPI): void {
  for (const [point, provider] of Object.entries(plugin.extensions ?? {})) {
    // The registry knows which points there are.
    api.extensions.register(point as ExtensionPoint, provider);
  }
}

/** A call to a tool names its plugin by these digits, so that two plugins may use one name. */
async function toolPrefix(id: string): Promise<string> {
  const digest = await sha256Hex(new TextEncoder().encode(id));
  return `p_${digest.slice(0, 10)}_`;
}

/** Notes which members a plugin looked for in vain, the latest last. */
function noticingAbsence(
  api: PluginAPI,
): { readonly api: PluginAPI; readonly missing: ReadonlySet<string> } {
  const missing = new Set<string>();
  const get = (target: PluginAPI, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name);
    // A promise looks for `then` in whatever it is given.
    if (value === undefined && typeof name === "string" && name !== "then") {
      missing.delete(name);
      missing.add(name);
    }
    return value;
  };
  return { api: new Proxy(api, { get }), missing };
}

/** As likely as not, a member that is not there is why the setup failed. */
function explainAbsence(missing: ReadonlySet<string>): string {
  if (missing.size === 0) return "";
  const names = [...missing].slice(-5).map((name) => `"api.${previewText(name, 40)}"`);
  return `; this Alisio has no ${names.join(", ")}`;
}

function noted(names: Set<string>, name: string, unregister: Unregister): Unregister {
  names.add(name);
  return () => {
    names.delete(name);
    unregister();
  };
}

/** What was taken back once may be somebody else's by the second time. */
function once(unregister: Unregister): Unregister {
  let isIn = true;
  return () => {
    if (!isIn) return;
    isIn = false;
    unregister();
  };
}

function takeBack(registrations: Registrations): void {
  registrations.isOpen = false;
  for (const unregister of registrations.undo.splice(0).reverse()) unregister();
}

/** The same kind of provider, whose connections keep to the contract, whoever wrote them. */
function guarded(
  registration: ProviderRegistration,
  { timeoutMs }: ExternalPluginOptions,
): ProviderRegistration {
  const { id } = registration;
  const create = async (request: ProviderCreateRequest): Promise<ModelProvider> => {
    try {
      const { checkedConnection } = await import("./checked_connection.ts");
      const creating = Promise.resolve(registration.create(request));
      return checkedConnection(id, await withinLimit(creating, timeoutMs));
    } catch (error) {
      if (error instanceof TypeError || error instanceof ProviderError) throw error;
      const message = `Cannot use provider ${quoted(id)}: ${errorMessage(error)}`;
      throw new AlisioError("plugin_failed", message, { cause: error });
    }
  };
  // It may be of a class, and inherit what it says of itself.
  return Object.create(registration, { create: { value: create, enumerable: true } });
}

async function withinLimit<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`it did not end within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function invalid(label: string, reason: string, cause?: unknown): AlisioError {
  return new AlisioError("plugin_invalid", `Cannot load plugin ${label}: ${reason}`, { cause });
}
