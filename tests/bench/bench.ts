/**
 * `deno task bench`: what Alisio costs, as ratios against a bare Deno script that does the same
 * work in the same run on the same machine. Prints a table; no figure fails anything. With the
 * argument `screen` it measures the terminal interface alone.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSessionStore } from "../../core/session/session_store.ts";
import type { StoredMessage } from "../../core/session/stored_message.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { withTempDir } from "../support/temp.ts";
import { type ModelServer, startModelServer } from "./model_server.ts";
import { ScreenBench } from "./screen_bench.ts";

interface Row {
  readonly what: string;
  readonly alisio: string;
  readonly bare: string;
  readonly ratio: string;
  readonly goal: string;
}

const SAMPLES = 15;
const CLI = join(ROOT, "cli.ts");
const BARE = join(ROOT, "tests/bench/bare.ts");

/** Takes the measurements in a folder of its own. */
class Bench {
  readonly #folder: string;
  readonly #workspace: string;
  readonly #file: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#workspace = join(folder, "ws");
    this.#file = "source.ts";
  }

  async prepare(): Promise<void> {
    await Deno.mkdir(this.#workspace);
    const lines = Array.from(
      { length: 40 },
      (_, index) => `export const value${index} = ${index};`,
    );
    await Deno.writeTextFile(join(this.#workspace, this.#file), `${lines.join("\n")}\n`);
    // The first start of a script compiles it; that is not what is measured.
    await this.#runToEnd(this.#alisio(["--version"]));
    await this.#serve(1, async (server) => {
      await this.#runToEnd(this.#alisioRun(server));
      await this.#runToEnd(this.#bare(server));
    });
  }

  async version(): Promise<Row> {
    const alisio = await this.#sample(() => this.#timed(this.#alisio(["--version"])));
    const bare = await this.#sample(() => this.#timed([join(ROOT, "tests/bench/one_line.ts")]));
    return row("--version", alisio, bare, "1.5 times");
  }

  async firstRequest(): Promise<Row> {
    const alisio = await this.#sample(() => this.#untilFirstRequest((s) => this.#alisioRun(s)));
    const bare = await this.#sample(() => this.#untilFirstRequest((s) => this.#bare(s)));
    return row("process start to first request", alisio, bare, "4.5 times, about 105 ms");
  }

  /** Launcher, flags and rules of the kernel: what a start takes longer with them. */
  async secondWall(): Promise<Row> {
    const started = (flags: readonly string[]): Promise<number> =>
      this.#untilFirstRequest((server) => [...this.#alisioRun(server), ...flags]);
    const extra: number[] = [];
    // In turns, so that whatever else the machine does hits both alike.
    for (let index = 0; index < SAMPLES; index++) {
      const without = await started(["--no-second-wall", "--quiet"]);
      extra.push(await started([]) - without);
    }
    return {
      what: "of it, the second wall",
      alisio: `${median(extra).toFixed(1)} ms`,
      bare: "",
      ratio: "",
      goal: "40 ms",
    };
  }

  /** What external plugins of one file each add to a start. */
  async plugins(count: number): Promise<Row> {
    const flags: string[] = [];
    for (let index = 0; index < count; index++) {
      const path = join(this.#folder, `plugin${index}.ts`);
      await Deno.writeTextFile(path, pluginText(`bench.plugin${index}`));
      flags.push("--plugin", path);
    }
    const started = (more: readonly string[]): Promise<number> =>
      this.#untilFirstRequest((server) => [...this.#alisioRun(server), ...more]);
    await started(flags);
    const extra: number[] = [];
    for (let index = 0; index < SAMPLES; index++) {
      const without = await started([]);
      extra.push(await started(flags) - without);
    }
    return {
      what: `${count} external plugins more`,
      alisio: `${median(extra).toFixed(1)} ms`,
      bare: "",
      ratio: "",
      goal: "60 ms",
    };
  }

  async loop(turns: number): Promise<readonly Row[]> {
    const alisio = await this.#play(turns, (server) => this.#alisioRun(server));
    const bare = await this.#play(turns, (server) => this.#bare(server));
    return [
      row(`one turn of ${turns} reads`, median(alisio.turns), median(bare.turns), "2 times"),
      {
        what: "memory of the process tree at the end",
        alisio: `${alisio.memoryMb.toFixed(0)} MB`,
        bare: `${bare.memoryMb.toFixed(0)} MB`,
        ratio: (alisio.memoryMb / bare.memoryMb).toFixed(1),
        goal: "110 MB",
      },
    ];
  }

  async longLoop(turns: number): Promise<readonly Row[]> {
    const alisio = await this.#play(turns, (server) => this.#embedded(server, turns));
    const bare = await this.#play(turns, (server) => this.#bare(server));
    const edge = 50;
    return [
      row(
        `a turn at the start of ${turns}`,
        median(alisio.turns.slice(0, edge)),
        median(bare.turns.slice(0, edge)),
        "2 times",
      ),
      row(
        `a turn at the end of ${turns}`,
        median(alisio.turns.slice(-edge)),
        median(bare.turns.slice(-edge)),
        "2 times",
      ),
      {
        what: `memory after ${turns} turns`,
        alisio: `${alisio.memoryMb.toFixed(0)} MB`,
        bare: `${bare.memoryMb.toFixed(0)} MB`,
        ratio: (alisio.memoryMb / bare.memoryMb).toFixed(1),
        goal: "grows with the history alone",
      },
    ];
  }

  async resume(messages: number): Promise<Row> {
    const database = join(this.#folder, "long.sqlite");
    const sessionId = storeLongSession(database, this.#workspace, messages);
    const history = join(this.#folder, "history.json");
    await Deno.writeTextFile(history, JSON.stringify(wireHistory(messages)));
    const alisio = await this.#sample(() =>
      this.#untilFirstRequest((server) =>
        this.#alisio([
          "resume",
          sessionId,
          "go on",
          "--db",
          database,
          "--base-url",
          server.address,
          "--model",
          "m",
        ])
      )
    );
    const bare = await this.#sample(() =>
      this.#untilFirstRequest((server) => [...this.#bare(server), history])
    );
    return row(`first request of a session of ${messages} messages`, alisio, bare, "3 times");
  }

  /** The terminal interface, where a terminal can be had. */
  async screen(messages: number): Promise<readonly Row[]> {
    const screen = new ScreenBench({
      folder: this.#folder,
      workspace: this.#workspace,
      memoryMb: treeMemoryMb,
    });
    // The first one prepares the program.
    await screen.firstKey();
    const starts: { readonly frame: number; readonly key: number }[] = [];
    const scripts: number[] = [];
    // In turns, so that whatever else the machine does hits both alike.
    for (let index = 0; index < SAMPLES; index++) {
      starts.push(await screen.firstKey());
      scripts.push(await this.#timed([join(ROOT, "tests/bench/one_line.ts")]));
    }
    const bare = median(scripts);
    // The whole session fits, so that nothing is made shorter before the answer.
    await Deno.mkdir(join(this.#folder, "config"), { recursive: true });
    await Deno.writeTextFile(
      join(this.#folder, "config", "config.json"),
      JSON.stringify({ limits: { maxContextChars: 16_000_000, maxTokens: 16_000_000 } }),
    );
    const database = join(this.#folder, "screen.sqlite");
    const id = storeLongSession(database, this.#workspace, messages);
    const keys = await screen.keysWhileStreaming({ id, database });
    const ofScreen = (what: string, value: string, goal: string): Row => ({
      what,
      alisio: value,
      bare: "",
      ratio: "",
      goal,
    });
    return [
      row("first screen", median(starts.map(({ frame }) => frame)), bare, ""),
      row("first screen that shows a key", median(starts.map(({ key }) => key)), bare, "7 times"),
      ofScreen(
        `a key in a stream over ${messages} messages`,
        `${median(keys).toFixed(1)} ms`,
        "16 ms",
      ),
      ofScreen("the slowest of them", `${Math.max(...keys).toFixed(1)} ms`, ""),
      ofScreen(
        "memory of an idle screen",
        `${(await screen.idleMemory()).toFixed(0)} MB`,
        "120 MB",
      ),
    ];
  }

  events(count: number): Row {
    const alisio = writeEvents(join(this.#folder, "events.sqlite"), count);
    const bare = writeRows(join(this.#folder, "rows.sqlite"), count);
    return row(`${count} event writes`, alisio, bare, "");
  }

  async requestSizes(): Promise<readonly Row[]> {
    const size = async (flags: readonly string[], goal: string): Promise<Row> => {
      const bytes = await this.#serve(0, async (server) => {
        await this.#runToEnd([...this.#alisioRun(server), ...flags]);
        return server.arrivals[0]?.bytes ?? 0;
      });
      const tools = flags.length === 0 ? "read-only tools" : "all tools";
      return {
        what: `first request, ${tools}`,
        alisio: `${(bytes / 1024).toFixed(1)} KB`,
        bare: "",
        ratio: "",
        goal,
      };
    };
    return [
      await size([], "10 KB"),
      await size(["--allow-write", "--allow-process"], "18 KB"),
    ];
  }

  #alisio(args: readonly string[]): readonly string[] {
    return [CLI, ...args];
  }

  #alisioRun(server: ModelServer): readonly string[] {
    return this.#alisio(["run", "go", "--base-url", server.address, "--model", "m"]);
  }

  #embedded(server: ModelServer, turns: number): readonly string[] {
    return [join(ROOT, "tests/bench/embedded.ts"), server.address, String(turns + 1)];
  }

  #bare(server: ModelServer): readonly string[] {
    return [BARE, server.address];
  }

  async #untilFirstRequest(command: (server: ModelServer) => readonly string[]): Promise<number> {
    return await this.#serve(0, async (server) => {
      const startedAt = performance.now();
      const child = this.#start(command(server));
      const status = child.status;
      const arrival = await Promise.race([server.firstRequest, status.then(() => null)]);
      if (!(await status).success || arrival === null) throw new Error("A measured run failed");
      return arrival.at - startedAt;
    });
  }

  async #play(
    turns: number,
    command: (server: ModelServer) => readonly string[],
  ): Promise<{ readonly turns: readonly number[]; readonly memoryMb: number }> {
    let memoryMb = 0;
    let pid = 0;
    const server = startModelServer({
      reads: turns,
      file: this.#file,
      beforeLast: async () => {
        memoryMb = await treeMemoryMb(pid);
      },
    });
    try {
      const child = this.#start(command(server));
      pid = child.pid;
      if (!(await child.status).success) throw new Error("A measured run failed");
      const times = server.arrivals.map(({ at }) => at);
      return { turns: times.slice(1).map((at, index) => at - (times[index] ?? at)), memoryMb };
    } finally {
      await server.close();
    }
  }

  async #serve<T>(reads: number, body: (server: ModelServer) => Promise<T>): Promise<T> {
    const server = startModelServer({ reads, file: this.#file });
    try {
      return await body(server);
    } finally {
      await server.close();
    }
  }

  async #sample(measure: () => Promise<number>): Promise<number> {
    const samples: number[] = [];
    for (let index = 0; index < SAMPLES; index++) samples.push(await measure());
    return median(samples);
  }

  async #timed(args: readonly string[]): Promise<number> {
    const startedAt = performance.now();
    await this.#runToEnd(args);
    return performance.now() - startedAt;
  }

  async #runToEnd(args: readonly string[]): Promise<void> {
    if (!(await this.#start(args).status).success) {
      throw new Error(`A measured run failed: ${args.join(" ")}`);
    }
  }

  #start(args: readonly string[]): Deno.ChildProcess {
    const isLoud = args.includes("--no-second-wall");
    return new Deno.Command(DENO, {
      args: ["run", "-A", "--config", join(ROOT, "deno.json"), ...args],
      cwd: this.#workspace,
      env: {
        ALISIO_CONFIG_HOME: join(this.#folder, "config"),
        ALISIO_STATE_HOME: join(this.#folder, "state"),
      },
      stdin: "null",
      stdout: "null",
      // Loudly said, and known here.
      stderr: isLoud ? "null" : "inherit",
    }).spawn();
  }
}

/** Resident memory of a process and all that descend from it. */
async function treeMemoryMb(root: number): Promise<number> {
  const parents = new Map<number, number>();
  const resident = new Map<number, number>();
  for await (const entry of Deno.readDir("/proc")) {
    const pid = Number(entry.name);
    if (!Number.isInteger(pid)) continue;
    try {
      const status = await Deno.readTextFile(`/proc/${pid}/status`);
      parents.set(pid, Number(status.match(/^PPid:\s+(\d+)/m)?.[1] ?? 0));
      resident.set(pid, Number(status.match(/^VmRSS:\s+(\d+)/m)?.[1] ?? 0));
    } catch {
      // It ended meanwhile.
    }
  }
  let total = 0;
  for (const [pid, kilobytes] of resident) {
    let ancestor = pid;
    while (ancestor > 1 && ancestor !== root) ancestor = parents.get(ancestor) ?? 0;
    if (ancestor === root) total += kilobytes;
  }
  return total / 1024;
}

function* conversation(messages: number): Generator<StoredMessage> {
  for (let index = 0; index < messages; index += 4) {
    const id = `call_${index}`;
    yield { role: "user", content: [{ type: "text", text: `Question ${index} about the code` }] };
    yield {
      role: "assistant",
      text: "",
      calls: [{ id, name: "read_file", arguments: `{"path":"src/file_${index}.ts"}` }],
    };
    const text = `line of source number ${index}\n`.repeat(20);
    yield {
      role: "tool",
      callId: id,
      name: "read_file",
      content: [{ type: "text", text }],
      isError: false,
    };
    yield { role: "assistant", text: `Answer ${index}: it does what it says.`, calls: [] };
  }
}

function storeLongSession(database: string, workspace: string, messages: number): string {
  const store = openSessionStore(database);
  const id = crypto.randomUUID();
  store.createSession({ id, workspace, model: "m", provider: "bench", createdAt: Date.now() });
  store.transaction(() => {
    for (const message of conversation(messages)) store.appendMessage(id, message, Date.now());
  });
  store.close();
  return id;
}

function wireHistory(messages: number): readonly unknown[] {
  return [...conversation(messages)].map((message) => {
    if (message.role === "user") return { role: "user", content: "Question about the code" };
    if (message.role === "tool") {
      const [part] = message.content;
      return {
        role: "tool",
        tool_call_id: message.callId,
        content: part?.type === "text" ? part.text : "",
      };
    }
    if (message.calls.length === 0) return { role: "assistant", content: message.text };
    return {
      role: "assistant",
      content: null,
      tool_calls: message.calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: call.arguments },
      })),
    };
  });
}

function writeEvents(database: string, count: number): number {
  const store = openSessionStore(database);
  const sessionId = crypto.randomUUID();
  const runId = crypto.randomUUID();
  const createdAt = Date.now();
  store.createSession({ id: sessionId, workspace: "/", model: "m", provider: "p", createdAt });
  store.beginRun({ id: runId, sessionId, model: "m", startedAt: createdAt, ownerPid: Deno.pid });
  const startedAt = performance.now();
  for (let seq = 1; seq <= count; seq++) {
    store.appendEvent({
      runId,
      sessionId,
      seq,
      type: "tool_completed",
      timestamp: new Date().toISOString(),
      data: { id: "call_1", name: "read_file", isError: false, durationMs: 1, preview: "text" },
    });
  }
  const elapsedMs = performance.now() - startedAt;
  store.close();
  return elapsedMs;
}

function writeRows(database: string, count: number): number {
  const db = new DatabaseSync(database);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  db.exec("CREATE TABLE events (seq INTEGER PRIMARY KEY, type TEXT, timestamp TEXT, data TEXT)");
  const insert = db.prepare("INSERT INTO events (type, timestamp, data) VALUES (?, ?, ?)");
  const startedAt = performance.now();
  for (let seq = 1; seq <= count; seq++) {
    const data = {
      id: "call_1",
      name: "read_file",
      isError: false,
      durationMs: 1,
      preview: "text",
    };
    insert.run("tool_completed", new Date().toISOString(), JSON.stringify(data));
  }
  const elapsedMs = performance.now() - startedAt;
  db.close();
  return elapsedMs;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function pluginText(id: string): string {
  return `import { definePlugin, textResult } from "@alisio/sdk";
export default definePlugin({
  id: ${JSON.stringify(id)},
  version: "0.1.0",
  apiVersion: 1,
  setup(api) {
    const answer: string = "Hello";
    api.tools.register({
      name: "hello",
      description: "Greets.",
      effect: "read",
      inputSchema: { type: "object", properties: {} },
      execute: () => Promise.resolve(textResult(answer)),
    });
  },
});
`;
}

function row(what: string, alisio: number, bare: number, goal: string): Row {
  return {
    what,
    alisio: `${alisio.toFixed(1)} ms`,
    bare: `${bare.toFixed(1)} ms`,
    ratio: (alisio / bare).toFixed(1),
    goal,
  };
}

function printTable(rows: readonly Row[]): void {
  const header: Row = { what: "", alisio: "Alisio", bare: "bare", ratio: "ratio", goal: "goal" };
  const all = [header, ...rows];
  const keys = ["what", "alisio", "bare", "ratio", "goal"] as const;
  const widths = keys.map((key) => Math.max(...all.map((line) => line[key].length)));
  const lines = all.map((line) =>
    keys.map((key, index) => line[key].padEnd(widths[index] ?? 0)).join("  ").trimEnd()
  );
  Deno.stdout.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));
}

await withTempDir(async (folder) => {
  const bench = new Bench(folder);
  await bench.prepare();
  const rows = Deno.args[0] === "screen" ? await bench.screen(5_000) : [
    await bench.version(),
    await bench.firstRequest(),
    await bench.secondWall(),
    await bench.plugins(10),
    ...await bench.loop(50),
    ...await bench.longLoop(1_000),
    await bench.resume(2_000),
    bench.events(10_000),
    ...await bench.requestSizes(),
    ...await bench.screen(5_000),
  ];
  printTable(rows);
});
