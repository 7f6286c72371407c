import { errorMessage } from "../../core/errors.ts";
import { VERSION } from "../../core/version.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { previewText } from "../../core/text/bound_text.ts";
import { SearchFailure } from "./search_failure.ts";

/** One request to a search service. */
export interface SearchRequest {
  readonly url: URL;
  /** @default "GET" */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * What the service says of a failure, from its answer.
   *
   * @default Nothing is read of it.
   */
  readonly explain?: (body: string) => string | undefined;
  /**
   * What a person can do about an answer with that status.
   *
   * @default Nothing is said.
   */
  readonly advise?: (status: number) => string | undefined;
}

/** Bounds of one search. */
export interface RequestBounds {
  /** From the first byte that is sent to the last one that is read, redirects included. */
  readonly timeoutMs: number;
  /** Of the answer, unpacked. */
  readonly maxBytes: number;
  /** Ends the wait, which is nobody's failure. */
  readonly signal: AbortSignal;
}

/** How long a service may take. */
export const SEARCH_TIMEOUT_MS = 15_000;

/** Answers of services are some ten or hundred kilobytes long. */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

const MAX_REDIRECTS = 5;
const MAX_EXPLANATION_CHARS = 300;

/**
 * Sends a request and reads the answer as text. A redirect is followed only to the same server, so
 * that neither the query nor a key goes elsewhere, and no service leads into a private network.
 * Messages name the server and nothing else of the address, which may hold a key.
 *
 * @param request What is sent.
 * @param bounds Its bounds.
 * @throws {SearchFailure} If there is no answer of status 200 within the bounds.
 * @throws The reason of `bounds.signal`, if it aborts.
 */
export async function requestText(request: SearchRequest, bounds: RequestBounds): Promise<string> {
  const { timeoutMs, signal } = bounds;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    return await exchange(request, { ...bounds, signal: either });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof SearchFailure) throw error;
    if (limit.signal.aborted) {
      throw new SearchFailure(`${request.url.host} did not answer within ${timeoutMs} ms`);
    }
    throw new SearchFailure(`${request.url.host} ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(request: SearchRequest, bounds: RequestBounds): Promise<string> {
  const { host } = request.url;
  const response = await follow(request, bounds.signal);
  if (response.status !== 200) throw await refusal(response, request, bounds);
  const body = await readBody(response, bounds);
  if (body.isCut) {
    throw new SearchFailure(`${host} answered with more than ${bounds.maxBytes} bytes`);
  }
  return body.text;
}

async function follow(request: SearchRequest, signal: AbortSignal): Promise<Response> {
  const { method = "GET", headers = {}, body, url: first } = request;
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, {
      method,
      headers: { "user-agent": `alisio/${VERSION}`, ...headers },
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (next?.origin !== first.origin) {
      const target = next === null
        ? "somewhere"
        : previewText(next.origin === "null" ? next.protocol : next.origin, 100);
      throw new SearchFailure(
        `${first.host} redirects to ${target}, and a search goes to no other server`,
      );
    }
    // What is sent again must be what was sent: a form that becomes a GET has lost its query.
    if (method === "POST" && response.status !== 307 && response.status !== 308) {
      throw new SearchFailure(`${first.host} redirects a search that was posted to it`);
    }
    url = next;
  }
  throw new SearchFailure(`${first.host} redirects more than ${MAX_REDIRECTS} times`);
}

/** What a server says that refuses, with what it says of the reason and of when to come again. */
async function refusal(
  response: Response,
  { url, explain, advise }: SearchRequest,
  bounds: RequestBounds,
): Promise<SearchFailure> {
  const { status } = response;
  const text = explain === undefined ? "" : (await readBody(response, bounds)).text;
  if (explain === undefined) await response.body?.cancel();
  const said = explain?.(text)?.trim() ?? "";
  const wait = retryAfterSeconds(response.headers.get("retry-after"));
  return new SearchFailure([
    `${url.host} answered with status ${status}`,
    ...(said === "" ? [] : [`: ${visibleName(previewText(said, MAX_EXPLANATION_CHARS))}`]),
    ...(wait === null ? [] : [`, and asks to wait ${wait} s`]),
    ...[advise?.(status) ?? ""].filter((advice) => advice !== "").map((advice) => `; ${advice}`),
  ].join(""));
}

/** Reads no more than may be kept; the rest is not fetched. */
async function readBody(
  response: Response,
  { maxBytes }: RequestBounds,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return { text, isCut: true };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), isCut: false };
}

const MAX_WAIT_SECONDS = 31_536_000;

/** Seconds, or a date. */
function retryAfterSeconds(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d{1,9}$/.test(value.trim())
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return seconds > 0 && seconds <= MAX_WAIT_SECONDS ? seconds : null;
}

/** The runtime puts the whole address into its messages, so only what kind of failure it is counts. */
function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) return "may not be reached by this run";
  const text = error instanceof Error && error.cause !== undefined
    ? errorMessage(error.cause)
    : errorMessage(error);
  const [, kind = text] = text.match(/\): (.*)$/s) ?? [];
  if (/dns error/i.test(kind)) return "cannot be found";
  if (/connection refused/i.test(kind)) return "takes no connections";
  if (/certificate|corrupt message|handshake/i.test(kind)) {
    return "has no certificate that can be trusted, or speaks no TLS";
  }
  return "broke the connection off";
}
