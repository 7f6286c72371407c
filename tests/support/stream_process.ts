/** Bounds of {@linkcode streamProcess}. */
export interface StreamProcessOptions {
  readonly cwd: string;
  /** Variables on top of those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the process and all that it started. */
  readonly timeoutMs: number;
  /**
   * How much of each stream is shown as it comes. Past it only the end is shown.
   *
   * @default 4 MiB
   */
  readonly maxShownBytes?: number;
  /** Where output is shown: the process's own streams, or nowhere. */
  readonly show?: "streams" | "nothing";
}

/** How a process ended. */
export interface StreamedProcess {
  /** Its status; 124 for a time limit, as `timeout` has it; 128 and more for a signal. */
  readonly code: number;
  readonly timedOut: boolean;
  /** The end of its standard output, at most 64 Ki characters. */
  readonly stdoutTail: string;
  /** The end of its standard error, at most 64 Ki characters. */
  readonly stderrTail: string;
}

interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

const TAIL_CHARS = 65_536;
const PIPE_GRACE_MS = 2_000;
const FORWARDED: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

/**
 * Runs a program, shows its output while it runs, and leaves no process behind: it has its own
 * process group, which is ended with it, on a time limit and on an interrupt.
 *
 * @param command The program.
 * @param args Its arguments.
 * @param options Bounds.
 */
export async function streamProcess(
  command: string,
  args: readonly string[],
  options: StreamProcessOptions,
): Promise<StreamedProcess> {
  const colour: Record<string, string> = Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" };
  const child = new Deno.Command(command, {
    args: [...args],
    cwd: options.cwd,
    env: { ...colour, ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const forward = FORWARDED.map((signal) => [signal, () => killGroup(child, signal)] as const);
  for (const [signal, listener] of forward) Deno.addSignalListener(signal, listener);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child, "SIGKILL");
  }, options.timeoutMs);
  const ended = new AbortController();
  const shown = options.show !== "nothing";
  const maxShownBytes = options.maxShownBytes ?? 4_194_304;
  const stdout = drain(child.stdout, shown ? Deno.stdout : null, maxShownBytes, ended.signal);
  const stderr = drain(child.stderr, shown ? Deno.stderr : null, maxShownBytes, ended.signal);
  const drained = Promise.all([stdout, stderr]);
  drained.catch(() => killGroup(child, "SIGKILL"));
  try {
    const { code } = await child.status;
    killGroup(child, "SIGKILL");
    const grace = setTimeout(() => ended.abort(), PIPE_GRACE_MS);
    const [stdoutTail, stderrTail] = await drained.finally(() => clearTimeout(grace));
    return { code: timedOut ? 124 : code, timedOut, stdoutTail, stderrTail };
  } finally {
    clearTimeout(timer);
    killGroup(child, "SIGKILL");
    for (const [signal, listener] of forward) Deno.removeSignalListener(signal, listener);
  }
}

async function drain(
  stream: ReadableStream<Uint8Array>,
  sink: Sink | null,
  maxShownBytes: number,
  ended: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  ended.addEventListener("abort", cancel, { once: true });
  let tail = "";
  let leftBytes = maxShownBytes;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    tail = (tail + decoder.decode(next.value, { stream: true })).slice(-TAIL_CHARS);
    if (sink !== null) await writeAll(sink, next.value.subarray(0, leftBytes));
    leftBytes = leftBytes > next.value.length ? leftBytes - next.value.length : 0;
  }
  ended.removeEventListener("abort", cancel);
  if (sink !== null && leftBytes === 0) {
    const text = `\n[output cut after ${maxShownBytes} bytes; its end follows]\n${tail}`;
    await writeAll(sink, new TextEncoder().encode(text));
  }
  return tail;
}

async function writeAll(sink: Sink, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await sink.write(bytes.subarray(done));
}

function killGroup(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    Deno.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}
