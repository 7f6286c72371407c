import { McpError } from "../../../core/mcp/mcp_connection.ts";
import type { McpConnectOptions } from "../../../core/mcp/mcp_connection.ts";
import { configuredHeaders } from "../request_headers.ts";
import type { Transport } from "../transport.ts";
import { type Authorization, fixedAuthorization, HttpClient } from "./http_client.ts";
import { HttpStatusError } from "./http_errors.ts";
import { SseTransport } from "./sse_transport.ts";
import { type HttpTransportOptions, StreamableHttpTransport } from "./streamable_http_transport.ts";

/** What ways to a server over HTTP are made from. */
export interface HttpTransportsPorts {
  readonly options: Pick<McpConnectOptions, "name" | "settings" | "env">;
  /** Makes a text that the server wrote safe and short. */
  readonly safe: (text: string) => string;
  /** Longest message that is taken, in bytes. */
  readonly maxMessageBytes: number;
}

/**
 * The ways to a server over HTTP, in the order in which they are to be tried.
 *
 * @param ports What they are made from.
 * @throws {McpError} If the settings are not usable.
 */
export function httpTransports(
  { options: { name, settings, env }, safe, maxMessageBytes }: HttpTransportsPorts,
): readonly (() => Transport)[] {
  const url = URL.parse(settings.url ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new McpError("unreachable", '"url" is no address of a server; correct it');
  }
  const headers = configuredHeaders(settings, env);
  const authorization: Authorization = fixedAuthorization(settings.bearerTokenEnv);
  const client = new HttpClient({ headers, authorization, safe });
  const made: HttpTransportOptions = { name, url, client, maxMessageBytes };
  const sse = () => new SseTransport(made);
  return settings.transport === "sse" ? [sse] : [() => new StreamableHttpTransport(made), sse];
}

/**
 * Whether a failed handshake means that a server may speak the form of HTTP before this one.
 *
 * @param error What failed.
 */
export function mayBeOlder(error: unknown): boolean {
  return error instanceof HttpStatusError && [400, 404, 405].includes(error.status);
}
