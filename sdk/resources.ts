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
 * Folders that come with a plugin. A relative path is one from the folder of the plugin's own file.
 * What is wrong with a folder, or with what is in it, is said when it is used.
 *
 * @example A folder of skills and one of prompt templates
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.skills",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.resources.skills("./skills");
 *     api.resources.prompts("./prompts");
 *   },
 * });
 * ```
 */
export interface PluginResources {
  /**
   * Adds a folder of skills, each a folder with a `SKILL.md`.
   *
   * @param path The folder.
   * @returns Takes it back.
   * @throws {TypeError} If it is no path.
   */
  skills(path: string): () => void;
  /**
   * Adds a folder of definitions of agents.
   *
   * @param path The folder.
   * @returns Takes it back.
   * @throws {TypeError} If it is no path.
   */
  agents(path: string): () => void;
  /**
   * Adds a folder of prompt templates, `*.md`.
   *
   * @param path The folder.
   * @returns Takes it back.
   * @throws {TypeError} If it is no path.
   */
  prompts(path: string): () => void;
  /**
   * The folders that all plugins added.
   *
   * @param kind Which of them.
   */
  list(kind: ResourceKind): readonly ResourceFolder[];
}
