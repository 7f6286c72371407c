import type { Transport as SdkTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Notification, Request, Result } from "@modelcontextprotocol/sdk/types.js";
import { McpError, type McpProgress } from "../../core/mcp/mcp_connection.ts";
import { AnsweredError } from "./answered_error.ts";
import { type MessageId, readMessage, type ServerMessage } from "./read_message.ts";
import type { OutgoingMessage, Transport } from "./transport.ts";

/** How long a request may take. */
export interface RequestLimits {
  /** Without any word of the server. */
  readonly idleMs: number;
  /** In all, however much progress it reports. */
  readonly totalMs: number;
}

/** One request. */
export interface PeerRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Cancels it. */
  readonly signal: AbortSignal;
  readonly limits: RequestLimits;
  readonly onProgress?: (progress: McpProgress) => void;
}

/** Answers a request of the server. What it throws is answered as an error. */
export type PeerRequestHandler = (
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

/** What a peer works with. */
export interface PeerPorts {
  readonly transport: Transport;
  /** Requests of the server that are answered, by method. */
  readonly handlers: Readonly<Record<string, PeerRequestHandler>>;
  /** Is given every notification but those of progress and of cancellation. Must not throw. */
  readonly onNotification: (
    method: string,
    params: Readonly<Record<string, unknown>>,
  ) => void;
  /** Is told what went wrong without ending anything. */
  readonly onDiagnostic: (text: string) => void;
}

/** This side of the protocol. */
export interface Peer {
  /**
   * Sends a request and waits for its answer.
   *
   * @throws {AnsweredError} If the server answers with an error.
   * @throws {McpError} If there is no answer.
   */
  request(request: PeerRequest): Promise<Readonly<Record<string, unknown>>>;
  /** Sends a notification. */
  notify(method: string, params?: Readonly<Record<string, unknown>>): void;
  /** Takes a message of the server. Never throws. */
  receive(value: unknown): void;
  /** Ends a request that will not be answered. */
  fail(id: MessageId, error: McpError): void;
  /** Ends all requests: nothing comes any more. */
  end(reason: string): void;
}

/** How many requests of a server are answered at once; more are refused. */
const MAX_OPEN_ANSWERS = 32;
/** The library's own limit is never the first: it tells no reason. */
const NO_LIMIT_MS = 2_147_483_647;
const OWN_FAILURE_CODE = -32_099;
const METHOD_NOT_FOUND_CODE = -32_601;

/**
 * Makes a peer. Every message is looked at before the library of the protocol sees it, so that none
 * can make it throw, wait for ever or keep what nobody asked for.
 *
 * @param ports What it works with.
 */
export async function createPeer(ports: PeerPorts): Promise<Peer> {
  const [{ Protocol }, sdk] = await Promise.all([
    import("@modelcontextprotocol/sdk/shared/protocol.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const { transport, handlers, onNotification, onDiagnostic } = ports;
  /** Requests without an answer so far. */
  const pending = new Set<MessageId>();
  const stops = new Set<RequestStop>();
  /** Who is told of progress, by the id of the request. */
  const reporters = new Map<MessageId, (progress: McpProgress) => void>();
  let lastId: MessageId = -1;
  let openAnswers = 0;
  let ended: string | undefined;

  class ClientProtocol extends Protocol<Request, Notification, Result> {
    protected override assertCapabilityForMethod(): void {}
    protected override assertNotificationCapability(): void {}
    protected override assertRequestHandlerCapability(): void {}
  }
  const link: SdkTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      if ("method" in message && "id" in message) {
        lastId = message.id;
        pending.add(lastId);
      }
      transport.send(message as OutgoingMessage);
      return Promise.resolve();
    },
  };
  const protocol = new ClientProtocol();
  protocol.onerror = ({ message }) => onDiagnostic(message);
  protocol.fallbackRequestHandler = async ({ method, params = {} }, { signal }) => {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    if (handler === undefined) {
      throw new sdk.McpError(METHOD_NOT_FOUND_CODE, "Alisio does not offer this method");
    }
    openAnswers++;
    // A server that waits for the person is not silent.
    for (const stop of stops) stop.pause();
    try {
      return { ...await handler(params, signal) };
    } finally {
      openAnswers--;
      if (openAnswers === 0) { for (const stop of stops) stop.touch(); }
    }
  };
  // Answered like any other, and counted.
  protocol.removeRequestHandler("ping");
  await protocol.connect(link);

  function receive(value: unknown): void {
    // A list of messages is one of an older version of the protocol.
    for (const each of Array.isArray(value) ? value : [value]) receiveOne(readMessage(each));
  }

  function receiveOne(message: ServerMessage | null): void {
    switch (message?.kind) {
      case undefined:
        return onDiagnostic("skipped JSON that is no message of the protocol");
      case "result":
      case "error":
        return receiveAnswer(message);
      case "request":
        return receiveRequest(message);
      case "notification":
        return receiveNotification(message);
    }
  }

  function receiveAnswer(message: ServerMessage & { readonly kind: "result" | "error" }): void {
    const id = typeof message.id === "string" ? Number(message.id) : message.id;
    if (!pending.delete(id)) {
      return onDiagnostic("skipped an answer to a request that is not open");
    }
    link.onmessage?.(
      message.kind === "result"
        ? { jsonrpc: "2.0", id, result: { ...message.result } }
        : { jsonrpc: "2.0", id, error: { ...message.error } },
    );
  }

  function receiveRequest({ id, method, params }: ServerMessage & { readonly kind: "request" }) {
    if (openAnswers >= MAX_OPEN_ANSWERS) {
      // Answers to a flood would only be more to send to a server that may not read.
      return onDiagnostic(
        `left requests of the server unanswered, for there were too many at once`,
      );
    }
    link.onmessage?.({ jsonrpc: "2.0", id, method, params: { ...params } });
  }

  function receiveNotification(
    { method, params }: ServerMessage & { readonly kind: "notification" },
  ): void {
    switch (method) {
      case "notifications/progress":
        return receiveProgress(params);
      case "notifications/cancelled":
        return link.onmessage?.({ jsonrpc: "2.0", method, params: { ...params } });
      default:
        return onNotification(method, params);
    }
  }

  /** Told at once: the library would tell of the last step after the answer, and so of none. */
  function receiveProgress(
    { progressToken, progress, total, message }: Readonly<Record<string, unknown>>,
  ): void {
    if (typeof progress !== "number") return;
    reporters.get(Number(progressToken))?.({
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
  }

  function fail(id: MessageId, error: McpError): void {
    if (!pending.delete(id)) return;
    const { message } = error;
    link.onmessage?.({
      jsonrpc: "2.0",
      id,
      error: { code: OWN_FAILURE_CODE, message, data: error },
    });
  }

  async function request(
    { method, params, signal, limits, onProgress }: PeerRequest,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (ended !== undefined) throw new McpError("closed", ended);
    if (signal.aborted) throw new McpError("cancelled", "it was cancelled");
    const stop = new RequestStop(signal, limits);
    stops.add(stop);
    // With one of its own, each request has a token that progress is reported under.
    const answered = protocol.request({ method, params: { ...params } }, sdk.ResultSchema, {
      signal: stop.signal,
      timeout: NO_LIMIT_MS,
      onprogress: () => {},
    });
    const id = lastId;
    reporters.set(id, (progress) => {
      if (openAnswers === 0) stop.touch();
      onProgress?.(progress);
    });
    try {
      return await answered;
    } catch (error) {
      if (stop.reason !== undefined) throw stop.reason;
      if (ended !== undefined) throw new McpError("closed", ended);
      if (error instanceof sdk.McpError) {
        if (error.data instanceof McpError) throw error.data;
        const said = error.message.replace(/^MCP error -?\d+: /, "");
        throw new AnsweredError(error.code, said, error.data);
      }
      throw new McpError("protocol", "the answer is not as the protocol wants it", {
        cause: error,
      });
    } finally {
      reporters.delete(id);
      pending.delete(id);
      stops.delete(stop);
      stop.clear();
    }
  }

  return {
    request,
    notify(method, params) {
      transport.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
    },
    receive,
    fail,
    end(reason) {
      if (ended !== undefined) return;
      ended = reason;
      pending.clear();
      link.onclose?.();
    },
  };
}

/** Ends one request at its limits, or when it is cancelled. */
class RequestStop {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal;
  readonly #limits: RequestLimits;
  readonly #total: ReturnType<typeof setTimeout>;
  #idle: ReturnType<typeof setTimeout>;
  #reason: McpError | undefined;

  constructor(outer: AbortSignal, limits: RequestLimits) {
    this.#outer = outer;
    this.#limits = limits;
    this.#total = setTimeout(
      () => this.#end("timeout", `it took longer than ${seconds(limits.totalMs)} in all`),
      limits.totalMs,
    );
    this.#idle = this.#startIdle();
    outer.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get reason(): McpError | undefined {
    return this.#reason;
  }

  pause(): void {
    clearTimeout(this.#idle);
  }

  touch(): void {
    this.pause();
    if (this.#reason === undefined) this.#idle = this.#startIdle();
  }

  clear(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
    this.#outer.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => this.#end("cancelled", "it was cancelled");

  #startIdle(): ReturnType<typeof setTimeout> {
    const { idleMs } = this.#limits;
    return setTimeout(
      () => this.#end("timeout", `the server did not answer within ${seconds(idleMs)}`),
      idleMs,
    );
  }

  #end(code: "timeout" | "cancelled", message: string): void {
    this.#reason ??= new McpError(code, message);
    this.#stop.abort(code);
  }
}

function seconds(ms: number): string {
  return `${ms / 1_000} seconds`;
}
