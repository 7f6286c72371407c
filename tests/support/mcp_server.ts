/**
 * A small MCP server over standard streams that does what it is told by its first argument, a JSON
 * object. Started by tests as a program of its own.
 *
 * @module
 */
type Json = Readonly<Record<string, unknown>>;

/** How it behaves. */
interface Behaviour {
  /** It shakes hands only once a file is there. */
  readonly waitFor?: string;
  /** It writes its id there when it starts. */
  readonly pidFile?: string;
  /** It starts a program that ends at no request, and writes the id of that there. */
  readonly childFile?: string;
  /** Whether that program leaves the group of this one. */
  readonly childLeaves?: boolean;
  /** It ends neither at a request nor when its input is closed. */
  readonly isStubborn?: boolean;
  /** Says this wherever it says something of itself. */
  readonly leaks?: string;
  /** So many more tools it has, each with a long description. */
  readonly many?: number;
  /** Annotations of its tools. */
  readonly annotations?: Json;
  /** Its tools have other names. */
  readonly names?: readonly string[];
}

const behaviour: Behaviour = JSON.parse(Deno.args[0] ?? "{}");
const encoder = new TextEncoder();
const leaked = behaviour.leaks === undefined ? "" : ` ${behaviour.leaks}`;
let version = 1;

function send(message: Json): void {
  const bytes = encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

function tool(name: string, description: string, properties: Json = {}): Json {
  return {
    name,
    description,
    inputSchema: { type: "object", properties },
    ...(behaviour.annotations === undefined ? {} : { annotations: behaviour.annotations }),
  };
}

function tools(): readonly Json[] {
  const more = Array.from(
    { length: behaviour.many ?? 0 },
    (_, index) => tool(`tool_${index}`, `Does thing number ${index}. ${"It is long. ".repeat(20)}`),
  );
  if (behaviour.names !== undefined) return behaviour.names.map((name) => tool(name, "Says it"));
  return [
    tool("echo", `Says it again, version ${version}`, { value: { type: "string" } }),
    tool("change", "Changes the tools", { quietly: { type: "boolean" } }),
    tool("die", `Ends the program${leaked}`, { why: { type: "string", title: `Why${leaked}` } }),
    tool("slow", "Never answers"),
    ...more,
  ];
}

const cancelled: unknown[] = [];

function call(id: unknown, { name, arguments: input = {} }: Json): void {
  const { value } = input as Json;
  const answer = (text: string) => send({ id, result: { content: [{ type: "text", text }] } });
  switch (name) {
    case "die":
      Deno.stderr.writeSync(encoder.encode(`out of luck${leaked}\n`));
      return Deno.exit(3);
    case "slow":
      return;
    case "change":
      version += 1;
      send({ method: "notifications/tools/list_changed" });
      return answer(`version ${version}`);
    default:
      return answer(`${name}: ${String(value)} (version ${version}, pid ${Deno.pid})`);
  }
}

function receive({ id, method, params = {} }: Json): void {
  const given = params as Json;
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
          serverInfo: { name: "small", version: `1.0.0${leaked}` },
          instructions: `Say it again${leaked}`,
        },
      });
    case "tools/list":
      return send({ id, result: { tools: tools() } });
    case "tools/call":
      return call(id, given);
    case "resources/list":
      return send({ id, result: { resources: [{ uri: "memo://a", name: "a" }] } });
    case "resources/templates/list":
      return send({ id, result: { resourceTemplates: [] } });
    case "resources/read":
      return send({ id, result: { contents: [{ uri: given.uri, text: "what a says" }] } });
    case "prompts/list":
      return send({ id, result: { prompts: [{ name: "greet", arguments: [{ name: "who" }] }] } });
    case "prompts/get": {
      const { who } = (given.arguments ?? {}) as Json;
      const content = { type: "text", text: `Greet ${String(who)}` };
      return send({ id, result: { messages: [{ role: "user", content }] } });
    }
    case "notifications/cancelled":
      cancelled.push(given.requestId);
      return;
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "Unknown method" } });
  }
}

/** Waits for a file, which whoever started this program makes. */
async function untilThere(path: string): Promise<void> {
  while (true) {
    try {
      await Deno.stat(path);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

if (behaviour.pidFile !== undefined) Deno.writeTextFileSync(behaviour.pidFile, String(Deno.pid));
if (behaviour.childFile !== undefined) {
  const script = `trap '' HUP INT TERM; echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600`;
  const words = ["sh", "-c", script, behaviour.childFile];
  const [program = "", ...args] = behaviour.childLeaves ? ["setsid", ...words] : words;
  new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn()
    .unref();
}
if (behaviour.isStubborn) {
  Deno.addSignalListener("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
if (behaviour.waitFor !== undefined) await untilThere(behaviour.waitFor);
let rest = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line.trim() !== "") receive(JSON.parse(line));
}
