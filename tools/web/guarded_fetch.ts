import type { IncomingMessage } from "node:http";
import { quoted } from "../_json_result.ts";
import { type AllowedHost, parseAllowedHosts } from "./allowed_hosts.ts";
import { judgeAddress } from "./judge_address.ts";
import { type JudgedUrl, judgeUrl, refusal } from "./judge_url.ts";
import { openPinned } from "./open_pinned.ts";
import { readBody } from "./read_body.ts";
import { type HostResolver, resolveHost } from "./resolve_host.ts";
import { USER_AGENT } from "./user_agent.ts";
import { WebError } from "./web_error.ts";

/** Redirects that are followed at most. */
export const MAX_REDIRECTS = 20;
/** Addresses of one name that a connection is tried to. */
const MAX_ADDRESSES = 4;
/** How long one of several addresses is tried. */
const CONNECT_LIMIT_MS = 10_000;

/** What is asked for. */
export interface GuardedRequest {
  /** The address. */
  readonly url: string;
  /**
   * The method.
   *
   * @default "GET"
   */
  readonly method?: "GET" | "POST";
  /** Headers beside those that every request has. Another origin is not sent them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent with POST. Another origin is not sent it. */
  readonly body?: string;
  /** Most bytes of a body, packed and unpacked. */
  readonly maxBytes: number;
  /** Limit of everything: look-up, connection, headers and body, of all redirects. */
  readonly timeoutMs: number;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Entries of `webfetch.allowedHosts`. */
  readonly allowedHosts: readonly string[];
  /** Looks at what arrived before a body is read; what it throws ends the request. */
  readonly inspect?: (head: ResponseHead) => void;
}

/** What a guarded request works with. */
export interface GuardedPorts {
  /**
   * Finds the addresses of a host.
   *
   * @default The system's own way.
   */
  readonly resolve?: HostResolver;
  /** A further authority whose certificates are trusted. */
  readonly ca?: string;
}

/** A redirect that was followed. */
export interface FollowedRedirect {
  /** The status that asked for it. */
  readonly status: number;
  /** Where it led. */
  readonly url: string;
}

/** A response before its body. */
export interface ResponseHead {
  /** The address that answered. */
  readonly url: string;
  /** The status. */
  readonly status: number;
  /** The headers, each under its name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How it was reached. */
  readonly redirects: readonly FollowedRedirect[];
}

/** A response with its body, decompressed. */
export interface GuardedResponse extends ResponseHead {
  /** The body. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Fetches an address of the public internet. Contract:
 *
 * - Addresses of this machine, of private networks, link-local and reserved ones are refused unless
 *   `allowedHosts` opens them. What is judged is the address that the connection is then made to:
 *   a name is looked up once, each of its addresses is judged, and only these are connected to.
 * - Redirects are followed here, each judged like the first address. From https none leads to http,
 *   and another origin is sent neither the caller's headers nor a body.
 * - Credentials and cookies are neither sent nor kept, and the environment's proxies are not used.
 * - The body is bounded while it arrives and while it is decompressed.
 * - `timeoutMs` is the limit of everything; an abort of `signal` is thrown as its reason. Either way
 *   no connection is left.
 * - Every status is answered, also 404 and 500.
 *
 * @param request What is asked for.
 * @param ports What it works with.
 * @throws {WebError} If nothing usable came; its `code` says why.
 */
export async function guardedFetch(
  request: GuardedRequest,
  ports: GuardedPorts = {},
): Promise<GuardedResponse> {
  const { signal, timeoutMs } = request;
  signal.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timedOut(request)), timeoutMs);
  const abort = () => limit.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await follow({ ...request, signal: limit.signal }, ports);
    // A body without a length ends like a whole one where its connection is given up.
    limit.signal.throwIfAborted();
    return response;
  } catch (error) {
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** Where a chain of redirects has come to. */
interface Step {
  readonly target: JudgedUrl;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function follow(request: GuardedRequest, ports: GuardedPorts): Promise<GuardedResponse> {
  const allowed = parseAllowedHosts(request.allowedHosts);
  const redirects: FollowedRedirect[] = [];
  let step: Step = {
    target: judgeUrl(request.url, allowed),
    method: request.method ?? "GET",
    headers: request.headers ?? {},
    ...(request.body === undefined ? {} : { body: request.body }),
  };
  while (true) {
    const message = await open(step, allowed, request.signal, ports);
    try {
      const next = nextStep(step, message, allowed);
      if (next === null) return await answer(step, message, request, redirects);
      redirects.push({ status: message.statusCode ?? 0, url: next.target.url.href });
      if (redirects.length > MAX_REDIRECTS) throw tooManyRedirects(request.url);
      step = next;
    } finally {
      message.destroy();
    }
  }
}

async function open(
  { target, method, headers, body }: Step,
  allowed: readonly AllowedHost[],
  signal: AbortSignal,
  { resolve = resolveHost, ca }: GuardedPorts,
): Promise<IncomingMessage> {
  const addresses = await judgedAddresses(target, allowed, signal, resolve);
  const failures: unknown[] = [];
  for (const address of addresses) {
    const attempt = new AbortController();
    const abort = () => attempt.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    // The last one has all the time that is left.
    const isLast = address === addresses.at(-1);
    const timer = isLast
      ? undefined
      : setTimeout(() => attempt.abort(new Error("no answer in time")), CONNECT_LIMIT_MS);
    try {
      const message = await openPinned(target, address, {
        method,
        headers: {
          "user-agent": USER_AGENT,
          "accept": "text/html,application/xhtml+xml,text/markdown,text/plain,*/*;q=0.8",
          "accept-language": "en,*;q=0.5",
          "accept-encoding": "gzip, br",
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        ...(ca === undefined ? {} : { ca }),
        signal: attempt.signal,
      });
      message.once("close", () => signal.removeEventListener("abort", abort));
      return message;
    } catch (error) {
      signal.removeEventListener("abort", abort);
      signal.throwIfAborted();
      failures.push(error);
      // A request that changes something is not sent twice.
      if (method !== "GET") break;
    } finally {
      clearTimeout(timer);
    }
  }
  throw unreachable(target.url, failures.at(-1));
}

/** Looks a name up once, and answers only addresses that may be connected to. */
async function judgedAddresses(
  { url, host, port }: JudgedUrl,
  allowed: readonly AllowedHost[],
  signal: AbortSignal,
  resolve: HostResolver,
): Promise<readonly string[]> {
  const addresses = await untilAborted(resolve(host), signal).catch((error) => {
    signal.throwIfAborted();
    throw unreachable(url, error);
  });
  for (const address of addresses) {
    const verdict = judgeAddress(address, { host, port, allowed });
    // A name that leads to both kinds of addresses is a way in, not an accident.
    if (!verdict.open) throw refusal(url, verdict.rule, address);
  }
  if (addresses.length === 0) throw unreachable(url, new Error("the name has no address"));
  return [...new Set(addresses)].slice(0, MAX_ADDRESSES);
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function nextStep(
  step: Step,
  { statusCode = 0, headers }: IncomingMessage,
  allowed: readonly AllowedHost[],
): Step | null {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return null;
  const { url } = step.target;
  const target = judgeRedirect(location, allowed, url);
  if (url.protocol === "https:" && target.url.protocol === "http:") {
    throw new WebError(
      "refused",
      `Cannot follow the redirect from ${quoted(url.origin)}: it leads from https to ` +
        `${quoted(target.url.href)}, which anybody on the way can read and change; fetch that ` +
        "address itself if it is meant",
    );
  }
  const keepsBody = statusCode === 307 || statusCode === 308 ||
    (step.method !== "POST" && statusCode !== 303);
  const isSameOrigin = target.url.origin === url.origin;
  if (keepsBody && step.body !== undefined && !isSameOrigin) {
    throw new WebError(
      "refused",
      `Cannot follow the redirect from ${quoted(url.origin)}: it would send the request to ` +
        `${quoted(target.url.origin)}`,
    );
  }
  return {
    target,
    method: keepsBody ? step.method : "GET",
    headers: isSameOrigin ? step.headers : {},
    ...(keepsBody && step.body !== undefined ? { body: step.body } : {}),
  };
}

/** What is wrong with an address that nobody asked for is said with the page that led to it. */
function judgeRedirect(location: string, allowed: readonly AllowedHost[], from: URL): JudgedUrl {
  try {
    return judgeUrl(location, allowed, from);
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
    throw new WebError(error.code, `${error.message} (${quoted(from.origin)} redirects there)`);
  }
}

async function answer(
  { target }: Step,
  message: IncomingMessage,
  { inspect, maxBytes }: GuardedRequest,
  redirects: readonly FollowedRedirect[],
): Promise<GuardedResponse> {
  const head: ResponseHead = {
    url: target.url.href,
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value ?? "")]),
    ),
    redirects,
  };
  inspect?.(head);
  try {
    const body = await readBody(message, head.headers["content-encoding"] ?? "", maxBytes);
    return { ...head, body };
  } catch (error) {
    if (error instanceof WebError) throw error;
    throw new WebError(
      "bad_response",
      `Cannot read the response of ${quoted(target.url.origin)}: ${
        reasonOf(error)
      }; try again later`,
      { cause: error },
    );
  }
}

function timedOut({ url, timeoutMs }: GuardedRequest): WebError {
  return new WebError(
    "timeout",
    `Cannot fetch ${quoted(url)}: nothing complete came within ${timeoutMs / 1000} s; try again ` +
      "with a longer timeout, or another page",
  );
}

function tooManyRedirects(url: string): WebError {
  return new WebError(
    "too_many_redirects",
    `Cannot fetch ${quoted(url)}: it redirects more than ${MAX_REDIRECTS} times`,
  );
}

function unreachable(url: URL, cause: unknown): WebError {
  return new WebError(
    "unreachable",
    `Cannot reach ${quoted(url.origin)}: ${reasonOf(cause)}; check the address`,
    { cause },
  );
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
