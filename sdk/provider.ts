import type { ProviderAuthMethod, ProviderOAuth } from "./auth.ts";
import type { JsonSchema, JsonValue } from "./json.ts";
import type { ImagePart, TextPart } from "./tool.ts";

/** Tokens of one response, as the server reported them. */
export interface Usage {
  /** Tokens of the request, cached ones included. */
  readonly input: number;
  /** Tokens of the response, reasoning included. */
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
  /** Name of the tool, as the model wrote it. */
  readonly name: string;
  /** JSON text. Not necessarily valid when it comes from a model; always an object on replay. */
  readonly arguments: string;
}

/** A message from the person, or from the host on their behalf. */
export interface UserMessage {
  /** Who speaks. */
  readonly role: "user";
  /** Text and images, in order. */
  readonly content: readonly (TextPart | ImagePart)[];
}

/** A message from the model. */
export interface AssistantMessage {
  /** Who speaks. */
  readonly role: "assistant";
  /** What was said; may be empty when there are calls. */
  readonly text: string;
  /** Tool calls, in the order of the response. */
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
  /** Who speaks. */
  readonly role: "tool";
  /** The call that this answers. */
  readonly callId: string;
  /** The tool that answered. */
  readonly name: string;
  /** The text parts of the result, joined. */
  readonly text: string;
  /** Whether the call failed. */
  readonly isError: boolean;
}

/** One message of a conversation. */
export type ModelMessage = UserMessage | AssistantMessage | ToolMessage;

/** A tool as it is offered to a model. */
export interface ModelTool {
  /** Name that the model calls it by. */
  readonly name: string;
  /** What the model is told about it. */
  readonly description: string;
  /** Schema of its input. */
  readonly inputSchema: JsonSchema;
}

/** What is asked of an answer, in the words of the servers that take it. */
export interface AnswerStyle {
  /** How much of its reasoning the model sums up, such as `auto`. */
  readonly reasoningSummary?: string;
  /** How much it says, such as `low`. */
  readonly verbosity?: string;
  /** The form of its text: `text` or `json_object`. */
  readonly format?: string;
}

/**
 * One request to a model.
 *
 * Messages are immutable: the host passes the same objects again on the next turn, so an adapter
 * may cache what it derives from one (in a `WeakMap`).
 */
export interface ModelRequest {
  /** The model's id at the server. */
  readonly model: string;
  /** The whole system text, byte for byte the same on every turn of a run. */
  readonly system: string;
  /** Calls and results are complete pairs with unique ids; no message is empty. */
  readonly messages: readonly ModelMessage[];
  /** Tools on offer, in the same order on every turn of a run. */
  readonly tools: readonly ModelTool[];
  /**
   * Tools that the server itself carries out, such as a search of the web, in its own words. Only a
   * provider that accepts them is given any.
   */
  readonly serverTools?: readonly { readonly type: string }[];
  /** Most tokens that the response may have. */
  readonly maxOutputTokens: number;
  /** A level that the model advertises. */
  readonly effort?: string;
  /** What is asked of the answer beside its length; an adapter sends what its protocol has. */
  readonly answer?: AnswerStyle;
  /** Aborts when the answer is no longer wanted. */
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

/** What the tokens of a model cost, in US dollars. */
export interface ModelPrice {
  /** A million tokens of requests. */
  readonly inputPerMillion: number;
  /** A million tokens of responses. */
  readonly outputPerMillion: number;
  /**
   * A million tokens of requests that come from the server's cache.
   *
   * @default inputPerMillion
   */
  readonly cachedInputPerMillion?: number;
}

/** What a provider knows of a model. Absent means unknown. */
export interface ModelInfo {
  /** What a request names it by. */
  readonly id: string;
  /** Name for people. */
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxOutputTokens?: number;
  /** For example `text` and `image`. */
  readonly inputModalities?: readonly string[];
  /** Levels of reasoning effort that it accepts; none where its server says that it has none. */
  readonly effort?: { readonly supportedLevels: readonly string[]; readonly defaultLevel?: string };
  /** What its tokens cost, where the server states it. */
  readonly price?: ModelPrice;
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
  /**
   * Whether it passes on `serverTools` of a request.
   *
   * @default false
   */
  readonly acceptsServerTools?: boolean;
  /**
   * Sends one request and yields the response as it arrives.
   *
   * @param request The whole conversation.
   */
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
  /** What kind of failure it is. */
  readonly code: ProviderErrorCode;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** Whether sending the same request again may work. */
  readonly retryable?: boolean;
  /** How long the server asked to wait. */
  readonly retryAfterMs?: number;
  /** With `context_overflow`: tokens that fit, if the server said so. */
  readonly contextLimit?: number;
  /** The error behind it. */
  readonly cause?: unknown;
}

/** The one error type that a provider's stream may end in. Its message holds no secret. */
export class ProviderError extends Error {
  /** Always `ProviderError`. */
  override readonly name = "ProviderError";
  /** What kind of failure it is. */
  readonly code: ProviderErrorCode;
  /** HTTP status, if there was one. */
  readonly status: number | undefined;
  /** Whether sending the same request again may work. */
  readonly retryable: boolean;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Tokens that the model can hold, where the server said so. */
  readonly contextLimit: number | undefined;

  /**
   * Describes a failure.
   *
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
  /** Key of the field in a profile. */
  readonly name: string;
  /** Name for people. */
  readonly label: string;
  /** Secret fields are kept in the credential store and arrive in `credentials`. */
  readonly secret?: boolean;
  /** Whether a profile must have it. */
  readonly required?: boolean;
  /** The values that it may have. */
  readonly options?: readonly string[];
  /** Its value unless a profile says otherwise. */
  readonly default?: string;
  /** One sentence for people. */
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
  /** The session of the profile. Only where the registration has `auth`. */
  readonly oauth?: ProviderOAuth;
}

/** A kind of provider that a plugin offers. */
export interface ProviderRegistration {
  /** For example `openai-compatible`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** One sentence for people. */
  readonly description?: string;
  /** What a profile of this provider holds. */
  readonly fields: readonly ProviderField[];
  /** Environment variable that holds the key unless the profile names another. */
  readonly defaultApiKeyEnv?: string;
  /** Ways to sign in with an account in place of a key. */
  readonly auth?: readonly ProviderAuthMethod[];
  /**
   * Addresses of the servers that it reaches, such as `https://auth.example.com`, beside those that
   * are values of the profile. They are stored with a profile when it is connected, and a run
   * without `--allow-external` reaches no other.
   *
   * @default []
   */
  readonly hosts?: readonly string[];
  /**
   * Builds a connection. Opens no socket.
   *
   * @throws {TypeError} If the profile is not usable; the message names the field.
   */
  create(request: ProviderCreateRequest): ModelProvider | Promise<ModelProvider>;
}
