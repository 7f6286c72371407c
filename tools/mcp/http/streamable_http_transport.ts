import { isObject } from "../../../core/config/is_object.ts";
import { type McpClosed, McpError } from "../../../core/mcp/mcp_connection.ts";
import type { MessageId } from "../read_message.ts";
import type { OutgoingMessage, Transport, TransportEvents } from "../transport.ts";
import { readBoundedBody } from "./bounded_body.ts";
import type { HttpClient } from "./http_client.ts";
import { explainNetworkFailure, SessionLostError } from "./http_errors.ts";
import { readServerEvents } from "./server_events.ts";

/** How long a message without an answer may take. */
const NOTIFY_LIMIT_MS = 10_000;
/** How long the server is told that the session ends. */
const GOODBYE_LIMIT_MS = 500;
/** Waits before the stream of the server's own messages is opened again. */
const REOPEN_WAITS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000];
/** How often the answer to one request is taken up again without a new event. */
const MAX_RESUMES = 2;
const MAX_RETRY_WAIT_MS = 30_000;
const SESSION_REGEXP = /^[\x21-\x7e]{1,1024}$/;

/** What the transport works with. */
export interface HttpTransportOptions {
  /** Name of the server. */
  readonly name: string;
  readonly url: URL;
  readonly client: HttpClient;
  /** Longest message that is taken, in bytes. */
  readonly maxMessageBytes: number;
}

/** A request on its way. */
interface Exchange {
  readonly id: MessageId;
  readonly signal: AbortSignal;
  /** What the stream of its answer can be taken up from. */
  lastEventId?: string;
  /** How long the server wants to be left alone before that. */
  retryMs?: number;
  isAnswered: boolean;
}

/** The way to a server over HTTP: each message is a request, and answers may be streams. */
export class StreamableHttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #closed = Promise.withResolvers<McpClosed>();
  readonly #stop = new AbortController();
  readonly #open = new Map<MessageId, AbortController>();
  #events: TransportEvents | undefined;
  #session: string | undefined;
  #version: string | undefined;
  /** Whether the server may have been started anew since the session began. */
  #mayHaveRestarted = false;
  /** Settles when the server knows that the handshake is over. */
  #ready: Promise<void> = Promise.resolve();
  #listening: AbortController | undefined;

  /** @param options The server. */
  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  get closed(): Promise<McpClosed> {
    return this.#closed.promise;
  }

  start(events: TransportEvents): Promise<void> {
    this.#events = events;
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  send(message: OutgoingMessage): void {
    const { id, method } = message;
    if (this.#stop.signal.aborted) return;
    if (method !== undefined && id !== undefined) return void this.#exchange(id, message);
    const sent = this.#notify(message);
    if (method === "notifications/initialized") {
      this.#ready = sent.then(() => this.#listen());
    } else if (method === "notifications/cancelled") {
      const cancelled = this.#open.get(message.params?.["requestId"] as MessageId);
      void sent.then(() => cancelled?.abort(new McpError("cancelled", "it was cancelled")));
    }
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const reason = `MCP server "${this.#options.name}" was closed`;
    this.#stop.abort(new McpError("closed", reason));
    this.#closed.resolve({ reason });
    await this.#sayGoodbye();
  }

  async #exchange(id: MessageId, message: OutgoingMessage): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#stop.signal]);
    const exchange: Exchange = { id, signal, isAnswered: false };
    this.#open.set(id, stop);
    try {
      await this.#ready;
      if (message.method === "initialize") this.#forgetSession();
      await this.#post(message, exchange);
      if (!exchange.isAnswered) throw new McpError("protocol", "the server sent no answer");
    } catch (error) {
      if (!exchange.isAnswered) this.#events?.onFailed(id, this.#noteFailure(error));
    } finally {
      this.#open.delete(id);
      stop.abort();
    }
  }

  async #post(message: OutgoingMessage, exchange: Exchange): Promise<void> {
    const session = this.#session;
    const { client, url, maxMessageBytes } = this.#options;
    const response = await client.send(url, {
      method: "POST",
      headers: this.#headers({
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      }),
      body: JSON.stringify(message),
      signal: exchange.signal,
    });
    await this.#assertAccepted(response, session);
    if (message.method === "initialize") this.#takeSession(response);
    const type = mediaType(response);
    if (type === "text/event-stream") return await this.#readAnswer(response, exchange);
    if (type !== "application/json") {
      await response.body?.cancel();
      throw new McpError(
        "protocol",
        response.status === 202
          ? "the server took the request without an answer"
          : `the server answered with content of another type (status ${response.status})`,
      );
    }
    const bytes = await readBoundedBody(response, maxMessageBytes);
    this.#receive(new TextDecoder().decode(bytes), exchange);
  }

  async #assertAccepted(response: Response, session: string | undefined): Promise<void> {
    if (response.ok) return;
    const isLost = response.status === 404 || (response.status === 400 && this.#mayHaveRestarted);
    if (session !== undefined && isLost) {
      await response.body?.cancel();
      throw new SessionLostError();
    }
    throw await this.#options.client.failure(response);
  }

  /** Reads a stream until the answer is there, and takes it up again where the server allows it. */
  async #readAnswer(first: Response, exchange: Exchange): Promise<void> {
    let response = first;
    for (let resumes = 0;; resumes++) {
      const before = exchange.lastEventId;
      const broke = await this.#readStream(response, exchange);
      if (exchange.isAnswered) return;
      exchange.signal.throwIfAborted();
      if (exchange.lastEventId !== before) resumes = 0;
      if (exchange.lastEventId === undefined || resumes >= MAX_RESUMES) {
        this.#mayHaveRestarted = true;
        throw broke ?? new McpError("closed", "the connection ended before the answer came");
      }
      const waitMs = broke === null ? exchange.retryMs ?? 0 : 0;
      await pause(Math.min(waitMs, MAX_RETRY_WAIT_MS), exchange.signal);
      response = await this.#openStream(exchange.signal, exchange.lastEventId);
    }
  }

  /** Answers what the stream broke with, null if it came to its end. */
  async #readStream(response: Response, exchange: Exchange): Promise<McpError | null> {
    const maxBytes = this.#options.maxMessageBytes;
    const onRetry = (waitMs: number) => void (exchange.retryMs = waitMs);
    try {
      for await (const event of readServerEvents(bodyOf(response), { maxBytes, onRetry })) {
        if (event.id !== undefined) exchange.lastEventId = event.id;
        if (event.kind === "message" && event.data !== "") this.#receive(event.data, exchange);
        if (exchange.isAnswered) break;
      }
      return null;
    } catch (error) {
      if (error instanceof McpError && error.code === "too_large") throw error;
      exchange.signal.throwIfAborted();
      return new McpError("closed", "the connection broke before the answer came", {
        cause: error,
      });
    }
  }

  async #openStream(signal: AbortSignal, lastEventId?: string): Promise<Response> {
    const session = this.#session;
    const { client, url } = this.#options;
    const response = await client.send(url, {
      method: "GET",
      headers: this.#headers({
        accept: "text/event-stream",
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      }),
      signal,
    });
    await this.#assertAccepted(response, session);
    if (mediaType(response) === "text/event-stream") return response;
    await response.body?.cancel();
    throw new McpError("protocol", "the server offers no stream there");
  }

  #receive(text: string, exchange?: Exchange): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#events?.onDiagnostic(`skipped what is no message: ${text.slice(0, 200)}`);
      return;
    }
    if (exchange !== undefined) {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      exchange.isAnswered ||= values.some((each) => isAnswerTo(exchange.id, each));
    }
    this.#events?.onMessage(value);
  }

  async #notify(message: OutgoingMessage): Promise<void> {
    const { client, url } = this.#options;
    try {
      const response = await client.send(url, {
        method: "POST",
        headers: this.#headers({
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
        }),
        body: JSON.stringify(message),
        signal: AbortSignal.any([AbortSignal.timeout(NOTIFY_LIMIT_MS), this.#stop.signal]),
      });
      await this.#assertAccepted(response, this.#session);
      await response.body?.cancel();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const { message: reason } = this.#noteFailure(error);
      this.#events?.onDiagnostic(`a message could not be sent to it: ${reason}`);
    }
  }

  /** Listens to what the server has to say of its own accord, where it offers that. */
  #listen(): void {
    this.#listening?.abort();
    const listening = new AbortController();
    this.#listening = listening;
    void this.#keepListening(AbortSignal.any([listening.signal, this.#stop.signal]));
  }

  async #keepListening(signal: AbortSignal): Promise<void> {
    let lastEventId: string | undefined;
    let wasThere = false;
    for (let failures = 0; failures < REOPEN_WAITS_MS.length;) {
      try {
        const response = await this.#openStream(signal, lastEventId);
        wasThere = true;
        const maxBytes = this.#options.maxMessageBytes;
        for await (const event of readServerEvents(bodyOf(response), { maxBytes })) {
          failures = 0;
          if (event.id !== undefined) lastEventId = event.id;
          if (event.kind === "message" && event.data !== "") this.#receive(event.data);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#noteFailure(error);
        // A server need not offer it at all.
        if (!wasThere || error instanceof SessionLostError) return;
      }
      this.#mayHaveRestarted = true;
      try {
        await pause(REOPEN_WAITS_MS[failures++] ?? 0, signal);
      } catch {
        return;
      }
    }
    this.#events?.onDiagnostic("what it says of its own accord is not listened to any more");
  }

  #takeSession({ headers }: Response): void {
    const session = headers.get("mcp-session-id");
    this.#mayHaveRestarted = false;
    this.#session = session !== null && SESSION_REGEXP.test(session) ? session : undefined;
  }

  #forgetSession(): void {
    this.#session = undefined;
    this.#version = undefined;
    this.#listening?.abort();
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...headers,
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(this.#version === undefined ? {} : { "mcp-protocol-version": this.#version }),
    };
  }

  #noteFailure(error: unknown): McpError {
    const failure = explainNetworkFailure(error, this.#options.url.host);
    if (failure.code === "unreachable") this.#mayHaveRestarted = true;
    return failure;
  }

  async #sayGoodbye(): Promise<void> {
    if (this.#session === undefined) return;
    const { client, url } = this.#options;
    const signal = AbortSignal.timeout(GOODBYE_LIMIT_MS);
    try {
      const response = await client.send(url, {
        method: "DELETE",
        headers: this.#headers({}),
        signal,
      });
      await response.body?.cancel();
    } catch {
      // The server forgets the session by itself.
    }
  }
}

function isAnswerTo(id: MessageId, value: unknown): boolean {
  return isObject(value) && value["method"] === undefined && String(value["id"]) === String(id);
}

function mediaType({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const over = Promise.withResolvers<void>();
  const stop = () => over.reject(signal.reason);
  const timer = setTimeout(over.resolve, waitMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await over.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
