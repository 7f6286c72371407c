import { McpError } from "../../../core/mcp/mcp_connection.ts";
import type { McpConnectOptions } from "../../../core/mcp/mcp_connection.ts";
import { configuredHeaders, hasOwnAuthorization } from "../request_headers.ts";
import type { Transport } from "../transport.ts";
import { type Authorization, fixedAuthorization, HttpClient } from "./http_client.ts";
import { HttpStatusError } from "./http_errors.ts";
import { SseTransport } from "./sse_transport.ts";
import { type HttpTransportOptions, StreamableHttpTransport } from "./streamable_http_transport.ts";

/** What ways to a server over HTTP are made from. */
export interface HttpTransportsPorts {
  readonly options: Pick<
    McpConnectOptions,
    "name" | "settings" | "env" | "signInFolder" | "hideSecrets"
  >;
  /** Is told what went wrong without ending anything. */
  readonly onDiagnostic: (text: string) => void;
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
export async function httpTransports(
  ports: HttpTransportsPorts,
): Promise<readonly (() => Transport)[]> {
  const { options: { name, settings, env }, safe, maxMessageBytes } = ports;
  const url = URL.parse(settings.url ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new McpError("unreachable", '"url" is no address of a server; correct it');
  }
  const headers = configuredHeaders(settings, env);
  const authorization = hasOwnAuthorization(settings)
    ? fixedAuthorization(settings.bearerTokenEnv)
    : await storedAuthorization(url, ports);
  const client = new HttpClient({ headers, authorization, safe });
  const made: HttpTransportOptions = { name, url, client, maxMessageBytes };
  const sse = () => new SseTransport(made);
  return settings.transport === "sse" ? [sse] : [() => new StreamableHttpTransport(made), sse];
}

async function storedAuthorization(
  server: URL,
  { options: { name, signInFolder: folder, hideSecrets }, onDiagnostic }: HttpTransportsPorts,
): Promise<Authorization> {
  const { StoredAuthorization } = await import("../oauth/stored_authorization.ts");
  return new StoredAuthorization({ name, server, folder, hideSecrets, onDiagnostic });
}

/**
 * Whether a failed handshake means that a server may speak the form of HTTP before this one.
 *
 * @param error What failed.
 */
export function mayBeOlder(error: unknown): boolean {
  return error instanceof HttpStatusError && [400, 404, 405].includes(error.status);
}
