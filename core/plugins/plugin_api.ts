import type {
  CommandHandler,
  CommandOptions,
  CompactionHooks,
  JsonObject,
  JsonValue,
  Plugin,
  PluginAPI,
  PluginPaths,
  ResourceFolder,
  ResourceKind,
  RunEvent,
  SqlDatabase,
  Unregister,
} from "@alisio/sdk";
import { isInside } from "../paths/is_inside.ts";
import { isAbsolute, resolve } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import type { CompactionHook } from "./compaction_hooks.ts";
import type { ExtensionRegistry } from "./extension_registry.ts";
import type { PluginHostPorts } from "./plugin_host.ts";
import { createPluginPaths } from "./plugin_paths.ts";
import { createPluginUi, type PluginPanels, type PluginStatuses } from "./plugin_ui.ts";
import type { SessionHook } from "./session_hooks.ts";
import { asHostTool, type Watched } from "./plugin_tool.ts";

/** A command of a plugin. */
export interface PluginCommand {
  /** As a person writes it after the slash. */
  readonly name: string;
  readonly plugin: string;
  readonly handler: CommandHandler;
  readonly description?: string;
  readonly argumentHint?: string;
}

/** What plugins registered with the host itself. */
export interface PluginRegistry {
  /** By full name. */
  readonly commands: Map<string, PluginCommand>;
  readonly observers: Set<{
    readonly plugin: string;
    readonly handle: (event: RunEvent) => void | Promise<void>;
  }>;
  readonly extensions: ExtensionRegistry;
  /** Short texts of plugins. */
  readonly statuses: PluginStatuses;
  /** Trees of plugins. */
  readonly panels: PluginPanels;
  readonly sessionStarts: Set<SessionHook>;
  readonly sessionEnds: Set<SessionHook>;
  readonly compactions: Set<CompactionHook>;
  readonly contexts: Set<{ readonly plugin: string; readonly provide: () => Promise<string> }>;
  readonly resources: Set<ResourceFolder & { readonly kind: ResourceKind }>;
}

/** What the API of one plugin is made from. */
export interface PluginApiParts {
  readonly plugin: Plugin;
  /** The folder of its own file; absent for one that comes with the program. */
  readonly folder: string | undefined;
  readonly ports: PluginHostPorts;
  readonly registry: PluginRegistry;
  /** Stands before the names of its tools. */
  readonly toolPrefix: string;
  /** Stands before the names of its commands. */
  readonly commandPrefix: string;
  /** Calls what the plugin wrote. */
  readonly watched: Watched;
  /** Remembers how to take a registration back; refuses one when the plugin is closed. */
  readonly keep: (register: () => Unregister) => Unregister;
}

/** What messages call the hooks of a compaction. */
export const BEFORE_COMPACT = "compaction.beforeCompact";
/** What messages call the hooks of a compaction. */
export const AFTER_COMPACT = "compaction.afterCompact";

const COMMAND_REGEXP = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAX_KEY_CHARS = 200;
const MAX_STATE_CHARS = 64 * 1024;

/**
 * What one plugin may use. A member that needs what this host was not given is absent.
 *
 * @param parts What it is made from.
 */
export function createPluginApi(parts: PluginApiParts): PluginAPI {
  const { plugin, ports, registry, keep } = parts;
  const paths = ports.folders === undefined
    ? undefined
    : createPluginPaths(plugin.id, ports.folders);
  const sessions = ports.sessions?.();
  return {
    tools: {
      register: (tool) =>
        keep(() =>
          ports.registerTool(
            asHostTool(tool, parts.toolPrefix, parts.watched),
            plugin,
            parts.folder === undefined,
          )
        ),
    },
    providers: { register: (registration) => keep(() => ports.registerProvider(registration)) },
    commands: {
      register: (name, handler, options = {}) =>
        keep(() => addCommand(parts, name, handler, options)),
    },
    events: {
      on: (handle) => {
        assertFunction(handle, "events.on");
        const watched = (event: RunEvent) => parts.watched("events.on", () => handle(event));
        return keep(() => addTo(registry.observers, { plugin: plugin.id, handle: watched }));
      },
    },
    context: {
      register: (provide) => {
        assertFunction(provide, "context.register");
        const watched = () => parts.watched("context.register", provide);
        return keep(() => addTo(registry.contexts, { plugin: plugin.id, provide: watched }));
      },
    },
    state: stateOf(plugin.id, ports),
    storage: { sqlite: (path) => openDatabase(parts, paths, path) },
    model: { complete: async (request) => await required(ports.complete, "ask a model")(request) },
    models: {
      list: async () => await required(ports.models, "list models").list(),
      resolve: async (name) => await required(ports.models, "resolve a model").resolve(name),
    },
    session: {
      onStart: (handler) => keepHook(parts, "session.onStart", registry.sessionStarts, handler),
      onEnd: (handler) => keepHook(parts, "session.onEnd", registry.sessionEnds, handler),
    },
    compaction: { register: (hooks) => keepCompaction(parts, hooks) },
    extensions: {
      register: (point, provider, options = {}) =>
        keep(() => registry.extensions.register(point, plugin.id, provider, options.priority ?? 0)),
    },
    resources: {
      skills: (path) => addResource(parts, "skills", path),
      agents: (path) => addResource(parts, "agents", path),
      prompts: (path) => addResource(parts, "prompts", path),
      list: (kind) => resourceFolders(registry, kind),
    },
    ui: createPluginUi(
      plugin.id,
      registry.statuses,
      (id, provider) => keep(() => registry.panels.add(plugin.id, id, provider)),
      { ask: ports.ask, view: ports.view },
    ),
    ...(paths === undefined ? {} : { paths }),
    ...(sessions === undefined ? {} : { sessions }),
    ...(ports.agents === undefined ? {} : { agents: ports.agents }),
    options: frozen(ports.optionsOf?.(plugin.id) ?? {}),
  };
}

function addCommand(
  { plugin, registry, commandPrefix, watched }: PluginApiParts,
  given: string,
  handler: CommandHandler,
  options: CommandOptions,
): Unregister {
  if (typeof given !== "string" || !COMMAND_REGEXP.test(given)) {
    throw new TypeError(
      `Cannot register command ${JSON.stringify(String(given).slice(0, 80))}: a name has 1 to 64 ` +
        'letters, digits, "_" or "-"',
    );
  }
  assertFunction(handler, "commands.register");
  const name = commandPrefix + given;
  const { description, argumentHint } = options;
  if (registry.commands.has(name)) {
    throw new TypeError(`Cannot register command "${name}": the name is taken`);
  }
  registry.commands.set(name, {
    name,
    plugin: plugin.id,
    handler: (args, context) => watched(`command ${given}`, () => handler(args, context)),
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof argumentHint === "string" ? { argumentHint } : {}),
  });
  return () => void registry.commands.delete(name);
}

/** Whether the folder is there is looked at when it is used: a plugin may make it later. */
function addResource(
  { plugin, folder, registry, keep }: PluginApiParts,
  kind: ResourceKind,
  given: string,
): Unregister {
  if (typeof given !== "string" || given === "" || given.includes("\0")) {
    throw new TypeError(`resources.${kind} needs the path of a folder`);
  }
  if (folder === undefined && !isAbsolute(given)) {
    throw new TypeError(`resources.${kind} needs an absolute path: this plugin has no file`);
  }
  const path = resolve(folder ?? "", given);
  return keep(() => addTo(registry.resources, { plugin: plugin.id, kind, path }));
}

/**
 * The folders of one kind that plugins brought, in the order of registration.
 *
 * @param registry What plugins registered.
 * @param kind Which of them.
 */
export function resourceFolders(
  { resources }: Pick<PluginRegistry, "resources">,
  kind: ResourceKind,
): readonly ResourceFolder[] {
  return [...resources].filter((each) => each.kind === kind)
    .map(({ plugin, path }) => ({ plugin, path }));
}

function stateOf(id: string, { state }: PluginHostPorts): PluginAPI["state"] {
  return {
    get: (key) => required(state, "keep state").get(id, checkedKey(key)),
    set(key, value) {
      const text = value === undefined ? "" : jsonText(value);
      if (text.length > MAX_STATE_CHARS) {
        throw new TypeError(
          `Cannot store "${checkedKey(key)}": it is longer than ${MAX_STATE_CHARS} characters of ` +
            "JSON; keep larger things with storage.sqlite",
        );
      }
      required(state, "keep state").set(
        id,
        checkedKey(key),
        value === undefined ? undefined : JSON.parse(text),
      );
    },
  };
}

/** A host that only looks at plugins keeps nothing and asks nobody. */
function required<T>(port: T | undefined, what: string): T {
  if (port === undefined) throw new Error(`Cannot ${what}: this host only looks at plugins`);
  return port;
}

function checkedKey(key: string): string {
  if (typeof key === "string" && key !== "" && key.length <= MAX_KEY_CHARS) return key;
  throw new TypeError(
    `Cannot use a key of state: it is no text of 1 to ${MAX_KEY_CHARS} characters`,
  );
}

function jsonText(value: JsonValue): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError("Cannot store a value: it is no JSON value");
  return text;
}

function openDatabase(
  { ports, keep }: PluginApiParts,
  paths: PluginPaths | undefined,
  path: string,
): SqlDatabase {
  const open = required(ports.openDatabase, "open a database");
  const database = open(databasePath(required(paths, "open a database"), path));
  try {
    keep(() => () => database.close());
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** A slip in a path must not put a database among those of Alisio, or of another plugin. */
function databasePath(paths: PluginPaths, given: string): string {
  if (typeof given !== "string" || given === "" || given.includes("\0")) {
    throw new TypeError("storage.sqlite needs the path of a file");
  }
  // The plugin's own folder is made when it is read, which is for nothing here.
  if (isAbsolute(given)) return resolve(given);
  const { state } = paths;
  const path = resolve(state, given);
  if (isInside(path, state) && path !== state) return path;
  throw new TypeError(
    `Cannot open database ${quotePath(given)}: a relative path must stay in the plugin's own ` +
      `folder, ${quotePath(state)}`,
  );
}

function keepHook(
  { plugin, keep, watched }: PluginApiParts,
  name: string,
  hooks: Set<SessionHook>,
  handler: SessionHook["handle"],
): Unregister {
  assertFunction(handler, name);
  const handle: SessionHook["handle"] = (info) => watched(name, () => handler(info));
  return keep(() => addTo(hooks, { plugin: plugin.id, handle }));
}

function keepCompaction(
  { plugin, keep, watched, registry }: PluginApiParts,
  hooks: CompactionHooks,
): Unregister {
  const given: Partial<CompactionHooks> | null | undefined = hooks;
  const before = given?.beforeCompact;
  const after = given?.afterCompact;
  if (before === undefined && after === undefined) {
    throw new TypeError("compaction.register needs beforeCompact or afterCompact");
  }
  if (before !== undefined) assertFunction(before, "compaction.register beforeCompact");
  if (after !== undefined) assertFunction(after, "compaction.register afterCompact");
  return keep(() =>
    addTo(registry.compactions, {
      plugin: plugin.id,
      // The plugin's own object is the one that its methods belong to.
      ...(before === undefined ? {} : {
        before: (input) => watched(BEFORE_COMPACT, () => before.call(hooks, input)),
      }),
      ...(after === undefined ? {} : {
        after: (result) => watched(AFTER_COMPACT, () => after.call(hooks, result)),
      }),
    })
  );
}

function addTo<T>(set: Set<T>, item: T): Unregister {
  set.add(item);
  return () => void set.delete(item);
}

function assertFunction(value: unknown, method: string): void {
  if (typeof value !== "function") throw new TypeError(`${method} needs a function`);
}

/** A copy that nobody can change. */
function frozen(options: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(options), (_key, value) => Object.freeze(value));
}
