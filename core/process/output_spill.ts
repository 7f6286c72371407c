import { dirname } from "../paths/path.ts";

/** Most that is written of one command's output. */
const MAX_SPILL_BYTES = 10 * 1024 * 1024;

/**
 * Writes the full output of a command to a file, once there is more than the capture keeps.
 *
 * Nothing is created for a command that prints little. A file that cannot be written is given up:
 * the command goes on, and {@linkcode path} stays undefined.
 */
export class OutputSpill {
  readonly #path: string;
  /** Output in order of arrival, kept until the file is known to be needed. */
  #pending: Uint8Array[] = [];
  #file: Deno.FsFile | undefined;
  #writtenBytes = 0;
  #isCut = false;
  #hasFailed = false;

  /**
   * Creates nothing yet.
   *
   * @param path Where the file goes. It must not exist; its folder is created.
   */
  constructor(path: string) {
    this.#path = path;
  }

  /** The file, once it was written. */
  get path(): string | undefined {
    return this.#file !== undefined && !this.#hasFailed ? this.#path : undefined;
  }

  /** Says where the output is, once it was written anywhere. */
  get description(): string | undefined {
    if (this.path === undefined) return undefined;
    const what = this.#isCut ? "first 10 MiB of the output" : "full output";
    return `${what} in ${JSON.stringify(this.path)}`;
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

  /** Closes the file. */
  close(): void {
    this.#pending = [];
    try {
      this.#file?.close();
    } catch {
      this.#hasFailed = true;
    }
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = Deno.openSync(this.#path, { write: true, createNew: true, mode: 0o600 });
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
