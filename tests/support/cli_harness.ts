/**
 * The real command line as a child process, with a workspace, configuration, state and environment
 * of its own.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DENO, ROOT } from "./paths.ts";
import { withTempDir } from "./temp.ts";

/** Longest run of the command line. One that is still there is killed and fails its test. */
const TIME_LIMIT_MS = 60_000;

/** Most that is kept of each stream. */
const MAX_STREAM_CHARS = 16 * 1024 * 1024;

/** How much of a stream a failure message shows. */
const SHOWN_CHARS = 2_000;

/** One line of `--json`. */
export interface JsonLine {
  /** Name of the event, or `error`. */
  readonly type: string;
  /** Version of the protocol. */
  readonly schemaVersion: number;
  /** The session; absent before there is one. */
  readonly sessionId?: string;
  /** What it says. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** How the command line ended. */
export interface CliResult {
  /** Its exit status; 128 and the number for a signal that ended it. */
  readonly status: number;
  /** The signal that ended it, unless it ended by itself. */
  readonly signal: string | null;
  /** All of standard output. */
  readonly stdout: string;
  /** All of standard error. */
  readonly stderr: string;
  /** From the start to the end of the process. */
  readonly durationMs: number;
}

/** How the command line is started. */
export interface CliOptions {
  /**
   * Where it is started.
   *
   * @default The workspace.
   */
  readonly cwd?: string;
  /** Variables on top of the scene's. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * `null` is at its end from the start, `open` stays open until the test closes it; anything else
   * is written and closed.
   *
   * @default "null"
   */
  readonly stdin?: "null" | "open" | Uint8Array;
  /** A program, with arguments, that is given the command line as its last arguments. */
  readonly wrap?: readonly string[];
}

/** A command line that runs. */
export interface CliProcess {
  /** Id of its process. */
  readonly pid: number;
  /** Writes to standard input, where that is open. */
  readonly stdin: WritableStreamDefaultWriter<Uint8Array>;
  /** Settles when it has ended. */
  readonly ended: Promise<CliResult>;
  /**
   * Waits for a line of `--json`.
   *
   * @param type The type of its event.
   */
  event(type: string): Promise<JsonLine>;
  /**
   * Waits for text on standard output.
   *
   * @param pattern What it matches.
   */
  outputText(pattern: Pick<RegExp, "test">): Promise<void>;
  /**
   * Sends it a signal.
   *
   * @param signal The signal.
   */
  kill(signal: Deno.Signal): void;
}

/** A place where the command line runs. */
export interface CliScene {
  /** Real path of the folder that holds everything else. */
  readonly dir: string;
  /** An empty folder. */
  readonly workspace: string;
  /** `ALISIO_CONFIG_HOME`; does not exist at first. */
  readonly configHome: string;
  /** `ALISIO_STATE_HOME`; does not exist at first. */
  readonly stateHome: string;
  /** The variables that the command line gets. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Writes the person's own configuration file.
   *
   * @param config Its content.
   */
  configure(config: Readonly<Record<string, unknown>>): Promise<void>;
  /** Starts the command line. */
  start(args: readonly string[], options?: CliOptions): CliProcess;
  /** Runs the command line to its end. */
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
}

/**
 * Calls `fn` with a scene in a temporary folder and ends whatever it leaves running.
 *
 * @param fn The test.
 */
export async function withCli(fn: (scene: CliScene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const scene = new Scene(dir);
    await Deno.mkdir(scene.workspace);
    try {
      await fn(scene);
    } finally {
      await scene.close();
    }
  });
}

/**
 * The events of standard output, which must hold nothing else.
 *
 * @param result A run with `--json`.
 */
export function jsonLines(result: Pick<CliResult, "stdout">): readonly JsonLine[] {
  const lines = result.stdout.split("\n");
  assert.equal(lines.pop(), "", "standard output must end with a line end");
  return lines.map((line) => {
    const value: unknown = JSON.parse(line);
    assert.ok(isJsonLine(value), `not a line of the protocol: ${line.slice(0, SHOWN_CHARS)}`);
    return value;
  });
}

/**
 * The session that a run with `--json` worked in.
 *
 * @param result The run.
 */
export function sessionOf(result: Pick<CliResult, "stdout">): string {
  const [first] = jsonLines(result);
  assert.ok(first?.sessionId, "no event names a session");
  return first.sessionId;
}

/**
 * The data of the one event of a type.
 *
 * @param result A run with `--json`.
 * @param type The type.
 */
export function dataOf(
  result: Pick<CliResult, "stdout">,
  type: string,
): Readonly<Record<string, unknown>> {
  const found = jsonLines(result).filter((line) => line.type === type);
  assert.equal(found.length, 1, `expected one "${type}" in ${result.stdout.slice(-SHOWN_CHARS)}`);
  return found[0]?.data ?? {};
}

/**
 * A result in one text, for the message of an assertion.
 *
 * @param result The result.
 */
export function shown(result: CliResult): string {
  return `status ${result.status}\nstdout: ${result.stdout.slice(-SHOWN_CHARS)}\n` +
    `stderr: ${result.stderr.slice(-SHOWN_CHARS)}`;
}

class Scene implements CliScene {
  readonly dir: string;
  readonly workspace: string;
  readonly configHome: string;
  readonly stateHome: string;
  readonly #running = new Set<RunningCli>();

  constructor(dir: string) {
    this.dir = dir;
    this.workspace = join(dir, "work");
    this.configHome = join(dir, "config");
    this.stateHome = join(dir, "state");
  }

  async configure(config: Readonly<Record<string, unknown>>): Promise<void> {
    await Deno.mkdir(this.configHome, { recursive: true });
    await Deno.writeTextFile(join(this.configHome, "config.json"), JSON.stringify(config));
  }

  start(args: readonly string[], options: CliOptions = {}): CliProcess {
    const words = [...options.wrap ?? [], DENO, "run", "-A", "--config", `${ROOT}/deno.json`];
    const [program = DENO, ...rest] = [...words, `${ROOT}/cli.ts`, ...args];
    const stdin = options.stdin ?? "null";
    const child = new Deno.Command(program, {
      args: rest,
      cwd: options.cwd ?? this.workspace,
      clearEnv: true,
      env: { ...this.environment, ...options.env },
      stdin: stdin === "null" ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const running = new RunningCli(child, stdin);
    this.#running.add(running);
    return running;
  }

  async run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    return await this.start(args, options).ended;
  }

  async close(): Promise<void> {
    for (const running of this.#running) running.kill("SIGKILL");
    await Promise.allSettled([...this.#running].map((running) => running.ended));
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: this.dir,
      DENO_DIR: runtimeCache(),
      ALISIO_CONFIG_HOME: this.configHome,
      ALISIO_STATE_HOME: this.stateHome,
    };
  }
}

/** Where the runtime keeps its packages: a child with another home would fetch them again. */
function runtimeCache(): string {
  const { DENO_DIR, XDG_CACHE_HOME, HOME = "", LOCALAPPDATA = "" } = Deno.env.toObject();
  if (DENO_DIR !== undefined) return DENO_DIR;
  if (Deno.build.os === "windows") return join(LOCALAPPDATA, "deno");
  if (Deno.build.os === "darwin") return join(HOME, "Library", "Caches", "deno");
  return join(XDG_CACHE_HOME ?? join(HOME, ".cache"), "deno");
}

class RunningCli implements CliProcess {
  readonly pid: number;
  readonly ended: Promise<CliResult>;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #stdout = new Captured();
  readonly #stderr = new Captured();
  #isOver = false;

  constructor(child: Deno.ChildProcess, stdin: "null" | "open" | Uint8Array) {
    this.#child = child;
    this.pid = child.pid;
    this.#stdin = stdin === "null" ? undefined : child.stdin.getWriter();
    if (stdin instanceof Uint8Array) void this.#feed(stdin);
    this.ended = this.#follow();
    this.ended.catch(() => {});
  }

  get stdin(): WritableStreamDefaultWriter<Uint8Array> {
    assert.ok(this.#stdin, "standard input is not open");
    return this.#stdin;
  }

  async event(type: string): Promise<JsonLine> {
    const line = await this.#stdout.find((text) => findEvent(text, type));
    if (line !== undefined) return line;
    throw new Error(`No event "${type}" came; ${shown(await this.ended)}`);
  }

  async outputText(pattern: Pick<RegExp, "test">): Promise<void> {
    const found = await this.#stdout.find((text) => pattern.test(text) ? text : undefined);
    if (found === undefined) {
      throw new Error(`Nothing matched ${pattern}; ${shown(await this.ended)}`);
    }
  }

  kill(signal: Deno.Signal): void {
    if (!this.#isOver) Deno.kill(this.pid, signal);
  }

  async #feed(bytes: Uint8Array): Promise<void> {
    try {
      await this.stdin.write(bytes);
      await this.stdin.close();
    } catch {
      // The command line need not read what it is given.
    }
  }

  async #follow(): Promise<CliResult> {
    const startedAt = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.kill("SIGKILL");
    }, TIME_LIMIT_MS);
    const status = this.#child.status.then((end) => {
      this.#isOver = true;
      return { ...end, durationMs: performance.now() - startedAt };
    });
    const [end] = await Promise.all([
      status,
      this.#stdout.read(this.#child.stdout),
      this.#stderr.read(this.#child.stderr),
    ]);
    clearTimeout(timer);
    await this.#stdin?.abort().catch(() => {});
    const result = {
      status: end.code,
      signal: end.signal,
      stdout: this.#stdout.text,
      stderr: this.#stderr.text,
      durationMs: end.durationMs,
    };
    if (isLate) throw new Error(`Killed after ${TIME_LIMIT_MS} ms; ${shown(result)}`);
    return result;
  }
}

/** What a stream has brought so far. */
class Captured {
  text = "";
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      this.text += decoder.decode(chunk, { stream: true });
      assert.ok(this.text.length <= MAX_STREAM_CHARS, "the command line prints without end");
      this.#signal();
    }
    this.text += decoder.decode();
    this.#isOver = true;
    this.#signal();
  }

  /** Looks again whenever something has come. Undefined when the stream ends without a find. */
  async find<T>(look: (text: string) => T | undefined): Promise<T | undefined> {
    for (;;) {
      const found = look(this.text);
      if (found !== undefined || this.#isOver) return found;
      await this.#wake.promise;
    }
  }

  #signal(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

function findEvent(text: string, type: string): JsonLine | undefined {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole === "") return undefined;
  return jsonLines({ stdout: whole }).find((line) => line.type === type);
}

function isJsonLine(value: unknown): value is JsonLine {
  return typeof value === "object" && value !== null && "type" in value &&
    typeof value.type === "string" && "schemaVersion" in value && value.schemaVersion === 1;
}
