import { createOutputLog, type OutputLog, outputLogPath } from "./output_folder.ts";

/** Most that is written of one command's output. */
const MAX_SPILL_BYTES = 10 * 1024 * 1024;

/**
 * Writes the full output of a command to a log, once there is more than the capture keeps.
 *
 * Nothing is created for a command that prints little. A log that cannot be written is given up:
 * the command goes on, and {@linkcode description} says so.
 */
export class OutputSpill {
  readonly #log: OutputLog;
  /** Output in order of arrival, kept until the log is known to be needed. */
  #pending: Uint8Array[] = [];
  #file: Deno.FsFile | undefined;
  #writtenBytes = 0;
  #isCut = false;
  #hasFailed = false;

  /**
   * Creates nothing yet.
   *
   * @param log Where the output goes.
   */
  constructor(log: OutputLog) {
    this.#log = log;
  }

  /** Says where the output is, or that it is nowhere, once a log was needed. */
  get description(): string | undefined {
    if (this.#hasFailed) return "the rest was dropped, because no log of it could be written";
    if (this.#file === undefined) return undefined;
    const what = this.#isCut ? "first 10 MiB of the output" : "full output";
    return `${what} in ${JSON.stringify(outputLogPath(this.#log))}`;
  }

  /**
   * Takes the next bytes of either stream.
   *
   * @param bytes Copied.
   * @param isNeeded Whether the capture has begun to leave something out.
   */
  write(bytes: Uint8Array, isNeeded: boolean): void {
    if (this.#hasFailed || this.#isCut) return;
    try {
      if (this.#file === undefined && !isNeeded) {
        this.#pending.push(bytes.slice());
        return;
      }
      this.#file ??= this.#open();
      this.#append(bytes);
    } catch {
      this.#hasFailed = true;
      this.#pending = [];
    }
  }

  /** Closes the log. */
  close(): void {
    this.#pending = [];
    try {
      this.#file?.close();
    } catch {
      this.#hasFailed = true;
    }
  }

  #open(): Deno.FsFile {
    const file = createOutputLog(this.#log, MAX_SPILL_BYTES);
    this.#file = file;
    for (const bytes of this.#pending) this.#append(bytes);
    this.#pending = [];
    return file;
  }

  #append(bytes: Uint8Array): void {
    let rest = bytes.subarray(0, MAX_SPILL_BYTES - this.#writtenBytes);
    if (rest.length < bytes.length) this.#isCut = true;
    while (rest.length > 0 && this.#file !== undefined) {
      const written = this.#file.writeSync(rest);
      this.#writtenBytes += written;
      rest = rest.subarray(written);
    }
  }
}
