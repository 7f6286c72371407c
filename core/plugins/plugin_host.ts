import type { Plugin, ProviderRegistration, ToolDefinition, Unregister } from "@alisio/sdk";
import { AlisioError, errorMessage } from "../errors.ts";

/** Where registrations of plugins go. */
export interface PluginHostPorts {
  /** Adds a tool of a plugin; throws if it is not acceptable. */
  readonly registerTool: (tool: ToolDefinition, plugin: Plugin) => Unregister;
  /** Adds a kind of provider; throws if its id is taken. */
  readonly registerProvider: (registration: ProviderRegistration) => Unregister;
  /** How long one plugin may take to release what it holds. */
  readonly disposeTimeoutMs: number;
}

const ID_REGEXP = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/** Sets plugins up and closes them again. */
export class PluginHost {
  readonly #ports: PluginHostPorts;
  readonly #plugins = new Map<string, { readonly plugin: Plugin; readonly undo: Unregister[] }>();

  /** @param ports Where registrations go. */
  constructor(ports: PluginHostPorts) {
    this.#ports = ports;
  }

  /**
   * Sets a plugin up. If that fails, everything it had registered is gone again.
   *
   * @param plugin The plugin.
   * @throws {AlisioError} `plugin_invalid` if its id is malformed or taken, or its setup fails.
   */
  async add(plugin: Plugin): Promise<void> {
    if (!ID_REGEXP.test(plugin.id) || this.#plugins.has(plugin.id)) {
      throw new AlisioError(
        "plugin_invalid",
        `Cannot load plugin "${plugin.id.slice(0, 80)}": its id is malformed or already loaded`,
      );
    }
    const undo: Unregister[] = [];
    const keep = (unregister: Unregister): Unregister => {
      undo.push(unregister);
      return unregister;
    };
    try {
      await plugin.setup({
        tools: { register: (tool) => keep(this.#ports.registerTool(tool, plugin)) },
        providers: {
          register: (registration) => keep(this.#ports.registerProvider(registration)),
        },
      });
    } catch (error) {
      for (const unregister of undo.reverse()) unregister();
      throw new AlisioError(
        "plugin_invalid",
        `Cannot load plugin "${plugin.id}": its setup failed: ${errorMessage(error)}`,
        { cause: error },
      );
    }
    this.#plugins.set(plugin.id, { plugin, undo });
  }

  /**
   * Releases all plugins side by side, each within its limit, and removes what they registered.
   * A plugin that fails or hangs does not hold the others up.
   */
  async close(): Promise<void> {
    const plugins = [...this.#plugins.values()];
    this.#plugins.clear();
    await Promise.all(plugins.map(async ({ plugin, undo }) => {
      await this.#dispose(plugin);
      for (const unregister of undo.reverse()) unregister();
    }));
  }

  async #dispose(plugin: Plugin): Promise<void> {
    if (plugin.dispose === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#ports.disposeTimeoutMs);
    });
    try {
      await Promise.race([plugin.dispose(), limit]);
    } catch {
      // Closing goes on: there is nothing left that the failure could hurt.
    } finally {
      clearTimeout(timer);
    }
  }
}
