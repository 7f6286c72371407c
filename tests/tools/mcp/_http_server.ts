/** What a server received. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** The body. */
  readonly text: string;
  readonly message: Message;
}

/** A message, as far as tests look at it. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Answers a request; undefined leaves it to the well-behaved part of the server. */
export type Handler = (
  seen: SeenRequest,
  request: Request,
) => Response | undefined | Promise<Response | undefined>;

/** A running server. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  /** Waits for a request that was or will be received. */
  until(matches: (seen: SeenRequest) => boolean): Promise<SeenRequest>;
  /** Breaks every connection at once. */
  stop(): Promise<void>;
}

/** How a server is started. */
export interface HttpServerOptions {
  readonly port?: number;
  readonly version?: string;
}

/** Starts a server that speaks the protocol over HTTP, except where a handler answers. */
export function startHttpServer(
  handler: Handler = () => undefined,
  { port = 0, version = "1" }: HttpServerOptions = {},
): HttpServer {
  const seen: SeenRequest[] = [];
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  const session = crypto.randomUUID();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port,
    signal: stop.signal,
    onListen: () => {},
    onError: () => new Response("failed", { status: 500 }),
  }, async (request) => {
    const text = await request.text();
    const each: SeenRequest = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      text,
      message: text.startsWith("{") ? JSON.parse(text) : {},
    };
    seen.push(each);
    for (const wake of waiting) wake();
    return await handler(each, request) ?? behave(each, session, version);
  });
  async function end(): Promise<void> {
    stop.abort();
    await server.finished;
  }
  return {
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
    port: server.addr.port,
    seen,
    async until(matches) {
      for (;;) {
        const found = seen.find(matches);
        if (found !== undefined) return found;
        const next = Promise.withResolvers<void>();
        waiting.add(next.resolve);
        await next.promise;
        waiting.delete(next.resolve);
      }
    },
    stop: end,
    [Symbol.asyncDispose]: end,
  };
}

function behave(
  { method, headers, message }: SeenRequest,
  session: string,
  version: string,
): Response {
  if (method === "GET") return new Response(null, { status: 405 });
  if (method === "DELETE") return new Response(null, { status: 200 });
  if (message.method === "initialize") {
    return jsonAnswer(message.id, initializeResult(version), { "mcp-session-id": session });
  }
  if (headers.get("mcp-session-id") !== session) return new Response(null, { status: 404 });
  if (message.id === undefined) return new Response(null, { status: 202 });
  if (message.method === "tools/list") return jsonAnswer(message.id, { tools: [{ name: "echo" }] });
  if (message.method !== "tools/call") {
    return Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32_601, message: "" } });
  }
  const { value } = (message.params?.["arguments"] ?? {}) as { value?: string };
  return jsonAnswer(message.id, textResult(`echo ${value}`));
}

/** What a server answers to the first request. */
export function initializeResult(version: string): Readonly<Record<string, unknown>> {
  return {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "http", version },
  };
}

/** A result of one text. */
export function textResult(text: string): Readonly<Record<string, unknown>> {
  return { content: [{ type: "text", text }] };
}

/** An answer as JSON. */
export function jsonAnswer(
  id: number | undefined,
  result: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, result }, { headers });
}

/** One event of a stream. */
export function event(message: unknown, fields = ""): string {
  return `${fields}data: ${JSON.stringify(message)}\n\n`;
}

/** A stream of events that stays open until it is closed. */
export function eventStream(
  ...first: readonly string[]
): { readonly response: Response; send(text: string): void; close(): void } {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made;
      // Headers leave with the first bytes.
      made.enqueue(encoder.encode(": open\n\n"));
      for (const text of first) made.enqueue(encoder.encode(text));
    },
    cancel: () => void (controller = undefined),
  });
  return {
    response: new Response(body, { headers: { "content-type": "text/event-stream" } }),
    send: (text) => controller?.enqueue(encoder.encode(text)),
    close() {
      controller?.close();
      controller = undefined;
    },
  };
}

/** Whether a request calls a tool. */
export function callsTool(name: string): (seen: SeenRequest) => boolean {
  return ({ message }) => message.method === "tools/call" && message.params?.["name"] === name;
}
