import { createServer as createPlain, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";

/** Answers one request of a test's own site. */
export type SiteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A site on this machine. */
export interface Site extends AsyncDisposable {
  /** Its origin by address. */
  readonly origin: string;
  /** Its port. */
  readonly port: number;
  /** `METHOD path` of each request, in order. */
  readonly requests: string[];
  /** Headers of each request, in order. */
  readonly headers: Record<string, string>[];
  /** Settles when no connection is left. */
  idle(): Promise<void>;
}

/**
 * Starts a site on 127.0.0.1 that serves until it is disposed of.
 *
 * @param handler Answers requests.
 * @param tls Key and certificate of a site over https.
 */
export async function startSite(
  handler: SiteHandler,
  tls?: { readonly key: string; readonly cert: string },
): Promise<Site> {
  const requests: string[] = [];
  const headers: Record<string, string>[] = [];
  const listener: SiteHandler = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push({ ...request.headers } as Record<string, string>);
    handler(request, response);
  };
  const server = tls === undefined ? createPlain(listener) : createSecure(tls, listener);
  const open = new Set<object>();
  let waiting: (() => void)[] = [];
  server.on(tls === undefined ? "connection" : "secureConnection", (socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      open.delete(socket);
      if (open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    headers,
    idle: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
