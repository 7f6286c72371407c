import { openJudged, statRegularFile } from "../core/files/regular_file.ts";

/** What is shown of a file, as another program has read it. */
export interface ShownBytes {
  /** Where it begins in the text of the file, in bytes of UTF-8 and without a byte-order mark. */
  readonly offset: number;
  /** The bytes. */
  readonly bytes: Uint8Array;
}

/** Most of a UTF-16 file that is decoded to find a line in it. */
const MAX_DECODED_BYTES = 16 * 1024 * 1024;

/**
 * Says which pieces of a file really are in the file at a path. A program that goes through folders
 * opens them by name, so that a folder may be exchanged for a link while it does; what it read then
 * is not in the file that the path leads to.
 *
 * @param path Absolute path of the file.
 * @param pieces What was read.
 * @returns One answer for each piece; all false if the path leads through a link, or to no file.
 */
export async function confirmShown(
  path: string,
  pieces: readonly ShownBytes[],
): Promise<readonly boolean[]> {
  try {
    if (statRegularFile(path, "read") === null) return pieces.map(() => false);
    using file = await openJudged(path, "read");
    return confirmIn(file, pieces);
  } catch {
    // Gone, replaced or closed by now: nothing of it can be confirmed.
    return pieces.map(() => false);
  }
}

function confirmIn(file: Deno.FsFile, pieces: readonly ShownBytes[]): readonly boolean[] {
  const start = readAt(file, 0, 3);
  const [first, second, third] = start;
  if (first === 0xff && second === 0xfe) return confirmDecoded(file, "utf-16le", pieces);
  if (first === 0xfe && second === 0xff) return confirmDecoded(file, "utf-16be", pieces);
  const bomBytes = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  return pieces.map(({ offset, bytes }) =>
    isEqual(readAt(file, bomBytes + offset, bytes.length), bytes)
  );
}

function confirmDecoded(
  file: Deno.FsFile,
  encoding: "utf-16le" | "utf-16be",
  pieces: readonly ShownBytes[],
): readonly boolean[] {
  const size = Math.min(file.statSync().size, MAX_DECODED_BYTES);
  const text = new TextDecoder(encoding).decode(readAt(file, 0, size));
  const decoded = new TextEncoder().encode(text);
  return pieces.map(({ offset, bytes }) =>
    isEqual(decoded.subarray(offset, offset + bytes.length), bytes)
  );
}

function readAt(file: Deno.FsFile, offset: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  file.seekSync(offset, Deno.SeekMode.Start);
  const bytes = new Uint8Array(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const count = file.readSync(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function isEqual(first: Uint8Array, second: Uint8Array): boolean {
  return first.length === second.length && first.every((byte, index) => byte === second[index]);
}
