/**
 * A server over standard streams that behaves as badly as its first argument says. Started by tests
 * as a program of its own.
 *
 * @module
 */
type Json = Readonly<Record<string, unknown>>;

const [mode = "good", ...rest] = Deno.args;
const encoder = new TextEncoder();

function write(text: string): void {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

function send(message: Json): void {
  write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function text(value: string): Json {
  return { content: [{ type: "text", text: value }] };
}

const TOOLS = [
  { name: "echo", description: "Says it again", inputSchema: { type: "object" } },
  { name: "slow", description: "Never answers", inputSchema: { type: "object" } },
];

/** Requests that were not answered. */
const open = new Map<string, unknown>();
const cancelled: unknown[] = [];
let answered: Json | undefined;

function initialize(id: unknown): void {
  if (mode === "never") return;
  if (mode === "refuse") return send({ id, error: { code: -32600, message: "No \x1b[31mentry" } });
  const protocolVersion = mode === "future" ? "2099-01-01" : "2025-11-25";
  send({
    id,
    result: {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      serverInfo: { name: "hostile", version: "1.2.3" },
      instructions: mode === "long" ? "x".repeat(100_000) : "Use echo",
    },
  });
}

function listTools(id: unknown, cursor: unknown): void {
  if (mode === "invalid") {
    return send({
      id,
      result: {
        tools: [
          TOOLS[0],
          { ...TOOLS[1], outputSchema: { properties: {} } },
          { description: "Nameless", inputSchema: {} },
          { name: "listed", inputSchema: [] },
          { name: "bare" },
        ],
      },
    });
  }
  if (mode === "pages") {
    const from = Number(cursor ?? 0);
    const tools = Array.from({ length: 10 }, (_, index) => ({ name: `tool${index}` }));
    const nextCursor = from + 3 < 10 ? { nextCursor: String(from + 3) } : {};
    return send({ id, result: { tools: tools.slice(from, from + 3), ...nextCursor } });
  }
  if (mode === "circle") return send({ id, result: { tools: TOOLS, nextCursor: "again" } });
  if (mode === "endless") {
    const next = Number(cursor ?? 0) + 1;
    return send({ id, result: { tools: [{ name: `tool${next}` }], nextCursor: String(next) } });
  }
  send({ id, result: { tools: TOOLS } });
}

function callTool(id: unknown, { name, arguments: input = {} }: Json): void {
  const { value } = input as Json;
  switch (name) {
    case "echo":
      return send({ id, result: text(String(value)) });
    case "slow":
      open.set("slow", id);
      return;
    case "answer_slow":
      send({ id: open.get("slow"), result: text("late") });
      return send({ id, result: text("answered") });
    case "die":
      Deno.stderr.writeSync(encoder.encode("fatal: \x1b[2Jout of luck, secret-of-the-server"));
      return Deno.exit(3);
    case "kill":
      return Deno.kill(Deno.pid, "SIGKILL");
    case "env":
      return send({ id, result: text(JSON.stringify(Deno.env.toObject())) });
    case "pid":
      return send({ id, result: text(String(Deno.pid)) });
    case "child": {
      const child = new Deno.Command("sleep", { args: ["600"], stdin: "null" }).spawn();
      return send({ id, result: text(String(child.pid)) });
    }
    case "twice":
      send({ id, result: text("first") });
      return send({ id, result: text("second") });
    case "unknown":
      send({ id: 987_654, result: text("for nobody") });
      send({ id: "x", error: { code: 1, message: "for nobody" } });
      return send({ id, result: text("mine") });
    case "malformed":
      return send({ id, result: "no object" });
    case "huge":
      return write(
        `{"jsonrpc":"2.0","result":{"id":1,"content":[{"type":"text","text":"${
          "x".repeat(Number(value))
        }"}]},"id":${id}}\n`,
      );
    case "noise":
      write("Welcome to the server\n");
      write('{"level":"info"}\n[]\nnull\n\n');
      write('{"jsonrpc":"2.0","method":5}\n');
      Deno.stdout.writeSync(new Uint8Array([0xff, 0xfe, 0x0a]));
      write(`${"y".repeat(5 * 1024 * 1024)}\n`);
      return send({ id, result: text("after the noise") });
    case "pieces": {
      const line = `${JSON.stringify({ jsonrpc: "2.0", id, result: text("ä€😀") })}\n`;
      for (const byte of encoder.encode(line)) Deno.stdout.writeSync(new Uint8Array([byte]));
      return;
    }
    case "endless_line":
      write('{"jsonrpc":"2.0","method":"');
      for (let round = 0; round < 100; round++) write("z".repeat(1024 * 1024));
      return Deno.writeTextFileSync(String(value), "written");
    case "flood":
      for (let count = 0; count < 50_000; count++) {
        send({ method: "notifications/tools/list_changed" });
        send({ method: "notifications/message", params: { level: "error", data: `no ${count}` } });
      }
      return send({ id, result: text("flooded") });
    case "requests":
      for (let count = 0; count < 1_000; count++) send({ id: `r${count}`, method: "ping" });
      return send({ id, result: text("asked") });
    case "ask":
      open.set("ask", id);
      return send({
        id: "asked",
        method: String(value),
        params: { message: "Go on?", requestedSchema: { type: "object", properties: {} } },
      });
    case "answered":
      return send({ id, result: text(JSON.stringify(answered)) });
    case "cancelled":
      return send({ id, result: text(JSON.stringify(cancelled)) });
    case "error":
      return send({ id, error: { code: -32_000, message: "Boom \x1b[31m secret-of-the-server" } });
    default:
      return send({ id, error: { code: -32_602, message: `Unknown tool ${name}` } });
  }
}

function receive(message: Json): void {
  const { id, method } = message;
  const params = (message["params"] ?? {}) as Json;
  if (method === undefined) {
    if (id !== "asked") return;
    answered = message;
    return send({ id: open.get("ask"), result: text(JSON.stringify(message)) });
  }
  switch (method) {
    case "initialize":
      return initialize(id);
    case "tools/list":
      return listTools(id, params["cursor"]);
    case "tools/call":
      if (params["name"] === "progress") {
        const { progressToken } = params["_meta"] as Json;
        const { steps, everyMs } = params["arguments"] as { steps: number; everyMs: number };
        let step = 0;
        const timer = setInterval(() => {
          step++;
          if (step > steps) {
            clearInterval(timer);
            return send({ id, result: text("done") });
          }
          send({
            method: "notifications/progress",
            params: { progressToken, progress: step, message: `step ${step}` },
          });
        }, everyMs);
        return;
      }
      return callTool(id, params);
    case "resources/list":
      return send({ id, result: { resources: [{ uri: "file:///a", name: "a" }, { name: "b" }] } });
    case "resources/read":
      return send({ id, result: { contents: [{ uri: params["uri"], text: "content of it" }] } });
    case "prompts/list":
      return send({
        id,
        result: { prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }] },
      });
    case "prompts/get":
      return send({
        id,
        result: {
          messages: [{
            role: "user",
            content: { type: "text", text: `Greet ${(params["arguments"] as Json)["who"]}` },
          }],
        },
      });
    case "notifications/cancelled":
      cancelled.push(params["requestId"]);
      return;
    case "notifications/initialized":
      return;
    default:
      if (id !== undefined) send({ id, error: { code: -32_601, message: "Method not found" } });
  }
}

if (mode === "banner") write("Server 1.0\nReady\n");
if (mode === "exit") {
  Deno.stderr.writeSync(encoder.encode("cannot open its database"));
  Deno.exit(Number(rest[0] ?? 1));
}
if (mode === "stubborn") {
  Deno.addSignalListener("SIGTERM", () => Deno.stderr.writeSync(encoder.encode("no")));
  setInterval(() => {}, 1_000);
}

let buffered = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  buffered += piece;
  for (let end = buffered.indexOf("\n"); end !== -1; end = buffered.indexOf("\n")) {
    const line = buffered.slice(0, end);
    buffered = buffered.slice(end + 1);
    receive(JSON.parse(line));
  }
}
