import type { PluginPaths } from "@alisio/sdk";
import { join } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";

/** Folders that hold those of plugins. */
export interface PluginHomes {
  /** The folder of the session database. */
  readonly state: string;
  /** The folder of the person's configuration. */
  readonly config: string;
}

/**
 * The folders of one plugin. Each is made when it is first read, for its owner alone.
 *
 * @param id The plugin's id.
 * @param homes Folders that hold them.
 */
export function createPluginPaths(id: string, homes: PluginHomes): PluginPaths {
  const state = join(homes.state, "plugins", id);
  return {
    get state() {
      return made(state);
    },
    get config() {
      const path = join(homes.config, "plugins", id);
      try {
        return made(path);
      } catch {
        // The second wall keeps the configuration from being changed; there is nothing in it then.
        return path;
      }
    },
    get cache() {
      return made(join(state, "cache"));
    },
  };
}

function made(path: string): string {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  } catch (error) {
    throw new Error(`Cannot make the folder ${quotePath(path)} of a plugin`, { cause: error });
  }
}
