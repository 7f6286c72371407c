import { errorMessage } from "../core/errors.ts";
import { settlesWithin } from "../core/process/settles_within.ts";
import { visibleLines } from "../core/process/visible_text.ts";

/** Where a command prints. */
export interface Output {
  /** Adds to standard output. */
  out(text: string): void;
  /** Adds to standard error, which people read: what could drive a terminal is shown. */
  err(text: string): void;
  /**
   * A wait for the reader, while much is still to be written. Settles when that is not so any more,
   * never fails, and lasts as long as the reader takes.
   */
  drained(): Promise<void> | undefined;
  /** Waits until everything is written, or cannot be. */
  flush(): Promise<void>;
  /** Whether standard output is a terminal. */
  readonly outIsTerminal: boolean;
  /** Whether standard error is a terminal. */
  readonly errIsTerminal: boolean;
}

/** The output of the process, which has an end. */
export interface ProcessOutput extends Output {
  /**
   * Waits for the reader of standard output no longer: what it has not taken is dropped, and
   * standard error gets a moment to take the rest.
   */
  abandon(): Promise<void>;
}

/** One end of the process that takes bytes. */
export interface ByteWriter {
  /**
   * Writes the start of some bytes.
   *
   * @param bytes The bytes.
   * @returns How many were written.
   */
  write(bytes: Uint8Array): Promise<number>;
}

/** The two streams that a process prints to. */
export interface OutputStreams {
  /** Standard output. */
  readonly stdout: ByteWriter;
  /** Standard error. */
  readonly stderr: ByteWriter;
}

/** More than this waiting to be written is much. */
export const MAX_QUEUED_BYTES = 64 * 1024;

/** How long standard error may take once nobody waits for standard output. */
const LAST_WORDS_MS = 500;

/**
 * Creates the output of the process.
 *
 * Both streams are written in the order of the calls, and in the background: a reader that pauses
 * holds up nothing but {@linkcode Output.drained}.
 *
 * @param onClosed Called once when standard output cannot be written any more, with the reason.
 * @param streams Where it writes.
 */
export function createOutput(
  onClosed: (reason: Error) => void,
  streams: OutputStreams = { stdout: Deno.stdout, stderr: Deno.stderr },
): ProcessOutput {
  const queue = new OutputQueue(streams, onClosed);
  return {
    out: (text) => queue.add("stdout", text),
    err: (text) => queue.add("stderr", visibleLines(text)),
    drained: () => queue.drained(),
    flush: () => queue.flush(),
    abandon: () => queue.abandon(),
    outIsTerminal: Deno.stdout.isTerminal(),
    errIsTerminal: Deno.stderr.isTerminal(),
  };
}

interface Piece {
  readonly stream: keyof OutputStreams;
  readonly bytes: Uint8Array;
}

class OutputQueue {
  readonly #streams: OutputStreams;
  readonly #onClosed: (reason: Error) => void;
  readonly #encoder = new TextEncoder();
  #pieces: Piece[] = [];
  /** Of the pieces, and of what is being written. */
  #bytes = 0;
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(streams: OutputStreams, onClosed: (reason: Error) => void) {
    this.#streams = streams;
    this.#onClosed = onClosed;
  }

  add(stream: keyof OutputStreams, text: string): void {
    if (text === "" || (stream === "stdout" && this.#isClosed)) return;
    const bytes = this.#encoder.encode(text);
    this.#pieces.push({ stream, bytes });
    this.#bytes += bytes.length;
    this.#writing ??= this.#writeAll();
  }

  drained(): Promise<void> | undefined {
    if (this.#bytes <= MAX_QUEUED_BYTES) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async abandon(): Promise<void> {
    this.#isClosed = true;
    const rest = this.#pieces.filter(({ stream }) => stream === "stderr");
    this.#pieces = [];
    this.#drained?.resolve();
    await settlesWithin(this.#writeEach(rest), LAST_WORDS_MS);
  }

  async #writeAll(): Promise<void> {
    while (this.#pieces.length > 0) {
      const piece = this.#take();
      await this.#write(piece);
      this.#bytes -= piece.bytes.length;
      if (this.#bytes <= MAX_QUEUED_BYTES) {
        this.#drained?.resolve();
        this.#drained = undefined;
      }
    }
    this.#writing = undefined;
  }

  async #writeEach(pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) await this.#write(piece);
  }

  /** Takes the next pieces of one stream together, up to a size that one write is good for. */
  #take(): Piece {
    const stream = this.#pieces[0]?.stream ?? "stdout";
    let count = 0;
    let length = 0;
    for (const piece of this.#pieces) {
      const isTooMuch = count > 0 && length + piece.bytes.length > MAX_QUEUED_BYTES;
      if (piece.stream !== stream || isTooMuch) break;
      count += 1;
      length += piece.bytes.length;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of this.#pieces.splice(0, count)) {
      bytes.set(piece.bytes, at);
      at += piece.bytes.length;
    }
    return { stream, bytes };
  }

  async #write({ stream, bytes }: Piece): Promise<void> {
    if (stream === "stdout" && this.#isClosed) return;
    try {
      for (let done = 0; done < bytes.length;) {
        done += await this.#streams[stream].write(bytes.subarray(done));
      }
    } catch (error) {
      // Of standard error there is nowhere left to say it.
      if (stream === "stdout") this.#close(error);
    }
  }

  /** The reader may leave before the end, like `head`; anything else is a full disk. */
  #close(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const reason = error instanceof Deno.errors.BrokenPipe
      ? "its reader has gone"
      : errorMessage(error);
    this.#onClosed(new Error(`Cannot write to standard output: ${reason}`, { cause: error }));
  }
}
