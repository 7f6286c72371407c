import type { Loopback, LoopbackOptions, LoopbackResult } from "@alisio/sdk";
import { visibleName } from "../../process/visible_text.ts";
import { settlesWithin } from "../../process/settles_within.ts";
import { untilAborted } from "../../until_aborted.ts";

const MIN_STATE_CHARS = 16;
const MAX_STATE_CHARS = 1_024;
const MAX_PARAMS = 32;
const MAX_PARAM_CHARS = 8_192;
/** More requests than a browser makes; whoever makes more is no browser. */
const MAX_REQUESTS = 200;
/** How long the last page may take to reach the browser. */
const GOODBYE_MS = 1_000;

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/** A listener, and when it is gone. */
export interface OpenLoopback extends Loopback {
  /** Settles, a moment after the signal aborted, when nothing listens any more. Never rejects. */
  readonly closed: Promise<void>;
}

/**
 * Listens on 127.0.0.1 for the way back from a browser, until a signal aborts. Only a request with
 * the expected `state` counts; every other is answered and forgotten.
 *
 * @param options What it waits for.
 * @param signal Closes it.
 * @throws {TypeError} If the options are not usable.
 * @throws {Deno.errors.AddrInUse | Error} If the port cannot be listened on.
 */
export function openLoopback(options: LoopbackOptions, signal: AbortSignal): OpenLoopback {
  assertUsable(options);
  signal.throwIfAborted();
  const { path, state } = options;
  const found = Promise.withResolvers<LoopbackResult>();
  // Nobody may wait for it yet.
  found.promise.catch(() => {});
  const stop = new AbortController();
  let requests = 0;
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: options.port,
    signal: stop.signal,
    onListen: () => {},
    onError: () => page(500, "Something went wrong."),
  }, (request) => {
    if (++requests > MAX_REQUESTS) return page(429, "Too many requests.");
    const answer = readAnswer(request, path, state);
    if (typeof answer === "number") return page(answer, REFUSALS[answer] ?? "Refused.");
    if (answer instanceof Error) found.reject(answer);
    else found.resolve(answer);
    return page(200, "That is all here. You can close this page and go back to the terminal.");
  });
  const closed = Promise.withResolvers<void>();
  const close = async (): Promise<void> => {
    found.reject(signal.reason);
    // The page that says so may be on its way.
    const isDown = await settlesWithin(server.shutdown().catch(() => {}), GOODBYE_MS);
    if (!isDown) stop.abort();
    await server.finished.catch(() => {});
    closed.resolve();
  };
  signal.addEventListener("abort", () => void close(), { once: true });
  return {
    redirectUri: `http://127.0.0.1:${server.addr.port}${path}`,
    wait: () => untilAborted(found.promise, signal),
    closed: closed.promise,
  };
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: "This is not the answer that was waited for.",
  404: "There is nothing here.",
  405: "Only a browser that comes back is answered here.",
};

/** The answer, the error that the service reports, or the status of a refusal. */
function readAnswer(
  request: Request,
  path: string,
  state: string,
): LoopbackResult | Error | number {
  const url = new URL(request.url);
  if (url.pathname !== path) return 404;
  if (request.method !== "GET") return 405;
  const entries = [...url.searchParams];
  const isSmall = entries.length <= MAX_PARAMS &&
    entries.every(([name, value]) => name.length + value.length <= MAX_PARAM_CHARS);
  const states = url.searchParams.getAll("state");
  if (!isSmall || states.length !== 1 || !isSame(states[0] ?? "", state)) return 400;
  const failure = url.searchParams.get("error");
  if (failure !== null) {
    const said = url.searchParams.get("error_description") ?? "";
    const detail = said === "" ? "" : `: ${said.slice(0, 300)}`;
    return new Error(`The service answered ${visibleName(`${failure.slice(0, 100)}${detail}`)}`);
  }
  const code = url.searchParams.get("code") ?? "";
  return code === "" ? 400 : { code, params: Object.fromEntries(entries) };
}

/** Compares without a hint of how much is right. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index);
  }
  return difference === 0;
}

function page(status: number, text: string): Response {
  const body = `<!doctype html><meta charset="utf-8"><title>Alisio</title><p>${text}</p>\n`;
  return new Response(body, { status, headers: HEADERS });
}

function assertUsable({ port, path, state }: LoopbackOptions): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError("Cannot listen for the browser: the port is no number of 0 to 65535");
  }
  if (typeof path !== "string" || !/^\/[\w./~-]{0,200}$/.test(path)) {
    throw new TypeError("Cannot listen for the browser: the path does not look like /callback");
  }
  if (
    typeof state !== "string" || state.length < MIN_STATE_CHARS || state.length > MAX_STATE_CHARS
  ) {
    throw new TypeError(
      `Cannot listen for the browser: "state" needs ${MIN_STATE_CHARS} to ${MAX_STATE_CHARS} ` +
        "characters that nobody can guess",
    );
  }
}
