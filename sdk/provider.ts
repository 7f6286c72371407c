import type { JsonSchema, JsonValue } from "./json.ts";
import type { ImagePart, TextPart } from "./tool.ts";

/** Tokens of one response, as the server reported them. */
export interface Usage {
  /** Tokens of the request, cached ones included. */
  readonly input: number;
  readonly output: number;
  /** The part of `input` that came from the server's cache. */
  readonly cachedInput?: number;
}

/** One tool call as a model wrote it. */
export interface ModelToolCall {
  /**
   * The server's id, or an empty string where it sent none. The host mints a unique id before
   * the call is stored, and replays that one.
   */
  readonly id: string;
  readonly name: string;
  /** JSON text. Not necessarily valid when it comes from a model; always an object on replay. */
  readonly arguments: string;
}

/** A message from the person, or from the host on their behalf. */
export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

/** A message from the model. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /**
   * Visible reasoning that the server wants back, empty string included. A provider sets it only
   * when its profile keeps reasoning.
   */
  readonly reasoning?: string;
  /**
   * Opaque items that the same provider needs to continue, for example encrypted reasoning. Never
   * sent to a provider with another id.
   */
  readonly continuation?: { readonly provider: string; readonly items: readonly JsonValue[] };
}

/** The result of one tool call, as text. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** One message of a conversation. */
export type ModelMessage = UserMessage | AssistantMessage | ToolMessage;

/** A tool as it is offered to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/**
 * One request to a model.
 *
 * Messages are immutable: the host passes the same objects again on the next turn, so an adapter
 * may cache what it derives from one (in a `WeakMap`).
 */
export interface ModelRequest {
  readonly model: string;
  /** The whole system text, byte for byte the same on every turn of a run. */
  readonly system: string;
  /** Calls and results are complete pairs with unique ids; no message is empty. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens: number;
  /** A level that the model advertises. */
  readonly effort?: string;
  readonly signal: AbortSignal;
}

/** What a provider's stream yields. */
export type ModelEvent =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "reasoning_delta"; readonly delta: string }
  /** Part of a tool call arrived. */
  | { readonly type: "tool_delta" }
  /** The server is alive but sent no content: a keep-alive, or response headers. */
  | { readonly type: "activity" }
  /** Something odd was tolerated; the host shows it once to the person. */
  | { readonly type: "warning"; readonly message: string }
  | {
    readonly type: "completed";
    readonly message: AssistantMessage;
    readonly usage?: Usage;
    /** The output limit cut the response. Its calls may be incomplete. */
    readonly truncated?: boolean;
  };

/** What a provider knows of a model. Absent means unknown. */
export interface ModelInfo {
  readonly id: string;
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxOutputTokens?: number;
  readonly inputModalities?: readonly string[];
  readonly effort?: { readonly supportedLevels: readonly string[]; readonly defaultLevel?: string };
}

/**
 * A connection to a model server.
 *
 * Contract: `stream` yields any number of deltas and then exactly one `completed`, or throws
 * exactly one {@linkcode ProviderError}; it never does both. When `request.signal` aborts, it
 * releases the connection at once and throws the signal's reason. It never retries by itself:
 * retries belong to the host, which sees `retryable` and `retryAfterMs`.
 */
export interface ModelProvider {
  /** Stable id of provider, protocol and endpoint; guards opaque continuation data. */
  readonly id: string;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
  /**
   * Lists the models that the server offers.
   *
   * @throws {ProviderError} If the catalog cannot be read.
   */
  listModels?(options: { readonly signal: AbortSignal }): Promise<readonly ModelInfo[]>;
}

/** Why a provider failed. */
export type ProviderErrorCode =
  | "authentication"
  | "permission"
  | "model_not_found"
  | "not_found"
  | "invalid_request"
  | "context_overflow"
  | "rate_limited"
  | "quota_exceeded"
  | "overloaded"
  | "server_error"
  | "network"
  | "invalid_response"
  | "stream_interrupted"
  | "output_truncated";

/** Facts about a provider's failure. */
export interface ProviderErrorOptions {
  readonly code: ProviderErrorCode;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** Whether sending the same request again may work. */
  readonly retryable?: boolean;
  /** How long the server asked to wait. */
  readonly retryAfterMs?: number;
  /** With `context_overflow`: tokens that fit, if the server said so. */
  readonly contextLimit?: number;
  readonly cause?: unknown;
}

/** The one error type that a provider's stream may end in. Its message holds no secret. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly contextLimit: number | undefined;

  /**
   * @param message What failed, why and what to do, for the person.
   * @param options Facts that the host acts on.
   */
  constructor(message: string, options: ProviderErrorOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = options.code;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.contextLimit = options.contextLimit;
  }
}

/** A field of a provider's profile form. */
export interface ProviderField {
  readonly name: string;
  readonly label: string;
  /** Secret fields are kept in the credential store and arrive in `credentials`. */
  readonly secret?: boolean;
  readonly required?: boolean;
  readonly options?: readonly string[];
  readonly default?: string;
  readonly description?: string;
}

/** What a provider factory is given. */
export interface ProviderCreateRequest {
  /** Values of the profile without secrets. */
  readonly profile: Readonly<Record<string, JsonValue | undefined>>;
  /** Secrets by field name; the API key is `apiKey`. */
  readonly credentials: Readonly<Record<string, string | undefined>>;
  /** For example `alisio/0.1.0`. */
  readonly userAgent: string;
}

/** A kind of provider that a plugin offers. */
export interface ProviderRegistration {
  /** For example `openai-compatible`. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly fields: readonly ProviderField[];
  /** Environment variable that holds the key unless the profile names another. */
  readonly defaultApiKeyEnv?: string;
  /**
   * Builds a connection. Opens no socket.
   *
   * @throws {TypeError} If the profile is not usable; the message names the field.
   */
  create(request: ProviderCreateRequest): ModelProvider | Promise<ModelProvider>;
}
