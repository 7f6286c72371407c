/** A kind of folder that plugins may add. */
export type ResourceKind = "skills" | "prompts" | "agents";

/** A folder that a plugin added. */
export interface ResourceFolder {
  /** Id of the plugin. */
  readonly plugin: string;
  /** Absolute path. */
  readonly path: string;
}

/**
 * Folders that come with a plugin. A relative path is one from the plugin's own file.
 *
 * @example Skills, where the host has them
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.skills",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup: (api) => void api.resources?.skills("./skills"),
 * });
 * ```
 */
export interface PluginResources {
  /**
   * Adds a folder of skills.
   *
   * @param path The folder.
   */
  skills(path: string): () => void;
  /**
   * Adds a folder of definitions of agents.
   *
   * @param path The folder.
   */
  agents(path: string): () => void;
  /**
   * Adds a folder of prompt templates, `*.md`.
   *
   * @param path The folder.
   */
  prompts(path: string): () => void;
  /**
   * The folders that all plugins added.
   *
   * @param kind Which of them.
   */
  list(kind: ResourceKind): readonly ResourceFolder[];
}
