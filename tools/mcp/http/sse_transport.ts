import { type McpClosed, McpError } from "../../../core/mcp/mcp_connection.ts";
import type { OutgoingMessage, Transport, TransportEvents } from "../transport.ts";
import { explainNetworkFailure } from "./http_errors.ts";
import { readServerEvents, type ServerEvent } from "./server_events.ts";
import type { HttpTransportOptions } from "./streamable_http_transport.ts";

/** How long the server may take to accept a message; its answer comes over the stream. */
const SEND_LIMIT_MS = 30_000;

/**
 * The way to a server over HTTP as it was before Streamable HTTP: one stream brings all that the
 * server sends, and messages to it are requests to an address that the stream begins with.
 */
export class SseTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #closed = Promise.withResolvers<McpClosed>();
  readonly #stop = new AbortController();
  #events: TransportEvents | undefined;
  #endpoint: URL | undefined;
  #version: string | undefined;

  /** @param options The server. */
  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  get closed(): Promise<McpClosed> {
    return this.#closed.promise;
  }

  async start(events: TransportEvents, signal: AbortSignal): Promise<void> {
    this.#events = events;
    const { client, url, maxMessageBytes } = this.#options;
    const giveUp = () => this.#stop.abort(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const response = await client.send(url, {
        method: "GET",
        headers: { accept: "text/event-stream" },
        signal: this.#stop.signal,
      });
      if (!response.ok) throw await client.failure(response);
      if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
        await response.body?.cancel();
        throw new McpError("protocol", "there is no stream of events there");
      }
      const stream = readServerEvents(response.body ?? new ReadableStream(), {
        maxBytes: maxMessageBytes,
      });
      const { value: first } = await stream.next();
      this.#endpoint = this.#endpointOf(first ?? undefined);
      void this.#read(stream);
    } catch (error) {
      this.#stop.abort();
      throw explainNetworkFailure(error, url.host);
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  send(message: OutgoingMessage): void {
    void this.#post(message);
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  close(): Promise<void> {
    this.#end("was closed");
    return Promise.resolve();
  }

  #endpointOf(event: ServerEvent | undefined): URL {
    const endpoint = event?.kind === "endpoint" ? URL.parse(event.data, this.#options.url) : null;
    if (endpoint === null) {
      throw new McpError("protocol", "its stream does not begin with the address for messages");
    }
    if (endpoint.origin !== this.#options.url.origin) {
      throw new McpError(
        "refused",
        `it wants messages at ${endpoint.origin}, which is not the server that was configured`,
      );
    }
    return endpoint;
  }

  async #read(stream: AsyncIterable<ServerEvent>): Promise<void> {
    try {
      for await (const event of stream) {
        if (event.kind === "message" && event.data !== "") this.#receive(event.data);
      }
      this.#end("ended the connection");
    } catch (error) {
      const isTooLarge = error instanceof McpError && error.code === "too_large";
      this.#end(isTooLarge ? `sent too much at once: ${error.message}` : "broke the connection");
    }
  }

  #receive(text: string): void {
    try {
      this.#events?.onMessage(JSON.parse(text));
    } catch {
      this.#events?.onDiagnostic(`skipped what is no message: ${text.slice(0, 200)}`);
    }
  }

  async #post(message: OutgoingMessage): Promise<void> {
    const endpoint = this.#endpoint;
    if (endpoint === undefined || this.#stop.signal.aborted) return;
    const { client } = this.#options;
    try {
      const response = await client.send(endpoint, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(this.#version === undefined ? {} : { "mcp-protocol-version": this.#version }),
        },
        body: JSON.stringify(message),
        signal: AbortSignal.any([AbortSignal.timeout(SEND_LIMIT_MS), this.#stop.signal]),
      });
      if (!response.ok) throw await client.failure(response);
      await response.body?.cancel();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const failure = explainNetworkFailure(error, endpoint.host);
      if (message.method !== undefined && message.id !== undefined) {
        this.#events?.onFailed(message.id, failure);
      } else {
        this.#events?.onDiagnostic(`a message could not be sent to it: ${failure.message}`);
      }
    }
  }

  #end(reason: string): void {
    const text = `MCP server "${this.#options.name}" ${reason}`;
    this.#closed.resolve({ reason: text });
    this.#stop.abort(new McpError("closed", text));
  }
}
