import { quotePath } from "../paths/quote_path.ts";
import { FileError, toFileError } from "./file_error.ts";
import { readUpTo } from "./read_up_to.ts";
import { openJudged, statRegularFile } from "./regular_file.ts";

/** Size up to which files are read whole, hashed and edited: 1 MiB. */
export const MAX_EDITABLE_BYTES = 1_048_576;

/**
 * Reads a whole file that is about to be changed.
 *
 * @param real Real path of the file.
 * @returns Its bytes, or null when nothing is there.
 * @throws {FileError} If it is no regular file, is too large, or cannot be read.
 */
export async function readEditableFile(real: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (statRegularFile(real, "write") === null) return null;
  try {
    using file = await openJudged(real, "write");
    return await readOpenEditableFile(file, real);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw toFileError(error, "write", real);
  }
}

/**
 * Reads an open file that is about to be changed.
 *
 * @param file The open file, at its start.
 * @param real Real path, for the message.
 * @throws {FileError} If the file is too large.
 */
export async function readOpenEditableFile(
  file: Deno.FsFile,
  real: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { size: claimedBytes } = await file.stat();
  const options = { maxBytes: MAX_EDITABLE_BYTES, claimedBytes };
  const { bytes, complete } = await readUpTo(file, options);
  if (complete) return bytes;
  throw new FileError(
    "too_large",
    `Cannot write file ${quotePath(real)}: it is larger than 1 MiB, the limit for files that ` +
      "are edited",
  );
}
