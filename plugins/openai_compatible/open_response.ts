import type { ExchangeContext } from "./failures.ts";
import type { ResponseLimits } from "./limits.ts";

/** One HTTP request to a model server. */
export interface ServerRequest {
  /** How it is sent. */
  readonly method: "GET" | "POST";
  /** Where it is sent first. */
  readonly url: string;
  /** The key among them. */
  readonly headers: Headers;
  /** JSON text. */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request and waits for the headers of a successful response.
 *
 * There is no timeout here: how long a slow model may take is the host's to say, and it says so
 * through the signal.
 *
 * @param request What to send.
 * @param context Names the exchange in messages.
 * @param limits Bounds of the body of an error response.
 * @returns A response with status 200 to 299 whose body was not read.
 * @throws {ProviderError} If there is no response or it is an error.
 * @throws The signal's reason, if it aborts.
 */
export async function openResponse(
  request: ServerRequest,
  context: ExchangeContext,
  limits: ResponseLimits,
): Promise<Response> {
  const response = await followRedirects(request, context);
  const isPage = isWebPage(response);
  const isEmpty = response.status === 204 || response.status === 205;
  if (response.ok && !isPage && !isEmpty) return response;
  const { classifyServerError } = await import("./classify_server_error.ts");
  const { emptyFailure, webPageFailure } = await import("./failures.ts");
  const { status, headers } = response;
  if (response.ok) {
    await release(response);
    throw isEmpty ? emptyFailure(context, status) : webPageFailure(context, status);
  }
  const text = await readErrorBody(response, limits.errorBodyWaitMs);
  request.signal.throwIfAborted();
  const isHtml = isPage || text.trimStart().startsWith("<");
  if (isHtml && !isTellingStatus(status)) throw webPageFailure(context, status);
  // A page has nothing to quote: it speaks to a browser.
  throw classifyServerError({ status, headers, body: isHtml ? "" : parseBody(text) }, context);
}

const MAX_REDIRECTS = 5;

/** Redirects are followed by hand, so that the key never leaves the origin that it was set for. */
async function followRedirects(
  request: ServerRequest,
  context: ExchangeContext,
): Promise<Response> {
  let url = request.url;
  for (let count = 0;; count++) {
    const response = await send({ ...request, url }, context);
    if (response.status < 300 || response.status >= 400) return response;
    await release(response);
    const target = URL.parse(response.headers.get("location") ?? "", url) ?? undefined;
    const keepsMethod = request.method === "GET" || response.status !== 303;
    const isSameOrigin = target?.origin === new URL(url).origin;
    if (target === undefined || !isSameOrigin || !keepsMethod || count === MAX_REDIRECTS) {
      const { redirectFailure, redirectLoopFailure } = await import("./failures.ts");
      if (!isSameOrigin) throw redirectFailure(context, response.status, target);
      throw redirectLoopFailure(context, response.status, keepsMethod ? "in a loop" : "to a page");
    }
    url = target.href;
  }
}

async function send(request: ServerRequest, context: ExchangeContext): Promise<Response> {
  const { url, method, headers, body, signal } = request;
  try {
    return await fetch(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    signal.throwIfAborted();
    const { networkFailure } = await import("./failures.ts");
    throw networkFailure(context, error);
  }
}

function isWebPage(response: Response): boolean {
  return /\bhtml\b/i.test(response.headers.get("content-type") ?? "");
}

/** Proxies answer these with a page of their own, and the status says all. */
function isTellingStatus(status: number): boolean {
  return status >= 500 || status === 401 || status === 408 || status === 413 || status === 429;
}

const MAX_ERROR_BYTES = 64 * 1024;

/** Reads the start of an error's body. A server that never ends it must not hide the status. */
async function readErrorBody(response: Response, waitMs: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  const timer = setTimeout(() => reader.cancel().catch(() => {}), waitMs);
  try {
    while (bytes < MAX_ERROR_BYTES) {
      const { value, done } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The connection broke; what came so far is what there is to say.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
  return text;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function release(response: Response): Promise<void> {
  try {
    await response.body?.cancel();
  } catch {
    // A connection that broke is released already.
  }
}
