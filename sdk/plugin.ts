import type { ProviderRegistration } from "./provider.ts";
import type { ToolDefinition } from "./tool.ts";

/** Removes what a registration added. Safe to call twice. */
export type Unregister = () => void;

/** What a plugin may use during `setup` and afterwards. */
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
  /** Words that group plugins in lists. */
  readonly categories?: readonly string[];
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
