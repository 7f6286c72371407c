/** The start of a file. */
export interface FileStart {
  /** What was read. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether this is the whole file. */
  readonly complete: boolean;
}

/**
 * Reads an open file up to a limit. The size that the file claims is only a hint: files of the
 * system claim none, and a file may grow meanwhile.
 *
 * @param file The open file, at its start.
 * @param maxBytes Most to read; one byte more is read to see whether the file goes on.
 */
export async function readUpTo(file: Deno.FsFile, maxBytes: number): Promise<FileStart> {
  const { size } = await file.stat();
  let buffer = new Uint8Array(Math.min(size, maxBytes) + 1);
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
