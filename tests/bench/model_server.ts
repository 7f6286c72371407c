/** What a client did on one request. */
export interface Arrival {
  /** When the request had arrived whole, as `performance.now()`. */
  readonly at: number;
  readonly bytes: number;
}

/** A model on 127.0.0.1 that answers at once: so many reads of one file, then a final text. */
export interface ModelServer {
  readonly address: string;
  readonly arrivals: Arrival[];
  /** Resolves when the client has asked for the first time. */
  readonly firstRequest: Promise<Arrival>;
  close(): Promise<void>;
}

/**
 * Starts a model server.
 *
 * @param options How many reads it asks for, of which file, and what to do before the last answer.
 */
export function startModelServer(
  options: {
    readonly reads: number;
    readonly file: string;
    readonly beforeLast?: () => Promise<void>;
  },
): ModelServer {
  const arrivals: Arrival[] = [];
  const first = Promise.withResolvers<Arrival>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (request.method !== "POST") return new Response("not found", { status: 404 });
      const bytes = (await request.arrayBuffer()).byteLength;
      const at = performance.now();
      const arrival = { at, bytes };
      arrivals.push(arrival);
      first.resolve(arrival);
      const turn = arrivals.length;
      if (turn > options.reads) await options.beforeLast?.();
      const delta = turn > options.reads ? { content: "done" } : {
        tool_calls: [{
          index: 0,
          id: `call_${turn}`,
          type: "function",
          function: {
            name: "read_file",
            arguments: JSON.stringify({ path: options.file, startLine: 1 + turn % 7 }),
          },
        }],
      };
      const finish = turn > options.reads ? "stop" : "tool_calls";
      return new Response(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n` +
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })}` +
          "\n\ndata: [DONE]\n\n",
        { headers: { "content-type": "text/event-stream" } },
      );
    },
  );
  return {
    address: `http://127.0.0.1:${server.addr.port}/v1`,
    arrivals,
    firstRequest: first.promise,
    close: () => server.shutdown(),
  };
}
