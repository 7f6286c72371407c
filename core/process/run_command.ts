import { errorMessage } from "../errors.ts";
import { CommandError } from "./command_error.ts";
import { OutputCapture } from "./output_capture.ts";
import type { OutputLog } from "./output_folder.ts";
import { OutputSpill } from "./output_spill.ts";
import { type LeftBehind, ProcessGroup } from "./process_group.ts";
import { type MarkedStart, type ProcessMark, startMarked } from "./process_mark.ts";
import { settlesWithin } from "./settles_within.ts";
import { StreamRedactor } from "./stream_redactor.ts";
import { keepEnd } from "./visible_text.ts";

/** How long what a command left behind may take to end politely. */
const LEFTOVER_GRACE_MS = 500;
/** How long a pipe may stay open after everything that could hold it was killed. */
const PIPE_CLOSE_MS = 100;

/** One command to run. */
export interface CommandSpec {
  /** A program by name, looked up in `PATH` of `env`, or by path. */
  readonly program: string;
  /** Passed to the program as they are. */
  readonly args: readonly string[];
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** When the command is stopped. */
  readonly timeoutMs: number;
  /** Stops the command. A signal that has aborted before starts nothing. */
  readonly signal: AbortSignal;
  /**
   * Bytes of text kept of each stream, head and tail.
   *
   * @default 32000
   */
  readonly maxCaptureBytes?: number;
  /**
   * Bytes of text kept for display, the end of it.
   *
   * @default 262144
   */
  readonly maxTerminalBytes?: number;
  /** Where the full output goes when it exceeds the capture; nothing is created otherwise. */
  readonly log?: OutputLog;
  /**
   * Makes what takes secrets out of a stream before anything else sees it. What could be the
   * beginning of a secret is passed on with the bytes that follow it.
   */
  readonly createRedactor?: () => StreamRedactor;
  /**
   * Time between the request to end and the forced end.
   *
   * @default 5000
   */
  readonly killGraceMs?: number;
  /**
   * How long a stream may be silent after the command has ended while a process that it left
   * behind holds the stream. Reading ends after five times as long in any case.
   *
   * @default 200
   */
  readonly drainMs?: number;
  /**
   * Whether processes that left the process group are looked for and killed. Costs a few
   * milliseconds and needs permission to run any program.
   *
   * @default false
   */
  readonly findEscaped?: boolean;
  /**
   * Whether the program only keeps the one that matters, ends with it, and would take it along if it
   * were asked to end first. Needs `findEscaped`.
   *
   * @default false
   */
  readonly isKeeper?: boolean;
  /**
   * What the program is called in messages.
   *
   * @default program
   */
  readonly title?: string;
  /** Passes the arguments as they are, for programs of Windows that split them themselves. */
  readonly windowsRawArguments?: boolean;
  /** Sees every piece of output as it arrives, redacted. Must neither throw nor keep the bytes. */
  readonly onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => void;
  /**
   * Takes over its standard input, once it runs; without it there is none. Must not throw. The
   * input is closed with the end of the command.
   */
  readonly onInput?: (input: WritableStreamDefaultWriter<Uint8Array>) => void;
  /** Is told once that it runs, before any output. Must not throw. */
  readonly onStarted?: (process: StartedProcess) => void;
}

/** The process of a command. */
export interface StartedProcess {
  /** Its id, which on all systems but Windows is also that of its process group. */
  readonly pid: number;
  /** What it is recognised by, where escaped processes are to be found. */
  readonly mark: Promise<ProcessMark> | null;
}

/** What a command came to. */
export interface CommandOutcome {
  /** Null when it did not exit by itself. */
  readonly exitCode: number | null;
  /** The signal that ended it, if one did. */
  readonly signal: string | null;
  /**
   * What ended it: its own exit, a signal from elsewhere, the time limit, or the caller's abort.
   */
  readonly endedBy: "exit" | "signal" | "timeout" | "cancelled";
  /** Text, head and tail where it was too much. */
  readonly stdout: string;
  /** Text, head and tail where it was too much. */
  readonly stderr: string;
  /** Bytes written, redacted, whatever was kept. */
  readonly stdoutBytes: number;
  /** Bytes written, redacted, whatever was kept. */
  readonly stderrBytes: number;
  /** Whether `stdout` or `stderr` leaves something out. */
  readonly truncated: boolean;
  /** The end of the output for display: standard output, then standard error. */
  readonly terminal: string;
  /** Whether `terminal` leaves something out. */
  readonly terminalTruncated: boolean;
  /** From the call to its end. */
  readonly durationMs: number;
  /** A command leaves nothing running: this says whether something had to be killed. */
  readonly leftBehind: LeftBehind;
  /** Where the full output is, or why it is nowhere, in words; absent where no log was needed. */
  readonly fullOutput?: string;
}

/**
 * Runs a command to its end, whatever it does.
 *
 * The command gets its own process group, standard input at its end, and nothing of this
 * process's environment. Its output is drained as fast as it comes and kept in bounded memory. At
 * the time limit or on abort the whole group is asked to end and forced `killGraceMs` later. Once
 * the command has ended, what it left running is killed and the pipes are closed from this side,
 * so the call never outlasts its limits because something else holds a pipe. When this process exits
 * meanwhile, the group is killed with it.
 *
 * @param spec The command.
 * @throws {CommandError} If the command cannot be started.
 */
export async function runCommand(spec: CommandSpec): Promise<CommandOutcome> {
  const startedAt = performance.now();
  const output = new CommandOutput(spec);
  if (spec.signal.aborted) return output.finish(startedAt, NEVER_STARTED);
  const { child, mark } = await startChild(spec);
  const group = new ProcessGroup(child, {
    mark,
    cwd: spec.cwd,
    startedAt,
    isKeeper: spec.isKeeper ?? false,
  });
  const keepOnExit = group.killOnExit();
  const input = spec.onInput === undefined ? undefined : child.stdin.getWriter();
  if (input !== undefined) spec.onInput?.(input);
  spec.onStarted?.({ pid: child.pid, mark: mark?.confirmed ?? null });
  const streams = output.read(child);
  try {
    return output.finish(startedAt, await followToEnd(spec, child, group, streams));
  } finally {
    keepOnExit();
    await input?.abort().catch(() => {});
    await streams.close();
    output.close();
  }
}

interface CommandEnd {
  readonly status: Deno.CommandStatus | null;
  readonly reason: "ended" | "timeout" | "cancelled";
  readonly leftBehind: LeftBehind;
}

const NEVER_STARTED: CommandEnd = { status: null, reason: "cancelled", leftBehind: "none" };

interface OutputStreams {
  /** Settles when both streams are at their end. */
  readonly ended: Promise<void>;
  /** When something arrived last. */
  readonly lastOutputAt: () => number;
  /** Closes both streams, whoever else holds them. */
  readonly close: () => Promise<void>;
}

async function followToEnd(
  spec: CommandSpec,
  child: Deno.ChildProcess,
  group: ProcessGroup,
  streams: OutputStreams,
): Promise<CommandEnd> {
  const graceMs = spec.killGraceMs ?? 5_000;
  const status = child.status.catch(() => null);
  const reason = await firstReason(status, spec);
  let leftBehind: LeftBehind = reason === "ended" ? "none" : await group.stop(graceMs);
  const isDrained = await drain(streams, spec.drainMs ?? 200);
  if (reason === "ended") {
    leftBehind = await group.endLeftovers(Math.min(graceMs, LEFTOVER_GRACE_MS));
  }
  if (!isDrained) {
    const isClosed = await settlesWithin(streams.ended, PIPE_CLOSE_MS);
    leftBehind = isClosed ? "killed" : "unknown";
  }
  // A leader that even SIGKILL does not end is left to the system.
  return { status: await settledValue(status), reason, leftBehind };
}

async function settledValue<T>(promise: Promise<T>): Promise<T | null> {
  return await Promise.race([promise, Promise.resolve(null)]);
}

async function firstReason(
  status: Promise<unknown>,
  spec: CommandSpec,
): Promise<CommandEnd["reason"]> {
  const stopped = Promise.withResolvers<CommandEnd["reason"]>();
  const cancel = () => stopped.resolve("cancelled");
  const timer = setTimeout(() => stopped.resolve("timeout"), spec.timeoutMs);
  spec.signal.addEventListener("abort", cancel, { once: true });
  if (spec.signal.aborted) cancel();
  try {
    return await Promise.race([status.then(() => "ended" as const), stopped.promise]);
  } finally {
    clearTimeout(timer);
    spec.signal.removeEventListener("abort", cancel);
  }
}

/** Reads on while output still comes. Whether the streams came to their end. */
async function drain(streams: OutputStreams, silenceMs: number): Promise<boolean> {
  const startedAt = performance.now();
  for (;;) {
    const quietAt = Math.max(startedAt, streams.lastOutputAt()) + silenceMs;
    const waitMs = Math.min(quietAt, startedAt + 5 * silenceMs) - performance.now();
    if (waitMs <= 0) return false;
    if (await settlesWithin(streams.ended, waitMs)) return true;
  }
}

type StreamName = "stdout" | "stderr";

/** Both output streams of one command, on their way to text. */
class CommandOutput {
  readonly #spec: CommandSpec;
  readonly #captures: Readonly<Record<StreamName, OutputCapture>>;
  readonly #redactors: Readonly<Record<StreamName, StreamRedactor>>;
  readonly #spill: OutputSpill | undefined;
  readonly #maxTerminalBytes: number;
  #lastOutputAt = 0;

  constructor(spec: CommandSpec) {
    this.#spec = spec;
    this.#maxTerminalBytes = spec.maxTerminalBytes ?? 256 * 1024;
    const createCapture = () =>
      new OutputCapture(spec.maxCaptureBytes ?? 32_000, this.#maxTerminalBytes);
    const createRedactor = spec.createRedactor ?? (() => new StreamRedactor([]));
    this.#captures = { stdout: createCapture(), stderr: createCapture() };
    this.#redactors = { stdout: createRedactor(), stderr: createRedactor() };
    this.#spill = spec.log === undefined ? undefined : new OutputSpill(spec.log);
  }

  read(child: Deno.ChildProcess): OutputStreams {
    const stdout = child.stdout.getReader();
    const stderr = child.stderr.getReader();
    const pumps = [this.#pump(stdout, "stdout"), this.#pump(stderr, "stderr")];
    return {
      ended: Promise.all(pumps).then(() => undefined),
      lastOutputAt: () => this.#lastOutputAt,
      close: async () => {
        await Promise.allSettled([stdout.cancel(), stderr.cancel()]);
      },
    };
  }

  finish(startedAt: number, end: CommandEnd): CommandOutcome {
    for (const name of ["stdout", "stderr"] as const) this.#take(this.#redactors[name].end(), name);
    const fullOutput = this.#spill?.description;
    const stdout = this.#captures.stdout.text(fullOutput);
    const stderr = this.#captures.stderr.text(fullOutput);
    const { status, reason, leftBehind } = end;
    const signal = status?.signal ?? null;
    return {
      exitCode: signal === null ? status?.code ?? null : null,
      signal,
      endedBy: reason === "ended" ? signal === null ? "exit" : "signal" : reason,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes: this.#captures.stdout.totalBytes,
      stderrBytes: this.#captures.stderr.totalBytes,
      truncated: stdout.truncated || stderr.truncated,
      ...this.#terminal(),
      durationMs: Math.round(performance.now() - startedAt),
      leftBehind,
      ...(fullOutput === undefined ? {} : { fullOutput }),
    };
  }

  close(): void {
    this.#spill?.close();
  }

  async #pump(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    name: StreamName,
  ): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#lastOutputAt = performance.now();
        this.#take(this.#redactors[name].write(value), name);
      }
    } catch {
      // A broken pipe ends the stream; the exit status tells how the command fared.
      await reader.cancel().catch(() => undefined);
    }
  }

  #take(bytes: Uint8Array, name: StreamName): void {
    if (bytes.length === 0) return;
    const { stdout, stderr } = this.#captures;
    this.#captures[name].write(bytes);
    this.#spill?.write(bytes, stdout.isOverLimit || stderr.isOverLimit);
    this.#spec.onOutput?.(bytes, name);
  }

  #terminal(): Pick<CommandOutcome, "terminal" | "terminalTruncated"> {
    const { stdout, stderr } = this.#captures;
    const max = this.#maxTerminalBytes;
    const both = stdout.tail(max) + stderr.tail(max);
    const terminal = keepEnd(both, max);
    const totalBytes = stdout.totalBytes + stderr.totalBytes;
    return { terminal, terminalTruncated: terminal !== both || totalBytes > max };
  }
}

interface StartedChild {
  readonly child: Deno.ChildProcess;
  readonly mark: MarkedStart<unknown> | null;
}

async function startChild(spec: CommandSpec): Promise<StartedChild> {
  const words = [spec.program, ...spec.args];
  const flaw = words.some((word) => word.includes("\0"))
    ? "a NUL character"
    : words.some((word) => !word.isWellFormed())
    ? "half of a surrogate pair"
    : null;
  if (flaw !== null) {
    throw new CommandError(
      "arguments_invalid",
      `Cannot run ${quoted(spec.title ?? spec.program)}: an argument holds ${flaw}; leave it out`,
    );
  }
  try {
    if (spec.findEscaped !== true) return { child: spawn(spec, {}), mark: null };
    const mark = startMarked((variable) => spawn(spec, variable));
    return { child: mark.child, mark };
  } catch (error) {
    throw await explainStart(spec, error);
  }
}

function spawn(spec: CommandSpec, variable: Readonly<Record<string, string>>): Deno.ChildProcess {
  return new Deno.Command(spec.program, {
    args: [...spec.args],
    cwd: spec.cwd,
    clearEnv: true,
    env: { ...spec.env, ...variable },
    stdin: spec.onInput === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: Deno.build.os !== "windows",
    windowsRawArguments: spec.windowsRawArguments ?? false,
  }).spawn();
}

async function explainStart(spec: CommandSpec, error: unknown): Promise<CommandError> {
  const what = `Cannot run ${quoted(spec.title ?? spec.program)}`;
  const options = { cause: error };
  if (!await isDirectory(spec.cwd)) {
    return new CommandError(
      "cwd_missing",
      `${what}: the working directory ${quoted(spec.cwd)} is gone or is not a directory`,
      options,
    );
  }
  if (error instanceof Deno.errors.NotFound) {
    const where = /[/\\]/.test(spec.program) ? "that file does not exist" : "it is not in PATH";
    return new CommandError("program_not_found", `${what}: ${where}`, options);
  }
  if (error instanceof Deno.errors.NotCapable) {
    return new CommandError(
      "permission_denied",
      `${what}: this run may not start it; the permissions of the Alisio process exclude it`,
      options,
    );
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return new CommandError(
      "program_not_executable",
      `${what}: the system does not let it be executed; check that it is a program and its mode`,
      options,
    );
  }
  if (error instanceof Error && "code" in error && error.code === "E2BIG") {
    return new CommandError(
      "arguments_invalid",
      `${what}: the arguments are longer than the system accepts; pass a file instead`,
      options,
    );
  }
  return new CommandError("spawn_failed", `${what}: ${errorMessage(error).slice(0, 300)}`, options);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    // A folder that may not be looked at is not the reason to give.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
