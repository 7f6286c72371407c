/** The start of a file. */
export interface FileStart {
  /** What was read. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether this is the whole file. */
  readonly complete: boolean;
}

/** Options of {@linkcode readUpTo}. */
export interface ReadUpToOptions {
  /** Most to read; one byte more is read to see whether the file goes on. */
  readonly maxBytes: number;
  /**
   * The size that the file claims. Only a hint: files of the system claim none, and a file may
   * grow meanwhile.
   */
  readonly claimedBytes: number;
}

/**
 * Reads an open file up to a limit.
 *
 * @param file The open file, at its start.
 * @param options How much to read.
 */
export async function readUpTo(file: Deno.FsFile, options: ReadUpToOptions): Promise<FileStart> {
  const { maxBytes, claimedBytes } = options;
  let buffer = new Uint8Array(Math.min(claimedBytes, maxBytes) + 1);
  let length = 0;
  while (length <= maxBytes) {
    const count = await file.read(buffer.subarray(length));
    if (count === null) return { bytes: buffer.subarray(0, length), complete: true };
    length += count;
    if (length < buffer.length || length > maxBytes) continue;
    const larger = new Uint8Array(Math.min(length * 2, maxBytes + 1));
    larger.set(buffer);
    buffer = larger;
  }
  return { bytes: buffer, complete: false };
}
