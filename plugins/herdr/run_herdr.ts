import type { HerdrPane } from "./pane.ts";

/** How Herdr's program ended. */
export type HerdrRun =
  | {
    readonly status: "ended";
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  /** Nothing ran. */
  | { readonly status: "not_started"; readonly reason: string }
  /** It was killed, and may have done its work before. */
  | { readonly status: "killed"; readonly reason: string };

/** Limits of one start of Herdr's program. */
export interface HerdrRunOptions {
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Most that is kept of each stream. */
const MAX_STREAM_BYTES = 512 * 1024;

/**
 * Runs Herdr's program once. Never throws, and never waits for longer than its limit.
 *
 * @param pane Where it is.
 * @param args Its arguments, each passed on as it is: no shell reads them.
 * @param options Its limits.
 */
export async function runHerdr(
  pane: HerdrPane,
  args: readonly string[],
  { timeoutMs, signal }: HerdrRunOptions,
): Promise<HerdrRun> {
  if (signal?.aborted === true) return { status: "not_started", reason: "it was cancelled" };
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(pane.program, {
      args: [...args],
      clearEnv: true,
      env: pane.env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    return { status: "not_started", reason: reasonOf(error) };
  }
  const streams = [new BoundedText(child.stdout), new BoundedText(child.stderr)] as const;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<string>();
  const timer = setTimeout(() => stop(`it did not end within ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => stop("it was cancelled");
  signal?.addEventListener("abort", onAbort, { once: true });
  const ended = Promise.all([child.status, streams[0].text, streams[1].text]);
  try {
    const outcome = await Promise.race([ended, stopped]);
    if (typeof outcome !== "string") {
      const [{ code }, stdout, stderr] = outcome;
      return { status: "ended", code, stdout, stderr };
    }
    kill(child);
    return { status: "killed", reason: outcome };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    // What it started may hold the streams open for longer than it lives itself.
    await Promise.all(streams.map((stream) => stream.close()));
    await child.status;
  }
}

/** Reads a stream to its end, and keeps the beginning of it. */
class BoundedText {
  /** The beginning of the stream, once it has ended or was closed. */
  readonly text: Promise<string>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.text = this.#read();
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let bytes = 0;
    while (true) {
      const { done, value } = await this.#reader.read();
      if (done) return text + decoder.decode();
      const kept = value.subarray(0, MAX_STREAM_BYTES - bytes);
      bytes += kept.length;
      text += decoder.decode(kept, { stream: true });
    }
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such program";
  if (error instanceof Deno.errors.NotCapable) return "this run may not start it";
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");
}
