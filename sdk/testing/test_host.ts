import type {
  CompactionAddition,
  CompactionHooks,
  CompactionInput,
  CompactionRequest,
  CompactionResult,
} from "../compaction.ts";
import type { RunEvent } from "../events.ts";
import type { ExtensionPoint, ExtensionPoints } from "../extension.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { CompletionRequest, ConfiguredModel, PluginModels } from "../model.ts";
import type { CommandContext, CommandHandler, CommandOptions } from "../plugin.ts";
import type { Plugin, PluginAPI, PluginPaths, Unregister } from "../plugin.ts";
import type { ProviderRegistration } from "../provider.ts";
import type { ResourceFolder, ResourceKind } from "../resources.ts";
import type { PluginSession, SessionInfo } from "../session.ts";
import type { ToolContext, ToolDefinition, ToolResult } from "../tool.ts";
import type { PanelProvider, PluginUi, SelectRequest } from "../ui.ts";
import {
  assertCommand,
  assertDatabasePath,
  assertExtension,
  assertFunction,
  assertKey,
  assertPlugin,
  assertTool,
  checkedResult,
  storedValue,
} from "./checks.ts";
import { MemoryDatabases } from "./memory_database.ts";

/** What a plugin finds when it is set up for a test. */
export interface TestHostOptions {
  /**
   * `api.options`.
   *
   * @default {}
   */
  readonly options?: JsonObject;
  /**
   * What `api.state` holds already.
   *
   * @default {}
   */
  readonly state?: Readonly<Record<string, JsonValue>>;
  /** `api.paths`; absent unless given. Make the folders, and remove them after the test. */
  readonly paths?: PluginPaths;
  /**
   * The model behind `api.model.complete`; without one, no model can be used.
   *
   * @param request What the plugin asks.
   * @returns The text of the answer.
   */
  readonly complete?: (request: CompletionRequest) => string | Promise<string>;
  /**
   * What `api.models` lists; `resolve` finds them by reference, or by the id that only one has.
   *
   * @default []
   */
  readonly models?: readonly ConfiguredModel[];
  /**
   * The person at `api.ui.select`; without one, nobody can answer.
   *
   * @param request The question.
   * @returns The value that they pick.
   */
  readonly select?: (request: SelectRequest) => string | undefined;
  /**
   * Members that this host does not have by itself, such as `sessions`: what the plugin finds in
   * their place.
   *
   * @default {}
   */
  readonly members?: Partial<PluginAPI>;
  /**
   * Members of the API that this host lacks, as an older Alisio would.
   *
   * @default []
   */
  readonly without?: readonly (keyof PluginAPI)[];
}

/** A command that the plugin registered. */
export interface TestCommand extends CommandOptions {
  /** Without the plugin's id. */
  readonly name: string;
}

/** A provider for an extension point that the plugin registered. */
export interface TestExtension {
  /** The extension point. */
  readonly point: ExtensionPoint;
  /** The provider; its `id` names it. */
  readonly provider: ExtensionPoints[ExtensionPoint];
  /** How high it stands. */
  readonly priority: number;
}

/** What the hooks of a plugin asked and added when a conversation was made shorter. */
export interface TestCompaction {
  /** What `beforeCompact` returned, hook by hook; nothing of one that returned nothing. */
  readonly requests: readonly CompactionRequest[];
  /** What `afterCompact` returned, likewise. */
  readonly additions: readonly CompactionAddition[];
}

/** A folder that the plugin added with `api.resources`. */
export interface TestResource extends ResourceFolder {
  /** What is in it. */
  readonly kind: ResourceKind;
}

/** A plugin that was set up on a host that exists for a test alone. */
export interface TestHost extends AsyncDisposable {
  /** What its setup was given. */
  readonly api: PluginAPI;
  /** Tools that are registered at the moment. */
  readonly tools: readonly ToolDefinition[];
  /** Commands that are registered at the moment. */
  readonly commands: readonly TestCommand[];
  /** Kinds of providers that are registered at the moment. */
  readonly providers: readonly ProviderRegistration[];
  /** Providers for extension points that are registered at the moment, in order. */
  readonly extensions: readonly TestExtension[];
  /** Folders of `api.resources` that are registered at the moment, with their paths as given. */
  readonly resources: readonly TestResource[];
  /** What `api.state` holds at the moment. */
  readonly state: Readonly<Record<string, JsonValue>>;
  /** What `api.ui.status` shows at the moment, by key. */
  readonly statuses: Readonly<Record<string, string>>;
  /** Panels of `api.ui.panel` at the moment, by id. */
  readonly panels: Readonly<Record<string, PanelProvider>>;
  /** What tools reported with `context.emit`, in order. */
  readonly progress: readonly unknown[];
  /**
   * Calls a tool. Nothing is asked, and the input is passed on as it is: Alisio checks it against
   * the tool's schema before.
   *
   * @param name Its own name, without the prefix that Alisio adds.
   * @param input Its input.
   * @param context What it may use beside the usual: a signal that never aborts, the workspace
   * `/workspace`, and no session.
   * @throws {TypeError} If there is no such tool, or it answers no result.
   * @throws Whatever the tool throws, which Alisio turns into a failed call.
   */
  callTool(
    name: string,
    input?: Readonly<Record<string, unknown>>,
    context?: Partial<ToolContext>,
  ): Promise<ToolResult>;
  /**
   * Runs a command.
   *
   * @param name Its own name, without the plugin's id.
   * @param args What follows it.
   * @param context What is known of where it is called.
   * @returns The text that the person is shown.
   * @throws {TypeError} If there is no such command, or it answers no text.
   * @throws Whatever the command throws.
   */
  runCommand(name: string, args?: string, context?: CommandContext): Promise<string>;
  /**
   * Hands an event to every handler, and waits for them.
   *
   * @param event The event; what it leaves out is made up.
   * @throws Whatever a handler throws, which Alisio reports and gets over.
   */
  emit(event: Pick<RunEvent, "type"> & Partial<RunEvent>): Promise<void>;
  /**
   * What the plugin adds to the context of a session, source by source.
   *
   * @throws {TypeError} If a source answers no text.
   */
  contextTexts(): Promise<readonly string[]>;
  /**
   * Begins a session.
   *
   * @param info What the hooks are told; what it leaves out is made up.
   * @returns What stands before the first prompt, hook by hook.
   * @throws Whatever a hook throws, which Alisio reports and gets over.
   */
  startSession(info?: Partial<SessionInfo>): Promise<readonly string[]>;
  /**
   * Ends a session.
   *
   * @param info What the hooks are told; what it leaves out is made up.
   * @throws Whatever a hook throws, which Alisio reports and gets over.
   */
  endSession(info?: Partial<SessionInfo>): Promise<void>;
  /**
   * Makes a conversation shorter: asks the hooks, and tells them of a summary.
   *
   * @param result What the hooks are told; what it leaves out is made up. `extracted` is what the
   * model answered to the plugin's own fields.
   * @throws Whatever a hook throws, which Alisio reports and gets over.
   */
  compact(result?: Partial<CompactionResult>): Promise<TestCompaction>;
  /** Releases the plugin as Alisio does when it closes, and drops its databases. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Sets a plugin up on a host that exists for a test alone: nothing is loaded, sent or stored on
 * disk. Databases are real SQLite, in memory, and what Alisio would refuse is refused here.
 *
 * @example The test of a tool
 * ```ts
 * import { definePlugin, textResult } from "@alisio/sdk";
 * import { setUpPlugin, textOf } from "@alisio/sdk/testing";
 *
 * const plugin = definePlugin({
 *   id: "acme.hello",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.tools.register({
 *       name: "hello",
 *       description: "Greets a person by name.",
 *       effect: "read",
 *       inputSchema: { type: "object", properties: { name: { type: "string" } } },
 *       execute: ({ name }) => Promise.resolve(textResult(`Hello, ${String(name)}!`)),
 *     });
 *   },
 * });
 *
 * Deno.test("hello greets by name", async () => {
 *   await using host = await setUpPlugin(plugin);
 *   const result = await host.callTool("hello", { name: "Ada" });
 *   if (textOf(result) !== "Hello, Ada!") throw new Error(textOf(result));
 * });
 * ```
 *
 * @param plugin The plugin.
 * @param options What it finds.
 * @throws {TypeError} If Alisio would not take the plugin or what it registers.
 * @throws Whatever its setup throws.
 */
export async function setUpPlugin(
  plugin: Plugin,
  options: TestHostOptions = {},
): Promise<TestHost> {
  assertPlugin(plugin);
  const host = new MemoryHost(plugin, options);
  try {
    for (const [point, provider] of Object.entries(plugin.extensions ?? {})) {
      host.api.extensions.register(point as ExtensionPoint, provider);
    }
    await plugin.setup(host.api);
  } catch (error) {
    host.abandon();
    throw error;
  }
  return host;
}

/**
 * The text of a result, which is all of it that a model is sent.
 *
 * @example What a model reads
 * ```ts
 * import { textResult } from "@alisio/sdk";
 * import { textOf } from "@alisio/sdk/testing";
 *
 * console.log(textOf(textResult("Hello!"))); // Hello!
 * ```
 *
 * @param result A result.
 */
export function textOf(result: ToolResult): string {
  const texts = result.content.filter((part) => part.type === "text").map(({ text }) => text);
  return texts.join("\n");
}

class MemoryHost implements TestHost {
  readonly api: PluginAPI;
  readonly progress: unknown[] = [];
  readonly #plugin: Plugin;
  readonly #databases = new MemoryDatabases();
  readonly #state = new Map<string, JsonValue>();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #commands = new Map<string, TestCommand & { readonly handler: CommandHandler }>();
  readonly #extensions = new Set<TestExtension>();
  readonly #providers = new Map<string, ProviderRegistration>();
  readonly #statuses = new Map<string, string>();
  readonly #panels = new Map<string, PanelProvider>();
  readonly #handlers = new Set<(event: RunEvent) => void | Promise<void>>();
  readonly #starts = new Set<Parameters<PluginSession["onStart"]>[0]>();
  readonly #ends = new Set<Parameters<PluginSession["onEnd"]>[0]>();
  readonly #contexts = new Set<() => Promise<string>>();
  readonly #resources = new Set<TestResource>();
  readonly #compactions = new Set<CompactionHooks>();
  #events = 0;
  #isOpen = true;

  constructor(plugin: Plugin, options: TestHostOptions) {
    this.#plugin = plugin;
    for (const [key, value] of Object.entries(options.state ?? {})) {
      this.#state.set(key, storedValue(key, value));
    }
    const without = new Set<string>(options.without);
    const all = { ...this.#members(options), ...options.members };
    const members = Object.entries(all).filter(([name]) => !without.has(name));
    // What is left out is what the test wants to be left out.
    this.api = Object.fromEntries(members) as unknown as PluginAPI;
  }

  get tools(): readonly ToolDefinition[] {
    return [...this.#tools.values()];
  }

  get commands(): readonly TestCommand[] {
    return [...this.#commands.values()].map(({ handler: _handler, ...command }) => command);
  }

  get providers(): readonly ProviderRegistration[] {
    return [...this.#providers.values()];
  }

  get extensions(): readonly TestExtension[] {
    return [...this.#extensions];
  }

  get resources(): readonly TestResource[] {
    return [...this.#resources];
  }

  get state(): Readonly<Record<string, JsonValue>> {
    return Object.fromEntries(this.#state);
  }

  get statuses(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#statuses);
  }

  get panels(): Readonly<Record<string, PanelProvider>> {
    return Object.fromEntries(this.#panels);
  }

  async callTool(
    name: string,
    input: Readonly<Record<string, unknown>> = {},
    context: Partial<ToolContext> = {},
  ): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw missing("tool", name, [...this.#tools.keys()]);
    const given = structuredClone(input) as Record<string, unknown>;
    const result = await tool.execute(given, {
      signal: new AbortController().signal,
      workspace: "/workspace",
      emit: (data) => void this.progress.push(data),
      ...context,
    });
    return checkedResult(name, result);
  }

  async runCommand(name: string, args = "", context?: CommandContext): Promise<string> {
    const command = this.#commands.get(name);
    if (command === undefined) throw missing("command", name, [...this.#commands.keys()]);
    return asText(`Command "${name}"`, await command.handler(args, context));
  }

  async emit(event: Pick<RunEvent, "type"> & Partial<RunEvent>): Promise<void> {
    const whole: RunEvent = {
      schemaVersion: 1,
      runId: "run-1",
      sessionId: "session-1",
      seq: ++this.#events,
      timestamp: new Date().toISOString(),
      data: {},
      ...event,
    };
    await Promise.all([...this.#handlers].map(async (handle) => await handle(whole)));
  }

  async contextTexts(): Promise<readonly string[]> {
    const texts = await Promise.all([...this.#contexts].map(async (provide) => await provide()));
    return texts.map((text) => asText("A source of context", text));
  }

  async startSession(info: Partial<SessionInfo> = {}): Promise<readonly string[]> {
    const given = sessionInfo("start", info);
    const texts = await Promise.all([...this.#starts].map(async (handle) => await handle(given)));
    return texts.filter((text) => text !== undefined && text !== "")
      .map((text) => asText("A hook of session.onStart", text));
  }

  async endSession(info: Partial<SessionInfo> = {}): Promise<void> {
    const given = sessionInfo("exit", info);
    await Promise.all([...this.#ends].map(async (handle) => await handle(given)));
  }

  async compact(result: Partial<CompactionResult> = {}): Promise<TestCompaction> {
    const given = compactionResult(result);
    const { sessionId, reason, messages, focus, signal } = given;
    const input: CompactionInput = {
      sessionId,
      reason,
      messages,
      signal,
      ...(focus === undefined ? {} : { focus }),
    };
    const hooks = [...this.#compactions];
    const requests = await Promise.all(
      hooks.map(async (each) => await each.beforeCompact?.(input)),
    );
    const additions = await Promise.all(
      hooks.map(async (each) => await each.afterCompact?.(given)),
    );
    return {
      requests: requests.filter((each) => each !== undefined),
      additions: additions.filter((each) => each !== undefined),
    };
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      await this.#plugin.dispose?.();
    } finally {
      this.abandon();
    }
  }

  /** Takes back whatever is left, without a word to the plugin. */
  abandon(): void {
    this.#isOpen = false;
    const maps = [this.#tools, this.#commands, this.#providers, this.#panels];
    const sets = [
      this.#handlers,
      this.#contexts,
      this.#extensions,
      this.#starts,
      this.#ends,
      this.#resources,
    ];
    for (const each of [...maps, ...sets, this.#compactions]) each.clear();
    this.#databases.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #members(options: TestHostOptions): PluginAPI {
    return {
      tools: {
        register: (tool) => {
          assertTool(tool, this.#tools.has(tool.name));
          return this.#put(this.#tools, tool.name, tool);
        },
      },
      commands: {
        register: (name, handler, options = {}) => {
          assertCommand(name, handler, this.#commands.has(name));
          return this.#put(this.#commands, name, { name, handler, ...options });
        },
      },
      providers: {
        register: (registration) => {
          const { id } = registration;
          if (this.#providers.has(id)) {
            throw new TypeError(`Cannot register provider "${id}": the id is taken`);
          }
          return this.#put(this.#providers, id, registration);
        },
      },
      models: testModels(options.models ?? []),
      session: {
        onStart: (handler) => {
          assertFunction(handler, "session.onStart");
          return this.#add(this.#starts, handler);
        },
        onEnd: (handler) => {
          assertFunction(handler, "session.onEnd");
          return this.#add(this.#ends, handler);
        },
      },
      compaction: {
        register: (hooks) => {
          for (const each of [hooks.beforeCompact, hooks.afterCompact]) {
            if (each !== undefined) assertFunction(each, "compaction.register");
          }
          if (hooks.beforeCompact === undefined && hooks.afterCompact === undefined) {
            throw new TypeError("compaction.register needs beforeCompact or afterCompact");
          }
          return this.#add(this.#compactions, hooks);
        },
      },
      extensions: {
        register: (point, provider, { priority = 0 } = {}) => {
          assertExtension(point, provider, priority);
          return this.#add(this.#extensions, { point, provider, priority });
        },
      },
      events: {
        on: (handler) => {
          assertFunction(handler, "events.on");
          return this.#add(this.#handlers, handler);
        },
      },
      context: {
        register: (provider) => {
          assertFunction(provider, "context.register");
          return this.#add(this.#contexts, provider);
        },
      },
      state: {
        get: (key) => {
          assertKey(key);
          return structuredClone(this.#state.get(key));
        },
        set: (key, value) => {
          assertKey(key);
          if (value === undefined) this.#state.delete(key);
          else this.#state.set(key, storedValue(key, value));
        },
      },
      storage: {
        sqlite: (path) => {
          this.#assertOpen();
          assertDatabasePath(path);
          return this.#databases.open(path);
        },
      },
      options: frozen(options.options ?? {}),
      model: {
        complete: async (request) => {
          if (options.complete === undefined) {
            throw new Error('No model can be used: give setUpPlugin() a function "complete"');
          }
          return await options.complete(request);
        },
      },
      resources: {
        skills: (path) => this.#addFolder("skills", path),
        agents: (path) => this.#addFolder("agents", path),
        prompts: (path) => this.#addFolder("prompts", path),
        list: (kind) =>
          this.resources.filter((each) => each.kind === kind)
            .map(({ plugin, path }) => ({ plugin, path })),
      },
      ui: this.#ui(options.select),
      ...(options.paths === undefined ? {} : { paths: options.paths }),
    };
  }

  #ui(select: TestHostOptions["select"]): PluginUi {
    return {
      status: (key, text) => {
        if (text === undefined) this.#statuses.delete(key);
        else this.#statuses.set(key, text);
      },
      panel: (id, provider) => this.#put(this.#panels, id, provider),
      select: (request) => Promise.resolve(select?.(request)),
      open: () => false,
      interactive: () => select !== undefined,
    };
  }

  #addFolder(kind: ResourceKind, path: string): Unregister {
    if (typeof path !== "string" || path === "") {
      throw new TypeError(`resources.${kind} needs the path of a folder`);
    }
    return this.#add(this.#resources, { plugin: this.#plugin.id, kind, path });
  }

  #put<T>(items: Map<string, T>, name: string, item: T): Unregister {
    this.#assertOpen();
    items.set(name, item);
    return once(() => items.delete(name));
  }

  #add<T>(items: Set<T>, item: T): Unregister {
    this.#assertOpen();
    items.add(item);
    return once(() => items.delete(item));
  }

  #assertOpen(): void {
    if (this.#isOpen) return;
    throw new Error(`Cannot register anything for plugin "${this.#plugin.id}": it is not loaded`);
  }
}

/** What was taken back once may be somebody else's by the second time. */
function once(takeBack: () => void): Unregister {
  let isIn = true;
  return () => {
    if (isIn) takeBack();
    isIn = false;
  };
}

function testModels(models: readonly ConfiguredModel[]): PluginModels {
  return {
    list: () => Promise.resolve([...models]),
    resolve: (name) => {
      const named = models.find(({ reference }) => reference === name);
      const found = models.filter(({ model }) => model === name);
      if (named !== undefined || found.length < 2) return Promise.resolve(named ?? found[0]);
      return Promise.reject(new Error(`Several models are called "${name}"`));
    },
  };
}

function sessionInfo(reason: SessionInfo["reason"], info: Partial<SessionInfo>): SessionInfo {
  return {
    sessionId: "session-1",
    model: "model",
    workspace: "/workspace",
    reason,
    messages: [],
    signal: new AbortController().signal,
    ...info,
  };
}

function compactionResult(result: Partial<CompactionResult>): CompactionResult {
  return {
    sessionId: "session-1",
    reason: "auto",
    messages: [],
    signal: new AbortController().signal,
    model: "model",
    replaced: result.messages?.length ?? 0,
    structured: true,
    checkpoint: {},
    checkpointText: "",
    extracted: {},
    ...result,
  };
}

function missing(kind: string, name: string, known: readonly string[]): TypeError {
  const names = known.map((each) => JSON.stringify(each)).join(", ");
  return new TypeError(
    `There is no ${kind} ${JSON.stringify(name)}; the plugin registered ${names || "none"}`,
  );
}

function asText(what: string, text: unknown): string {
  if (typeof text === "string") return text;
  throw new TypeError(`${what} answered no text`);
}

/** A copy that nobody can change. */
function frozen(options: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(options), (_key, value) => Object.freeze(value));
}
