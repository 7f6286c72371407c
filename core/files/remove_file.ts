import { leadsTo } from "../paths/leads_to.ts";
import { quotePath } from "../paths/quote_path.ts";
import { readOpenEditableFile } from "./editable_file.ts";
import { FileError, toFileError } from "./file_error.ts";
import { openLocked } from "./file_lock.ts";
import { pathChanged, statRegularFile } from "./regular_file.ts";
import { sha256Hex } from "./sha256.ts";

/**
 * Removes a file, if it still holds what it is thought to hold. Folders stay.
 *
 * @param real Real path of the file.
 * @param options The SHA-256 that it must have, and what ends the wait for another writer.
 * @throws {FileError} If the file is not as expected, or the system refuses; nothing has changed.
 */
export async function removeFile(
  real: string,
  { expectedHash, signal }: { readonly expectedHash: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    if (statRegularFile(real, "write") === null) throw changed(real);
    using file = await openLocked(real, { signal });
    const bytes = await readOpenEditableFile(file, real);
    if (await sha256Hex(bytes) !== expectedHash) throw changed(real);
    signal.throwIfAborted();
    if (leadsTo(real, file) !== "here") throw pathChanged(real, "write");
    await Deno.remove(real);
  } catch (error) {
    throw toFileError(error, "write", real);
  }
}

function changed(real: string): FileError {
  return new FileError("changed", `Cannot remove file ${quotePath(real)}: it has changed`);
}
