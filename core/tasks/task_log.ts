import { dirname, join } from "../paths/path.ts";
import { TailBuffer } from "../process/tail_buffer.ts";
import { nextCharacterStart } from "../process/visible_text.ts";

/** How much of the end is kept of output that does not fit. */
export const LOG_TAIL_BYTES = 32 * 1024;
/** A character has three continuation bytes at most. */
const MAX_CONTINUATION_BYTES = 3;

/**
 * Path of the log of a task, below the state folder.
 *
 * @param rootSessionId The session that it belongs to.
 * @param id The task.
 */
export function taskLogPath(rootSessionId: string, id: string): string {
  return join("tasks", rootSessionId, `${id}.log`);
}

/**
 * The log of one task: what it printed first, and at its end a line that says what was left out,
 * and what it printed last. What was written once never moves, so that offsets stay what they are.
 *
 * A log that cannot be written any more, as on a full disk, is given up; the task goes on.
 */
export class TaskLog {
  readonly #file: Deno.FsFile;
  readonly #maxBytes: number;
  readonly #tail = new TailBuffer(LOG_TAIL_BYTES);
  #writtenBytes = 0;
  #heldBytes = 0;
  /** Whether the head has its last byte. */
  #isFull = false;
  #continuations = 0;
  #failure: unknown;

  /**
   * Creates the file (0600) and its folder (0700).
   *
   * @param path Where it goes; nothing may be there.
   * @param maxBytes How much of the beginning is kept, to the end of its last character.
   * @throws If it cannot be created.
   */
  constructor(path: string, maxBytes: number) {
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
    this.#maxBytes = maxBytes;
  }

  /** Bytes in the file. */
  get bytes(): number {
    return this.#writtenBytes;
  }

  /** Whether something of the output is not in the file, or not yet. */
  get isTruncated(): boolean {
    return this.#heldBytes > 0 || this.#failure !== undefined;
  }

  /** What kept it from being written, if anything did. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Takes the next bytes of the output.
   *
   * @param bytes Copied.
   */
  write(bytes: Uint8Array): void {
    const headLength = this.#isFull ? 0 : this.#roomIn(bytes);
    this.#append(bytes.subarray(0, headLength));
    this.#heldBytes += bytes.length - headLength;
    this.#tail.write(bytes.subarray(headLength));
  }

  /** Adds the end of the output, and closes the file. */
  close(): void {
    const tail = this.#tail.last(LOG_TAIL_BYTES);
    const isWhole = tail.length === this.#heldBytes;
    const end = isWhole ? tail : tail.subarray(nextCharacterStart(tail, 0));
    if (!isWhole) {
      const left = this.#heldBytes - end.length;
      this.#append(new TextEncoder().encode(
        `\n[output cut: ${left} bytes are left out here; the last ${end.length} bytes follow]\n`,
      ));
    }
    this.#append(end);
    if (isWhole) this.#heldBytes = 0;
    try {
      this.#file.close();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** How much of the bytes belongs to the head, which ends with a whole character. */
  #roomIn(bytes: Uint8Array): number {
    const room = this.#maxBytes - this.#writtenBytes;
    if (bytes.length <= room) return bytes.length;
    let end = Math.max(0, room);
    while (end < bytes.length && this.#continuations < MAX_CONTINUATION_BYTES) {
      if (((bytes[end] ?? 0) & 0xc0) !== 0x80) break;
      this.#continuations++;
      end++;
    }
    this.#isFull = end < bytes.length || this.#continuations === MAX_CONTINUATION_BYTES;
    return end;
  }

  #append(bytes: Uint8Array): void {
    let rest = bytes;
    try {
      while (rest.length > 0 && this.#failure === undefined) {
        const written = this.#file.writeSync(rest);
        this.#writtenBytes += written;
        rest = rest.subarray(written);
      }
    } catch (error) {
      this.#failure = error;
    }
  }
}
