import {
  type CommandOutcome,
  type CommandSpec,
  runCommand,
} from "../../core/process/run_command.ts";
import type { CallAnswer } from "./call_queue.ts";
import type { SnippetOrder } from "./snippet_child.ts";
import { parseSnippetMessage } from "./snippet_message.ts";
import type { SnippetStarter } from "./snippet_starter.ts";
import type { WorldMessage } from "./snippet_world.ts";

/** How the process of a snippet is run. */
export interface SnippetRun {
  readonly starter: SnippetStarter;
  readonly order: SnippetOrder;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Runs a program. */
  readonly run?: (spec: CommandSpec) => Promise<CommandOutcome>;
  /** Is told of each call, and answers it once. */
  readonly onCall: (
    call: Extract<WorldMessage, { type: "call" }>,
    answer: (answer: CallAnswer) => void,
  ) => void;
}

/** How a snippet ended. */
export type SnippetEnd =
  | { readonly kind: "returned"; readonly value?: string; readonly isCut: boolean }
  | { readonly kind: "threw"; readonly error: string }
  | { readonly kind: "timeout" | "memory" | "cancelled" }
  /** It said more than it may. */
  | { readonly kind: "flood" }
  /** Its process ended without a word. */
  | { readonly kind: "died"; readonly detail: string };

/** What came of a snippet. */
export interface SnippetOutcome {
  readonly end: SnippetEnd;
  readonly console: readonly string[];
}

/** Characters of one message; a file that is written is one. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;
/** Bytes of everything that the process writes. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Characters kept of the console. */
const MAX_CONSOLE_CHARS = 20_000;
const MAX_CONSOLE_LINES = 2_000;
const MAX_CALL_MESSAGES = 10_000;
const MEMORY_REGEXP = /out of memory|Array buffer allocation|allocation failed|heap limit/i;

/**
 * Runs the process of a snippet to its end, which comes at the latest with its limit, whatever it
 * does. It is killed, never asked.
 *
 * @param options How.
 * @throws {CommandError} If it cannot be started.
 */
export async function runSnippet(options: SnippetRun): Promise<SnippetOutcome> {
  const stop = new AbortController();
  const reader = new SnippetReader(options, () => stop.abort());
  const { starter, timeoutMs, order } = options;
  const outcome = await (options.run ?? runCommand)({
    ...starter,
    timeoutMs,
    signal: AbortSignal.any([options.signal, stop.signal]),
    killGraceMs: 0,
    drainMs: 50,
    maxCaptureBytes: 4_000,
    maxTerminalBytes: 1,
    title: "a snippet",
    onInput: (input) => reader.begin(input, order),
    onOutput: (bytes, stream) => stream === "stdout" && reader.take(bytes),
  });
  reader.close();
  return { end: reader.end ?? endOf(outcome, options.signal), console: reader.console };
}

function endOf(outcome: CommandOutcome, signal: AbortSignal): SnippetEnd {
  if (signal.aborted) return { kind: "cancelled" };
  if (outcome.endedBy === "timeout") return { kind: "timeout" };
  if (MEMORY_REGEXP.test(outcome.stderr)) return { kind: "memory" };
  const how = outcome.signal === null ? `status ${outcome.exitCode}` : outcome.signal;
  return { kind: "died", detail: `${how}: ${outcome.stderr.trim().slice(0, 500)}` };
}

/** Takes what the process of a snippet says. Nothing of it is trusted, and all of it is bounded. */
class SnippetReader {
  readonly #onCall: SnippetRun["onCall"];
  readonly #stop: () => void;
  readonly #decoder = new TextDecoder();
  readonly console: string[] = [];
  end: SnippetEnd | null = null;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #parts: string[] = [];
  #partChars = 0;
  #bytes = 0;
  #calls = 0;
  #consoleChars = 0;

  constructor({ onCall }: Pick<SnippetRun, "onCall">, stop: () => void) {
    this.#onCall = onCall;
    this.#stop = stop;
  }

  begin(input: WritableStreamDefaultWriter<Uint8Array>, order: SnippetOrder): void {
    this.#input = input;
    this.#write(order);
  }

  take(bytes: Uint8Array): void {
    if (this.end !== null) return;
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_OUTPUT_BYTES) return this.#finish({ kind: "flood" });
    let text = this.#decoder.decode(bytes, { stream: true });
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n")) {
      const line = this.#parts.join("") + text.slice(0, at);
      this.#parts = [];
      this.#partChars = 0;
      text = text.slice(at + 1);
      this.#takeLine(line);
      if (this.end !== null) return;
    }
    this.#parts.push(text);
    this.#partChars += text.length;
    if (this.#partChars > MAX_LINE_CHARS) this.#finish({ kind: "flood" });
  }

  close(): void {
    this.#input = undefined;
    this.#parts = [];
  }

  #takeLine(line: string): void {
    const message = line.length > MAX_LINE_CHARS ? null : parseSnippetMessage(line);
    switch (message?.type) {
      case "call":
        this.#calls += 1;
        if (this.#calls > MAX_CALL_MESSAGES) return this.#finish({ kind: "flood" });
        return this.#onCall(message, ({ ok, text }) => this.#write({ id: message.id, ok, text }));
      case "log":
        return this.#log(message.text);
      case "end":
        return this.#finish(
          message.ok
            ? {
              kind: "returned",
              isCut: message.cut ?? false,
              ...(message.value === undefined ? {} : { value: message.value }),
            }
            : { kind: "threw", error: message.error },
        );
      default:
        return this.#finish({ kind: "flood" });
    }
  }

  #log(text: string): void {
    if (this.console.length >= MAX_CONSOLE_LINES || this.#consoleChars > MAX_CONSOLE_CHARS) return;
    const shown = text.slice(0, MAX_CONSOLE_CHARS);
    this.#consoleChars += shown.length + 1;
    this.console.push(shown);
  }

  #finish(end: SnippetEnd): void {
    this.end = end;
    this.#stop();
  }

  #write(message: unknown): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    // A process that has ended needs no answer.
    this.#input?.write(bytes).catch(() => {});
  }
}
