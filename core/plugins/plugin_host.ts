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
  /** Ids of plugins that are being set up. */
  readonly #claimed = new Set<string>();
  #isClosed = false;

  /** @param ports Where registrations go. */
  constructor(ports: PluginHostPorts) {
    this.#ports = ports;
  }

  /**
   * Sets a plugin up. If that fails, everything it had registered is gone again.
   *
   * @param plugin The plugin.
   * @throws {AlisioError} `plugin_invalid` if its id is malformed or taken, its setup fails, or the
   * host was closed.
   */
  async add(plugin: Plugin): Promise<void> {
    const { id } = plugin;
    if (!ID_REGEXP.test(id) || this.#plugins.has(id) || this.#claimed.has(id)) {
      throw new AlisioError(
        "plugin_invalid",
        `Cannot load plugin "${id.slice(0, 80)}": its id is malformed or already loaded`,
      );
    }
    if (this.#isClosed) throw closedError(id);
    this.#claimed.add(id);
    try {
      await this.#setUp(plugin);
    } finally {
      this.#claimed.delete(id);
    }
  }

  async #setUp(plugin: Plugin): Promise<void> {
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
    if (this.#isClosed) {
      await this.#release(plugin, undo);
      throw closedError(plugin.id);
    }
    this.#plugins.set(plugin.id, { plugin, undo });
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
    await Promise.all(plugins.map(({ plugin, undo }) => this.#release(plugin, undo)));
  }

  async #release(plugin: Plugin, undo: Unregister[]): Promise<void> {
    await this.#dispose(plugin);
    for (const unregister of undo.reverse()) unregister();
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

function closedError(id: string): AlisioError {
  return new AlisioError("plugin_invalid", `Cannot load plugin "${id}": Alisio is closing`);
}
