/**
 * What the terminal interface costs: the time to a screen that takes keys, how soon a key is shown
 * while an answer streams over a long session, and memory.
 *
 * @module
 */
import { join } from "node:path";
import { DENO, ROOT } from "../support/paths.ts";

/** How fast the model writes. */
const TOKENS_PER_SECOND = 200;
/** Keys that are pressed while it does. */
const KEYS = 40;
/** The Cyrillic А. */
const FIRST_LETTER = 0x410;
/** What a person who types fast leaves between two keys. */
const BETWEEN_KEYS_MS = 60;
/** After so long the first screen is loaded whole. */
const IDLE_MS = 4_000;
const TIME_LIMIT_MS = 60_000;

/** What is measured with. */
export interface ScreenBenchOptions {
  /** Folder of the person's configuration and state. */
  readonly folder: string;
  readonly workspace: string;
  /** Memory of a process and all below it. */
  readonly memoryMb: (pid: number) => Promise<number>;
}

/** Opens the interface in a terminal of its own. */
export class ScreenBench {
  readonly #options: ScreenBenchOptions;

  /** @param options What is measured with. */
  constructor(options: ScreenBenchOptions) {
    this.#options = options;
  }

  /**
   * From process start until a key is on the screen that was pressed as soon as there was one.
   *
   * @returns Milliseconds to the first frame and to the key.
   */
  async firstKey(): Promise<{ readonly frame: number; readonly key: number }> {
    const startedAt = performance.now();
    await using terminal = this.#open(["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]);
    await terminal.shows("──");
    const frame = performance.now() - startedAt;
    await terminal.type("Z");
    await terminal.shows("Z");
    return { frame, key: performance.now() - startedAt };
  }

  /** Memory of the process while nothing runs, in megabytes. */
  async idleMemory(): Promise<number> {
    await using terminal = this.#open(["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]);
    await terminal.shows("ready");
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    return await this.#options.memoryMb(terminal.pid);
  }

  /**
   * How soon keys are shown while an answer streams.
   *
   * @param session A stored session, and its database.
   * @returns Milliseconds, one for each key.
   */
  async keysWhileStreaming(
    session: { readonly id: string; readonly database: string },
  ): Promise<readonly number[]> {
    await using model = startStream();
    await using terminal = this.#open([
      ...["resume", session.id, "--db", session.database],
      ...["--model", "m", "--base-url", model.address],
    ]);
    await terminal.shows("ready");
    await terminal.type("go\r");
    await terminal.shows("word");
    const times: number[] = [];
    for (let index = 0; index < KEYS; index++) {
      // A letter that nothing else prints, and each key another one: the row is drawn whole.
      const key = String.fromCodePoint(FIRST_LETTER + index);
      const pressedAt = performance.now();
      await terminal.type(key);
      await terminal.shows(key);
      times.push(performance.now() - pressedAt);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_KEYS_MS));
    }
    return times;
  }

  #open(args: readonly string[]): BenchTerminal {
    const { folder, workspace } = this.#options;
    const words = [DENO, "run", "-A", "--config", join(ROOT, "deno.json"), join(ROOT, "cli.ts")];
    const command = [...words, ...args].map((word) => `'${word}'`).join(" ");
    return new BenchTerminal(
      new Deno.Command("script", {
        args: ["-qec", `stty cols 120 rows 40; exec ${command}`, "/dev/null"],
        cwd: workspace,
        env: {
          TERM: "xterm-256color",
          LANG: "C.UTF-8",
          ALISIO_CONFIG_HOME: join(folder, "config"),
          ALISIO_STATE_HOME: join(folder, "state"),
          OPENAI_API_KEY: "none",
        },
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn(),
    );
  }
}

/** A program in a terminal. */
class BenchTerminal implements AsyncDisposable {
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #keys: WritableStreamDefaultWriter<Uint8Array>;
  #unseen = "";
  #onOutput: () => void = () => {};

  constructor(child: Deno.ChildProcess) {
    this.pid = child.pid;
    this.#child = child;
    this.#keys = child.stdin.getWriter();
    void this.#read();
  }

  async type(keys: string): Promise<void> {
    await this.#keys.write(new TextEncoder().encode(keys));
  }

  /** Waits for a text in what was not looked at yet, and looks at it. */
  async shows(text: string): Promise<void> {
    const late = performance.now() + TIME_LIMIT_MS;
    while (true) {
      const at = this.#unseen.indexOf(text);
      if (at !== -1) {
        this.#unseen = this.#unseen.slice(at + text.length);
        return;
      }
      if (performance.now() > late) {
        throw new Error(`"${text}" was never shown: ${JSON.stringify(this.#unseen.slice(-2_000))}`);
      }
      await new Promise<void>((resolve) => this.#onOutput = resolve);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#keys.abort().catch(() => {});
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stdout) {
      this.#unseen = (this.#unseen + decoder.decode(bytes, { stream: true })).slice(-1_000_000);
      this.#onOutput();
    }
  }
}

/** A model that never stops writing. */
function startStream(): AsyncDisposable & { readonly address: string } {
  const stop = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      if (request.method !== "POST") return new Response("not found", { status: 404 });
      const encoder = new TextEncoder();
      let count = 0;
      let timer: ReturnType<typeof setInterval> | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          timer = setInterval(() => {
            const content = ++count % 12 === 0 ? "word.\n\n" : "word ";
            const choice = { choices: [{ index: 0, delta: { content } }] };
            controller.enqueue(encoder.encode(`data: ${JSON.stringify(choice)}\n\n`));
          }, 1_000 / TOKENS_PER_SECOND);
          stop.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
        },
        cancel: () => clearInterval(timer),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  );
  return {
    address: `http://127.0.0.1:${server.addr.port}/v1`,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.shutdown();
    },
  };
}
