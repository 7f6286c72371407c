import type { JsonSchema, JsonValue } from "./json.ts";

/** What an action of an app is given. */
export interface PluginAppContext {
  /** The session that the app belongs to. */
  readonly sessionId: string;
  /** Absolute real path of its workspace. */
  readonly workspace: string;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Something that an app can ask of its plugin. It is decided about like a tool call. */
export interface PluginAppAction {
  /** What it does to the world. */
  readonly effect: "read" | "write" | "process";
  /** An object schema, without `$ref`, `$id` and `$async`. */
  readonly inputSchema: JsonSchema;
  /**
   * Does it.
   *
   * @param input Checked.
   * @param context What it may use.
   */
  handler(
    input: Readonly<Record<string, JsonValue>>,
    context: PluginAppContext,
  ): Promise<JsonValue | void> | JsonValue | void;
}

/** A page of a plugin's own. */
export interface PluginApp {
  /** `^[a-z][a-z0-9-]{0,39}$`, unique in the plugin. */
  readonly id: string;
  /** What people see, in one language or in both. */
  readonly label: string | { readonly en: string; readonly es: string };
  /** The page: self-contained HTML, up to 8 MiB; `__ALISIO_NONCE__` stands for the nonce of scripts. */
  html(): string | Promise<string>;
  /** What the page may ask, by name. */
  readonly actions?: Readonly<Record<string, PluginAppAction>>;
  /** Whether something goes on that must not be ended for lack of use. */
  busy?(): boolean;
  /** Stops what goes on. Safe to call twice. */
  dispose?(): void;
}

/**
 * Apps, for a plugin.
 *
 * @example A page, where the host has apps
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.page",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup: (api) => void api.apps?.register({ id: "page", label: "Page", html: () => "<p>Hi" }),
 * });
 * ```
 */
export interface PluginApps {
  /**
   * Adds an app.
   *
   * @param app The app.
   */
  register(app: PluginApp): () => void;
}

/** Why a request of a page failed. */
export type PluginAppErrorCode =
  | "not_found"
  | "invalid_input"
  | "not_permitted"
  | "timeout"
  | "failed"
  | "too_large"
  | "too_many_requests"
  | "unauthorized"
  | "network";

/** What the host posts to the page once, with a port. */
export interface PluginAppConnectMessage {
  /** Which message this is. */
  readonly type: "alisio.app.connect";
  /** The person's language. */
  readonly locale: string;
  /** Whether the page can be seen. */
  readonly visible: boolean;
}

/** What the page sends through the port. */
export interface PluginAppRequestMessage {
  /** Which message this is. */
  readonly type: "request";
  /** Chosen by the page; the response has it too. */
  readonly id: string;
  /** Name of the action. */
  readonly action: string;
  /** Its input. */
  readonly input: JsonValue;
}

/** What the host sends through the port. */
export type PluginAppHostMessage =
  | { readonly type: "response"; readonly id: string; readonly result: JsonValue }
  | {
    readonly type: "response";
    readonly id: string;
    readonly error: PluginAppErrorCode;
    /** What the person did not permit. */
    readonly effect?: "write" | "process";
  }
  | { readonly type: "locale"; readonly locale: string }
  | { readonly type: "visibility"; readonly visible: boolean };
