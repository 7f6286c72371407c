/**
 * `deno run -A tests/bench/mcp_bench.ts FOLDER`: what connecting `server-everything` takes, from the
 * start of the program to its tools, against the server's own start: the same program and the same
 * three requests, written to it by a bare script. FOLDER is where npm installed it. Prints a table
 * and fails nothing. The two take turns, so that another program on the machine slows both.
 *
 * Once, on two busy cores, medians: the server alone 613 ms, connected 610 ms.
 *
 * @module
 */
import { join } from "node:path";
import { connectMcpServer } from "../../tools/mcp/connect_mcp_server.ts";
import { serverSettings } from "../tools/mcp/_connect.ts";

const ROUNDS = 15;
const [folder = Deno.env.get("ALISIO_TEST_MCP_SERVERS") ?? ""] = Deno.args;
const main = join(folder, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const workspace = Deno.makeTempDirSync();
const { signal } = new AbortController();
const settings = serverSettings({ command: "node", args: [main] });

/** The server alone: as long as it takes to answer a handshake and to list its tools. */
async function startBare(): Promise<number> {
  const startedAt = performance.now();
  const child = new Deno.Command("node", {
    args: [main],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const send = async (message: Readonly<Record<string, unknown>>) =>
    await writer.write(
      new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    );
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await send({ id: 1, method: "initialize", params });
  let said = "";
  let isReady = false;
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += piece;
    if (!isReady && said.includes("\n")) {
      isReady = true;
      await send({ method: "notifications/initialized" });
      await send({ id: 2, method: "tools/list" });
    }
    if (/"id":2\b[^]*\n/.test(said)) break;
  }
  const tookMs = performance.now() - startedAt;
  child.kill("SIGKILL");
  await writer.close().catch(() => {});
  await child.status;
  return tookMs;
}

async function startConnected(): Promise<number> {
  const startedAt = performance.now();
  const connection = await connectMcpServer({
    name: "everything",
    settings,
    workspace,
    roots: [workspace],
    env: Deno.env.toObject(),
    signInFolder: join(workspace, "sign-in"),
    signal,
    timeoutMs: settings.timeoutMs,
    hideSecrets: () => {},
    onChanged: () => {},
    onDiagnostic: () => {},
  });
  await connection.listTools({ signal });
  const tookMs = performance.now() - startedAt;
  await connection.close();
  return tookMs;
}

const bare: number[] = [];
const connected: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(await startBare());
  connected.push(await startConnected());
}
await Deno.remove(workspace, { recursive: true });
const rows = Object.entries({ "server alone": bare, connected }).map(([name, list]) => {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0);
  return `${name.padEnd(12)} ${at(0).padStart(8)} ${at(0.5).padStart(8)}`;
});
const text = [
  "              fastest   median  (ms)",
  ...rows,
  `the first connection, which loads the client: ${connected[0]?.toFixed(0)}`,
  "",
].join("\n");
Deno.stdout.writeSync(new TextEncoder().encode(text));
