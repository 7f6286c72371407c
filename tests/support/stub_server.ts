/**
 * A scripted HTTP server on loopback with exact control of every byte, for tests of whatever talks
 * to a model server.
 *
 * @module
 */
import net from "node:net";
import { Buffer } from "node:buffer";

/** A request that the server received. */
export interface RecordedRequest {
  /** Counts from 0. */
  readonly index: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** The body as JSON, `undefined` where it is none. */
  readonly json: unknown;
  /** `performance.now()` when the request was complete. */
  readonly receivedAt: number;
  /** Resolves when the connection is gone, whoever closed it. */
  readonly closed: Promise<void>;
}

/** One step of a reply: bytes to send, or something to do between them. */
export type StubStep =
  | string
  | Uint8Array
  /** Waits for an event, or until the connection is gone. */
  | { readonly wait: Promise<unknown> }
  | { readonly waitMs: number }
  /** Closes the connection in good order, without the end of the framing. */
  | { readonly do: "cut" }
  /** Resets the connection. */
  | { readonly do: "reset" }
  /** Keeps the connection open without sending, until the client leaves. */
  | { readonly do: "hang" };

/** How the server answers one request. */
export interface StubReply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly StubStep[] | AsyncIterable<StubStep>;
  /**
   * - `chunked`: every piece is one HTTP chunk
   * - `close`: the end of the connection is the end of the body
   * - `raw`: the steps are all there is, status line and headers included
   *
   * @default "chunked"
   */
  readonly framing?: "chunked" | "close" | "raw";
}

/** Decides the reply to a request. */
export type StubHandler = (request: RecordedRequest) => StubReply | Promise<StubReply>;

/** Options of {@linkcode startStubServer}. */
export interface StubServerOptions {
  /**
   * Looks at every request with a body before the script does; a text that it returns is answered
   * with status 400 and kept in `violations`.
   */
  readonly check?: (json: unknown) => string | undefined;
  /** @default 0 */
  readonly port?: number;
}

/** A running server. */
export interface StubServer {
  /** For example `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** The origin with `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** What `check` found, in order. */
  readonly violations: readonly string[];
  /** Connections that are open now. */
  readonly openConnections: number;
  /**
   * Waits for a request.
   *
   * @param index Which one, counting from 0.
   */
  request(index: number): Promise<RecordedRequest>;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a server on a free port of 127.0.0.1.
 *
 * @example
 * ```ts ignore
 * await using server = await startStubServer([chatReply({ text: "Hello" })]);
 * ```
 *
 * @param script A handler for every request, or replies and handlers for one request each. A
 * request after the last one gets status 500.
 * @param options What else the server does.
 */
export async function startStubServer(
  script: StubHandler | readonly (StubReply | StubHandler)[],
  options: StubServerOptions = {},
): Promise<StubServer> {
  const server = new RunningServer(script, options);
  await server.listen(options.port ?? 0);
  return server;
}

class RunningServer implements StubServer {
  readonly requests: RecordedRequest[] = [];
  readonly violations: string[] = [];
  readonly #script: StubHandler | readonly (StubReply | StubHandler)[];
  readonly #options: StubServerOptions;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #conversations = new Set<Promise<void>>();
  readonly #waiting = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  #port = 0;

  constructor(
    script: StubHandler | readonly (StubReply | StubHandler)[],
    options: StubServerOptions,
  ) {
    this.#script = script;
    this.#options = options;
    this.#server = net.createServer((socket) => this.#accept(socket));
  }

  get port(): number {
    return this.#port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  async listen(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(port, "127.0.0.1", () => resolve());
    await promise;
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.#port = address.port;
  }

  request(index: number): Promise<RecordedRequest> {
    const known = this.requests[index];
    if (known !== undefined) return Promise.resolve(known);
    const waiting = this.#waiting.get(index) ?? Promise.withResolvers<RecordedRequest>();
    this.#waiting.set(index, waiting);
    return waiting.promise;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([promise, ...this.#conversations]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    const conversation = this.#converse(socket).finally(() => {
      this.#sockets.delete(socket);
      this.#conversations.delete(conversation);
    });
    this.#conversations.add(conversation);
  }

  async #converse(socket: net.Socket): Promise<void> {
    const input = new SocketInput(socket);
    try {
      while (true) {
        const request = await readRequest(input, this.requests.length);
        if (request === undefined) break;
        if (request === "garbage") {
          await write(socket, "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
          break;
        }
        this.requests.push(request);
        this.#waiting.get(request.index)?.resolve(request);
        if (!(await sendReply(socket, input, await this.#choose(request)))) break;
      }
    } finally {
      socket.destroy();
      await input.closed;
    }
  }

  async #choose(request: RecordedRequest): Promise<StubReply> {
    const violation = request.body === "" ? undefined : this.#options.check?.(request.json);
    if (violation !== undefined) {
      this.violations.push(violation);
      return jsonReply({ error: { message: violation, type: "invalid_request_error" } }, 400);
    }
    const script = this.#script;
    const entry = typeof script === "function" ? script : script[request.index];
    if (entry === undefined) {
      return jsonReply({ error: { message: "The script has no reply for this request" } }, 500);
    }
    return typeof entry === "function" ? await entry(request) : entry;
  }
}

/**
 * A reply that is one JSON document.
 *
 * @param value The document.
 * @param status The HTTP status.
 * @param headers More headers.
 */
export function jsonReply(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): StubReply {
  return textReply(JSON.stringify(value), status, {
    "content-type": "application/json",
    ...headers,
  });
}

/**
 * A reply with any text as its body.
 *
 * @param body The body.
 * @param status The HTTP status.
 * @param headers All headers but those of the framing.
 */
export function textReply(
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = { "content-type": "text/plain" },
): StubReply {
  return { status, headers, steps: body === "" ? [] : [body] };
}

/** Collects what a client sends and notices when it leaves. */
class SocketInput {
  readonly closed: Promise<void>;
  #buffer = Buffer.alloc(0);
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  constructor(socket: net.Socket) {
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    socket.on("data", (data) => this.#add(data));
    // What the client does to the connection is the client's business.
    socket.on("error", () => this.#finish());
    socket.on("end", () => this.#finish());
    socket.on("close", () => {
      this.#finish();
      closed.resolve();
    });
  }

  /** Takes bytes once `measure` says how many there must be. */
  async take(measure: (buffer: Buffer) => number | undefined): Promise<Buffer | undefined> {
    while (true) {
      const size = measure(this.#buffer);
      if (size !== undefined && size <= this.#buffer.length) {
        const taken = this.#buffer.subarray(0, size);
        this.#buffer = this.#buffer.subarray(size);
        return taken;
      }
      if (this.#isOver) return undefined;
      await this.#wake.promise;
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the client has left. */
  async over(): Promise<void> {
    while (!this.#isOver) await this.#wake.promise;
  }

  #add(data: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    this.#signal();
  }

  #finish(): void {
    this.#isOver = true;
    this.#signal();
  }

  #signal(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

async function readRequest(
  input: SocketInput,
  index: number,
): Promise<RecordedRequest | "garbage" | undefined> {
  const head = await input.take((buffer) => {
    const end = buffer.indexOf("\r\n\r\n");
    if (end !== -1) return end + 4;
    return buffer.length > 0 && !isMethodStart(buffer) ? buffer.length : undefined;
  });
  if (head === undefined) return undefined;
  if (!isMethodStart(head)) return "garbage";
  const [requestLine = "", ...lines] = head.toString("latin1").trimEnd().split("\r\n");
  const [method = "", path = ""] = requestLine.split(" ");
  const headers = new Headers(lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  }));
  const bytes = await readBody(input, headers);
  if (bytes === undefined) return undefined;
  const body = bytes.toString("utf8");
  const receivedAt = performance.now();
  const json = parseJson(body);
  return { index, method, path, headers, body, json, receivedAt, closed: input.closed };
}

/** A client that speaks TLS to this server begins with another byte. */
function isMethodStart(buffer: Buffer): boolean {
  return /^[A-Z]/.test(buffer.toString("latin1", 0, 1));
}

async function readBody(input: SocketInput, headers: Headers): Promise<Buffer | undefined> {
  const isChunked = headers.get("transfer-encoding")?.includes("chunked") ?? false;
  if (!isChunked) return await input.take(() => Number(headers.get("content-length") ?? 0));
  const chunks: Buffer[] = [];
  while (true) {
    const line = await input.take((buffer) => lineEnd(buffer));
    if (line === undefined) return undefined;
    const size = parseInt(line.toString("latin1"), 16);
    const chunk = await input.take(() => size + 2);
    if (chunk === undefined) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, size));
  }
}

function lineEnd(buffer: Buffer): number | undefined {
  const end = buffer.indexOf("\r\n");
  return end === -1 ? undefined : end + 2;
}

/** Answers whether the connection can take another request. */
async function sendReply(
  socket: net.Socket,
  input: SocketInput,
  reply: StubReply,
): Promise<boolean> {
  const framing = reply.framing ?? "chunked";
  if (framing !== "raw") await write(socket, formatHead(reply, framing));
  for await (const step of reply.steps) {
    if (input.isOver || socket.destroyed) return false;
    if (typeof step === "string" || step instanceof Uint8Array) {
      const bytes = Buffer.from(step);
      if (bytes.length > 0) await write(socket, framing === "chunked" ? toChunk(bytes) : bytes);
    } else if (!(await act(socket, input, step))) {
      return false;
    }
  }
  if (framing === "chunked") await write(socket, "0\r\n\r\n");
  else await end(socket);
  return framing === "chunked";
}

async function act(
  socket: net.Socket,
  input: SocketInput,
  step: Exclude<StubStep, string | Uint8Array>,
): Promise<boolean> {
  if ("wait" in step) {
    await Promise.race([step.wait, input.over()]);
    return true;
  }
  if ("waitMs" in step) {
    const elapsed = Promise.withResolvers<void>();
    const timer = setTimeout(() => elapsed.resolve(), step.waitMs);
    await Promise.race([elapsed.promise, input.over()]);
    clearTimeout(timer);
    return true;
  }
  if (step.do === "hang") await input.over();
  if (step.do === "reset") socket.resetAndDestroy();
  if (step.do === "cut") await end(socket);
  return false;
}

function formatHead(reply: StubReply, framing: "chunked" | "close"): string {
  const headers = new Headers(reply.headers ?? { "content-type": "text/event-stream" });
  if (framing === "chunked") headers.set("transfer-encoding", "chunked");
  else headers.set("connection", "close");
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${reply.status ?? 200} Scripted\r\n${lines}\r\n`;
}

function toChunk(bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

/** A client that left makes a write fail, which the reading side has noticed already. */
async function write(socket: net.Socket, bytes: string | Buffer): Promise<void> {
  if (socket.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.write(bytes, () => resolve());
  await promise;
}

async function end(socket: net.Socket): Promise<void> {
  if (socket.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.end(() => resolve());
  await promise;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
