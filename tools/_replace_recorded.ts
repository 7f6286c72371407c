import { type ReplacedFile, replaceFile } from "../core/files/atomic_write.ts";
import { sha256Hex } from "../core/files/sha256.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";

/** A file that gets new content. */
export interface Replacement {
  /** Real path of the file. */
  readonly real: string;
  /** What it held when it was read; null where it was not there. */
  readonly before: Uint8Array<ArrayBuffer> | null;
  /** The new content. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 that it must have at the last moment; null when it must not exist. */
  readonly expectedHash: string | null;
}

/**
 * Gives a file new content, with a record of what it held before, so that it can be put back.
 *
 * @param replacement The file.
 * @param context The call.
 * @throws {FileError} If the file is not as expected, or the system refuses; nothing has changed.
 */
export async function replaceRecorded(
  { real, before, bytes, expectedHash }: Replacement,
  { signal, recordChange }: Pick<HostToolContext, "signal" | "recordChange">,
): Promise<ReplacedFile> {
  const change = await recordChange?.({
    path: real,
    before,
    beforeHash: expectedHash,
    afterHash: await sha256Hex(bytes),
  });
  try {
    const replaced = await replaceFile(real, bytes, { expectedHash, signal });
    change?.done();
    return replaced;
  } catch (error) {
    await change?.failed();
    throw error;
  }
}
