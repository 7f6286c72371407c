import type { PluginAgents } from "./agents.ts";
import type { PluginApps } from "./app.ts";
import type { PluginSessions } from "./child_session.ts";
import type { PluginCompaction } from "./compaction.ts";
import type { PluginDecisions } from "./decision.ts";
import type { RunEvent } from "./events.ts";
import type { ExtensionPoints, PluginExtensions } from "./extension.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { PluginModel, PluginModels } from "./model.ts";
import type { PluginProof } from "./proof.ts";
import type { ProviderRegistration } from "./provider.ts";
import type { PluginResources } from "./resources.ts";
import type { PluginSemantic } from "./semantic.ts";
import type { PluginSession } from "./session.ts";
import type { SqlDatabase } from "./storage.ts";
import type { ToolDefinition } from "./tool.ts";
import type { PluginUi } from "./ui.ts";
import type { PluginViews } from "./view.ts";

/** Removes what a registration added. Safe to call twice. */
export type Unregister = () => void;

/** What a command is given besides its arguments. */
export interface CommandContext {
  /** The session that is open, where one is. */
  readonly sessionId?: string;
}

/**
 * Runs a command.
 *
 * @param args What follows its name, as the person wrote it.
 * @param context What is known of where it was called.
 * @returns The text that the person is shown.
 */
export type CommandHandler = (args: string, context?: CommandContext) => Promise<string>;

/** What help says of a command. */
export interface CommandOptions {
  /** One sentence. */
  readonly description?: string;
  /** What its arguments look like, for example `<file>`. */
  readonly argumentHint?: string;
}

/** Folders of a plugin's own. Each is made, for its owner alone, when it is first read. */
export interface PluginPaths {
  /** For what the plugin remembers. Alisio may always write there. */
  readonly state: string;
  /** For what the person configures. Alisio may be unable to write there. */
  readonly config: string;
  /** For what can be made anew. Alisio may always write there. */
  readonly cache: string;
}

/**
 * What a plugin may use during `setup` and afterwards. Every method that registers something
 * returns a function that takes it back; what is left is taken back when the plugin is closed. A
 * member that may be undefined is absent on a host that lacks it: look before you use it.
 *
 * @example A command that counts, and remembers
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.counter",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.events.on(({ type }) => {
 *       if (type !== "run_completed") return;
 *       api.state.set("runs", Number(api.state.get("runs") ?? 0) + 1);
 *     });
 *     api.commands.register("runs", () => Promise.resolve(`Runs: ${api.state.get("runs") ?? 0}`), {
 *       description: "Shows how many runs were completed",
 *     });
 *   },
 * });
 * ```
 */
export interface PluginAPI {
  /** Tools that the model may call. */
  readonly tools: {
    /**
     * Adds a tool.
     *
     * @throws {TypeError} If the name is taken or the input schema is not supported.
     */
    register(tool: ToolDefinition): Unregister;
  };
  /** Commands that the person may call, as `/<plugin id>:<name> <arguments>`. */
  readonly commands: {
    /**
     * Adds a command.
     *
     * @param name Letters, digits, `_` and `-`, without the plugin's id.
     * @param handler Runs it.
     * @param options What help says of it.
     * @throws {TypeError} If the name is taken or malformed.
     */
    register(name: string, handler: CommandHandler, options?: CommandOptions): Unregister;
  };
  /** What happens in runs. */
  readonly events: {
    /**
     * Calls a function for every event of every run, in order, after the event was stored. What it
     * throws is reported once and changes nothing.
     *
     * @param handler Is given the event.
     */
    on(handler: (event: RunEvent) => void | Promise<void>): Unregister;
  };
  /** Text that the model is given with the instructions. */
  readonly context: {
    /**
     * Adds a source of text, which is asked when a session is opened.
     *
     * @param provider Returns the text; an empty one adds nothing.
     */
    register(provider: () => Promise<string>): Unregister;
  };
  /** A few small values that Alisio keeps for the plugin, in its own database. */
  readonly state: {
    /**
     * Reads a value.
     *
     * @param key Of the plugin's choice.
     */
    get(key: string): JsonValue | undefined;
    /**
     * Stores a value.
     *
     * @param key Of the plugin's choice, up to 200 characters.
     * @param value Up to 64 KiB as JSON; undefined removes it.
     * @throws {TypeError} If it is no JSON value, or too large.
     */
    set(key: string, value: JsonValue | undefined): void;
  };
  /** Databases of the plugin's own. */
  readonly storage: {
    /**
     * Opens a SQLite file for its owner alone; makes it, and the folders above it, if need be.
     *
     * @param path Absolute, or relative to `paths.state` and below it.
     * @throws {TypeError} If a relative path leads out of that folder.
     */
    sqlite(path: string): SqlDatabase;
  };
  /** Models, for texts of the plugin's own. */
  readonly model: PluginModel;
  /** The models that are configured. */
  readonly models: PluginModels;
  /** The beginning and the end of sessions. */
  readonly session: PluginSession;
  /** Parts of Alisio that a plugin can take the place of. */
  readonly extensions: PluginExtensions;
  /** Folders of skills, agents and prompts. */
  readonly resources: PluginResources;
  /** The moments when a conversation is made shorter. */
  readonly compaction: PluginCompaction;
  /** Child sessions. Absent on a host that lacks it. */
  readonly sessions?: PluginSessions;
  /** Definitions of agents. Absent on a host that lacks it. */
  readonly agents?: PluginAgents;
  /** Data that hosts can read. Absent on a host that lacks it. */
  readonly views?: PluginViews;
  /** Pages of the plugin's own. Absent on a host that lacks it. */
  readonly apps?: PluginApps;
  /** Proof of criteria. Absent on a host that lacks it. */
  readonly proof?: PluginProof;
  /** Small, closed decisions. Absent on a host that lacks it. */
  readonly decisions?: PluginDecisions;
  /** Search by meaning. Absent on a host that lacks it. */
  readonly semantic?: PluginSemantic;
  /** What a person sees of the plugin. */
  readonly ui: PluginUi;
  /** Folders of the plugin's own. */
  readonly paths?: PluginPaths;
  /** `pluginOverrides.<id>.options` of the person's configuration; frozen. */
  readonly options?: JsonObject;
  /** Kinds of model providers. */
  readonly providers: {
    /**
     * Adds a provider. Registrations coexist; the active profile selects one.
     *
     * @throws {TypeError} If the id is taken.
     */
    register(registration: ProviderRegistration): Unregister;
  };
}

/**
 * What a plugin does, for lists of plugins.
 *
 * - `model-provider`: offers kinds of model providers
 * - `methodology-harness`: a way of working, step by step
 * - `memory`: remembers and recalls
 * - `subagents`: delegates work
 * - `search`: searches the web, or by meaning
 * - `tools`: tools for general use
 * - `security`: audits, sandboxes, permissions
 * - `analytics`: counts what is used and what it costs
 * - `mcp`: looks after MCP servers
 * - `storage`: keeps things durably
 * - `ui`: draws screens, mascots, panels
 * - `decisions`: decides small questions
 */
export type PluginCategory =
  | "model-provider"
  | "methodology-harness"
  | "memory"
  | "subagents"
  | "search"
  | "tools"
  | "security"
  | "analytics"
  | "mcp"
  | "storage"
  | "ui"
  | "decisions";

/** A plugin: an ES module's default export. */
export interface Plugin {
  /** `^[a-z0-9][a-z0-9.-]{0,63}$`, for example `acme.hello`. */
  readonly id: string;
  /** SemVer, for example `0.1.0`. */
  readonly version: string;
  /** Version of this contract. */
  readonly apiVersion: 1;
  /** Name for people. */
  readonly name?: string;
  /** One sentence for people. */
  readonly description?: string;
  /**
   * What it does, for lists of plugins. That it offers a kind of model provider is known without a
   * word.
   *
   * @default "General", as the lists call it
   */
  readonly categories?: readonly PluginCategory[];
  /** Providers for extension points, registered with priority 0 before `setup` is called. */
  readonly extensions?: Partial<ExtensionPoints>;
  /** Registers everything. If it fails, what it had registered is rolled back. */
  setup(api: PluginAPI): void | Promise<void>;
  /** Releases resources when Alisio closes. */
  dispose?(): void | Promise<void>;
}

/**
 * Returns its argument; gives the plugin object its type.
 *
 * @example A plugin with one tool
 * ```ts
 * import { definePlugin, textResult } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.hello",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.tools.register({
 *       name: "hello",
 *       description: "Greets the user.",
 *       effect: "read",
 *       inputSchema: { type: "object", properties: {}, additionalProperties: false },
 *       execute: () => Promise.resolve(textResult("Hello!")),
 *     });
 *   },
 * });
 * ```
 *
 * @param plugin The plugin.
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
