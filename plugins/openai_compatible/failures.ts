import { ProviderError } from "@alisio/sdk";
import type { Quote } from "./redact.ts";

/** What a message about a failed exchange needs to know. */
export interface ExchangeContext {
  /** Origin and path of the request. */
  readonly address: string;
  /** The configured base URL without its query. */
  readonly baseUrl: string;
  /** The protocol of the profile. */
  readonly apiMode: "chat" | "responses";
  /** Empty where no model is asked for. */
  readonly model: string;
  /** Whether a key is sent. */
  readonly hasKey: boolean;
  /** Makes words of the server fit for a message. */
  readonly quote: Quote;
}

/**
 * The error for a request that got no response.
 *
 * @param context The exchange.
 * @param error What `fetch` threw.
 */
export function networkFailure(context: ExchangeContext, error: unknown): ProviderError {
  const place = `Cannot reach the model server at "${formatHost(context.address)}"`;
  if (error instanceof Deno.errors.NotCapable) {
    return new ProviderError(
      `${place}: this run may not connect to it: allow network access to that host`,
      { code: "permission" },
    );
  }
  const { reason, advice, retryable } = describe(error);
  return new ProviderError(
    `${place}: ${reason}: ${advice} (base URL "${context.baseUrl}")`,
    { code: "network", retryable },
  );
}

/**
 * The error for an address that answers with a web page.
 *
 * @param context The exchange.
 * @param status The HTTP status.
 */
export function webPageFailure(context: ExchangeContext, status: number): ProviderError {
  return invalidResponse(
    context,
    `it answered with a web page (HTTP ${status}): ${adviseBaseUrl(context)}`,
    status,
  );
}

/**
 * What to do about an address that does not answer as a model server does.
 *
 * @param context The exchange.
 */
export function adviseBaseUrl({ baseUrl }: ExchangeContext): string {
  if (hasVersion(baseUrl)) return `check the base URL "${baseUrl}"`;
  return `check the base URL "${baseUrl}", which often ends in /v1: ` +
    `try "${baseUrl.replace(/\/+$/, "")}/v1"`;
}

/**
 * Whether the path of a base URL names a version, as `/v1` does.
 *
 * @param baseUrl The base URL.
 */
export function hasVersion(baseUrl: string): boolean {
  return /\/v\d[^/]*(?:\/|$)/.test(baseUrl);
}

/**
 * The error for redirects within one origin that cannot be followed: they do not end, or ask for
 * another kind of request.
 *
 * @param context The exchange.
 * @param status The HTTP status of the last one.
 * @param reason Why it is not followed.
 */
export function redirectLoopFailure(
  context: ExchangeContext,
  status: number,
  reason: "in a loop" | "to a page",
): ProviderError {
  const words = `it redirects ${reason} (HTTP ${status}): ${adviseBaseUrl(context)}`;
  return invalidResponse(context, words, status);
}

/**
 * The error for a successful response that has no body.
 *
 * @param context The exchange.
 * @param status The HTTP status.
 */
export function emptyFailure(context: ExchangeContext, status: number): ProviderError {
  return invalidResponse(
    context,
    `it has no content (HTTP ${status}): ${adviseBaseUrl(context)}`,
    status,
  );
}

/**
 * The error for a redirect that is not followed. The key was given for one origin and is sent to
 * no other.
 *
 * @param context The exchange.
 * @param status The HTTP status.
 * @param target Where the server points to, if that is readable.
 */
export function redirectFailure(
  context: ExchangeContext,
  status: number,
  target: URL | undefined,
): ProviderError {
  const place = target === undefined ? "nowhere" : `"${context.quote(target.origin)}"`;
  return invalidResponse(
    context,
    `it redirects to ${place} (HTTP ${status}), and neither the key nor the conversation is sent ` +
      "to another address: if you trust that address, set it as the base URL",
    status,
  );
}

/**
 * The error for a response that is not of the protocol.
 *
 * @param context The exchange.
 * @param reason What is wrong, and what to do.
 * @param status The HTTP status.
 */
export function invalidResponse(
  context: ExchangeContext,
  reason: string,
  status?: number,
): ProviderError {
  return new ProviderError(`Cannot use the answer of "${context.address}": ${reason}`, {
    code: "invalid_response",
    ...(status === undefined ? {} : { status }),
  });
}

/**
 * The error for a response that is larger than a bound.
 *
 * @param context The exchange.
 * @param what What is too large, and the bound.
 */
export function tooLargeFailure(context: ExchangeContext, what: string): ProviderError {
  return invalidResponse(context, `${what}: the server or the model is out of control`);
}

/**
 * The error for an answer that stopped before its end.
 *
 * @param context The exchange.
 * @param reason How it stopped.
 */
export function interruptedFailure(context: ExchangeContext, reason: string): ProviderError {
  return new ProviderError(
    `The answer of "${context.address}" stopped before its end: ${reason}`,
    { code: "stream_interrupted", retryable: true },
  );
}

/**
 * The error that anything unforeseen while reading a response turns into.
 *
 * @param context The exchange.
 * @param error What was thrown.
 */
export function unexpectedFailure(context: ExchangeContext, error: unknown): ProviderError {
  const reason = context.quote(error instanceof Error ? error.message : String(error));
  return invalidResponse(context, reason);
}

interface NetworkReason {
  readonly reason: string;
  readonly advice: string;
  readonly retryable: boolean;
}

/** The runtime reports these failures by text alone. The text decides the wording, no more. */
function describe(error: unknown): NetworkReason {
  const text = collectText(error);
  const rule = NETWORK_RULES.find(({ pattern }) => pattern.test(text));
  return rule ?? {
    reason: "the connection failed",
    advice: "check the network and the base URL",
    retryable: true,
  };
}

const NETWORK_RULES: readonly (NetworkReason & { readonly pattern: RegExp })[] = [
  {
    pattern: /connection refused|os error (?:111|61|10061)\b/i,
    reason: "the connection is refused",
    advice: "start the server, or check host and port",
    retryable: true,
  },
  {
    pattern: /dns error|lookup address|name resolution/i,
    reason: "the host name cannot be found",
    advice: "check the host name and the network",
    retryable: true,
  },
  {
    pattern: /ports? \d+ (?:is|are) blocked|are blocked/i,
    reason: "the port is one that web clients may not use",
    advice: "choose another port",
    retryable: false,
  },
  {
    pattern: /certificate|InvalidContentType|corrupt message|tls|handshake/i,
    reason: "no secure connection can be made",
    advice: "check the certificate, or use http:// for a server without one",
    retryable: false,
  },
  {
    pattern: /connection reset|broken pipe|closed before|unexpected eof|connection closed/i,
    reason: "the server closed the connection without an answer",
    advice: "check that the server is well",
    retryable: true,
  },
  {
    pattern: /timed out|unreachable/i,
    reason: "the host does not answer",
    advice: "check the network, host and port",
    retryable: true,
  },
  {
    pattern: /invalid HTTP|parse/i,
    reason: "what answers there does not speak HTTP",
    advice: "check host and port",
    retryable: false,
  },
];

function collectText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${collectText(error.cause)}`;
}

function formatHost(address: string): string {
  const url = new URL(address);
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}
