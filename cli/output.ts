import { errorMessage } from "../core/errors.ts";

/** Where a command prints. */
export interface Output {
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  /** Whether standard output is a terminal. */
  readonly outIsTerminal: boolean;
  /** Whether standard error is a terminal. */
  readonly errIsTerminal: boolean;
}

/**
 * Creates the output of the process. Writes are complete when they return.
 *
 * @param onClosed Called once when standard output cannot be written any more, with the reason.
 */
export function createOutput(onClosed: (reason: Error) => void): Output {
  const encoder = new TextEncoder();
  let closed = false;
  return {
    out(text) {
      if (closed) return;
      try {
        writeAll(Deno.stdout, encoder.encode(text));
      } catch (error) {
        // The reader may leave before the end, like `head`; anything else is a full disk.
        closed = true;
        const reason = error instanceof Deno.errors.BrokenPipe
          ? "its reader has gone"
          : errorMessage(error);
        onClosed(new Error(`Cannot write to standard output: ${reason}`, { cause: error }));
      }
    },
    err(text) {
      try {
        writeAll(Deno.stderr, encoder.encode(text));
      } catch {
        // There is nowhere left to say it.
      }
    },
    outIsTerminal: Deno.stdout.isTerminal(),
    errIsTerminal: Deno.stderr.isTerminal(),
  };
}

function writeAll(
  stream: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  let written = 0;
  while (written < bytes.length) written += stream.writeSync(bytes.subarray(written));
}
