import type { JsonSchema, JsonValue } from "./json.ts";

/** What a view is read with, beside its parameters. */
export interface ViewContext {
  /** The session that it is about. */
  readonly sessionId: string;
  /** Absolute real path of its workspace. */
  readonly workspace: string;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Data of a session that hosts can read without running a tool. */
export interface ViewDefinition {
  /** `^[a-z][a-z0-9-]{0,39}$`, unique in the plugin. */
  readonly id: string;
  /** One sentence. */
  readonly description: string;
  /** An object schema of simple values, without `$ref`. Others are refused, defaults filled in. */
  readonly params?: JsonSchema;
  /**
   * Reads it; changes nothing.
   *
   * @param params Checked and converted.
   * @param context What it is read with.
   * @throws {ViewParamsError} If the parameters are wrong in a way that no schema can say.
   */
  handler(
    params: Readonly<Record<string, JsonValue>>,
    context: ViewContext,
  ): JsonValue | Promise<JsonValue>;
}

/**
 * Views, for a plugin.
 *
 * @example The latest notes, where the host has views
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.notes",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.views?.register({
 *       id: "recent",
 *       description: "Recent notes of the session",
 *       handler: (_params, { sessionId }) => ({ sessionId, notes: [] }),
 *     });
 *   },
 * });
 * ```
 */
export interface PluginViews {
  /**
   * Adds a view.
   *
   * @param view The view.
   */
  register(view: ViewDefinition): () => void;
}

/** Parameters of a view that are wrong in a way that no schema can say. */
export class ViewParamsError extends Error {
  /** Always `ViewParamsError`. */
  override readonly name = "ViewParamsError";
}
