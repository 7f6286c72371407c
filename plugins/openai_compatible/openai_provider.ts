import type {
  ModelEvent,
  ModelInfo,
  ModelProvider,
  ModelRequest,
  ProviderCreateRequest,
} from "@alisio/sdk";
import { ChatRequestEncoder } from "./chat_request.ts";
import type { ExchangeContext } from "./failures.ts";
import { RESPONSE_LIMITS, type ResponseLimits } from "./limits.ts";
import { openResponse } from "./open_response.ts";
import { formatEndpoint, type OpenAiProfile, parseProfile } from "./profile.ts";
import { createQuote, type Quote } from "./redact.ts";

/** Options of {@linkcode createOpenAiProvider}. */
export interface OpenAiProviderOptions {
  /** Narrower bounds than {@linkcode RESPONSE_LIMITS}. */
  readonly limits?: Partial<ResponseLimits>;
}

/**
 * Builds a connection to a server that speaks Chat Completions or Responses.
 *
 * @param request The profile and its secrets.
 * @param options Narrower bounds.
 * @throws {TypeError} If the profile is not usable; the message names the field.
 */
export async function createOpenAiProvider(
  request: ProviderCreateRequest,
  options: OpenAiProviderOptions = {},
): Promise<ModelProvider> {
  const profile = parseProfile(request.profile);
  const id = `openai-compatible:${profile.apiMode}:${profile.baseUrl}`;
  const key = parseKey(profile, request.credentials.apiKey);
  return new OpenAiProvider({
    id,
    profile,
    headers: createHeaders(key, request.userAgent),
    quote: createQuote(request.credentials.apiKey?.trim()),
    hasKey: key !== undefined,
    limits: { ...RESPONSE_LIMITS, ...options.limits },
    encode: await createEncode(profile, id),
  });
}

interface OpenAiProviderParts {
  readonly id: string;
  readonly profile: OpenAiProfile;
  readonly headers: Headers;
  readonly quote: Quote;
  readonly hasKey: boolean;
  readonly limits: ResponseLimits;
  readonly encode: (request: ModelRequest) => Uint8Array<ArrayBuffer>;
}

class OpenAiProvider implements ModelProvider {
  readonly id: string;
  readonly acceptsServerTools: boolean;
  readonly #parts: OpenAiProviderParts;

  constructor(parts: OpenAiProviderParts) {
    this.id = parts.id;
    this.acceptsServerTools = parts.profile.apiMode === "responses";
    this.#parts = parts;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { profile, limits } = this.#parts;
    const { signal } = request;
    const url = formatEndpoint(
      profile,
      profile.apiMode === "chat" ? "/chat/completions" : "/responses",
    );
    const context = this.#describe(url, request.model);
    const headers = new Headers(this.#parts.headers);
    headers.set("content-type", "application/json");
    headers.set("accept", "text/event-stream, application/json");
    const body = this.#parts.encode(request);
    // What reads the response is loaded while the request is under way.
    const [response, { readTurn }] = await Promise.all([
      openResponse({ method: "POST", url, headers, body, signal }, context, limits),
      import("./read_turn.ts"),
    ]);
    yield* readTurn(response, { request, profile, providerId: this.id, context, limits });
  }

  async listModels(options: { readonly signal: AbortSignal }): Promise<readonly ModelInfo[]> {
    const { profile, limits } = this.#parts;
    const { signal } = options;
    const url = formatEndpoint(profile, "/models");
    const context = this.#describe(url, "");
    const headers = new Headers(this.#parts.headers);
    headers.set("accept", "application/json");
    const [response, { readCatalog }] = await Promise.all([
      openResponse({ method: "GET", url, headers, signal }, context, limits),
      import("./read_catalog.ts"),
    ]);
    return await readCatalog(response, { context, maxBytes: limits.maxCatalogBytes, signal });
  }

  #describe(url: string, model: string): ExchangeContext {
    const { profile, hasKey, quote } = this.#parts;
    const { origin, pathname } = new URL(url);
    return {
      address: quote(origin + pathname),
      baseUrl: quote(profile.baseUrl),
      apiMode: profile.apiMode,
      model,
      hasKey,
      quote,
    };
  }
}

/** A profile speaks one protocol, so the other one is never loaded. */
async function createEncode(
  profile: OpenAiProfile,
  providerId: string,
): Promise<(request: ModelRequest) => Uint8Array<ArrayBuffer>> {
  if (profile.apiMode === "responses") {
    const { ResponsesRequestEncoder } = await import("./responses_request.ts");
    const encoder = new ResponsesRequestEncoder(profile, providerId);
    return (request) => encoder.encode(request);
  }
  const encoder = new ChatRequestEncoder(profile);
  return (request) => encoder.encode(request);
}

/** Local servers need no key, so a missing one is left to the server to refuse. */
function parseKey(profile: OpenAiProfile, value: string | undefined): string | undefined {
  const key = value?.trim() ?? "";
  if (profile.auth === "none" || key === "") return undefined;
  // The characters that a header value can carry.
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new TypeError(
    'Cannot use provider field "apiKey": it holds characters that no key has, such as spaces or ' +
      "line breaks: set it again",
  );
}

function createHeaders(key: string | undefined, userAgent: string): Headers {
  const headers = new Headers({ "user-agent": userAgent });
  if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
  return headers;
}
