import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP } from "node:net";
import type { JudgedUrl } from "./judge_url.ts";

/** What is sent. */
export interface Message {
  /** The method. */
  readonly method: string;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent after them. */
  readonly body?: string;
  /** Ends the request and its response. */
  readonly signal: AbortSignal;
  /** A further authority whose certificates are trusted. */
  readonly ca?: string;
}

const MAX_HEADER_BYTES = 65_536;

/**
 * Sends a request to one address, and to no other: the connection is made to the address itself, so
 * that no second look-up of the name can lead elsewhere. The name still stands in the `Host` header,
 * and a certificate has to be one of the name. The connection serves this request alone.
 *
 * @param target What is asked for.
 * @param address The address that was judged.
 * @param message What is sent.
 * @returns The response, with its body unread.
 * @throws If there is no connection, or the signal aborts.
 */
export function openPinned(
  { url, host, port }: JudgedUrl,
  address: string,
  { method, headers, body, signal, ca }: Message,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const options = {
    host: address,
    port,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, connection: "close" },
    agent: false as const,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...(isSecure && isIP(host) === 0 ? { servername: host.replace(/\.$/, "") } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = isSecure ? requestSecure(options) : requestPlain(options);
    const abort = () => request.destroy(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    request.once("close", () => signal.removeEventListener("abort", abort));
    request.on("error", reject);
    request.once("response", (response) => {
      // What ends the connection later is found by whoever reads the body.
      response.on("error", () => {});
      resolve(response);
    });
    if (signal.aborted) abort();
    else request.end(body);
  });
}
