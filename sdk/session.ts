import type { ModelMessage } from "./provider.ts";

/** What a hook is told of a session. */
export interface SessionInfo {
  /** The session. */
  readonly sessionId: string;
  /** The name of its model. */
  readonly model: string;
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  /** Why the hook is called: the session begins, is left for a new one, or is left for good. */
  readonly reason: "start" | "clear" | "exit";
  /** What was said so far. */
  readonly messages: readonly ModelMessage[];
  /** Aborts when the hook's time is over, or nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * The beginning and the end of sessions, for a plugin.
 *
 * @example Notes that outlive a session
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.summary",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.session.onStart(() => {
 *       const last = api.state.get("summary");
 *       return typeof last === "string" ? `Last time: ${last}` : "";
 *     });
 *     api.session.onEnd(async ({ model, messages, signal }) => {
 *       const summary = await api.model.complete({
 *         system: "Summarize the session in one sentence.",
 *         messages: [{ role: "user", text: JSON.stringify(messages).slice(-20_000) }],
 *         maxTokens: 200,
 *         model,
 *         signal,
 *       });
 *       api.state.set("summary", summary);
 *     });
 *   },
 * });
 * ```
 */
export interface PluginSession {
  /**
   * Calls a function once for each new session, before its first prompt is sent. What it returns
   * stands before that prompt, and is stored with it. It has `pluginHooks.timeoutMs`.
   *
   * @param handler Returns the text; nothing or an empty one adds nothing.
   * @returns Takes it back.
   */
  onStart(
    handler: (info: SessionInfo) => Promise<string | undefined | void> | string | undefined | void,
  ): () => void;
  /**
   * Calls a function when a person leaves a session of a conversation. It has
   * `pluginHooks.sessionEndTimeoutMs`.
   *
   * @param handler Is told of the session.
   * @returns Takes it back.
   */
  onEnd(handler: (info: SessionInfo) => Promise<void> | void): () => void;
}
