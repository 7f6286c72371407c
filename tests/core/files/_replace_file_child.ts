/**
 * Replaces a file by `size` bytes and prints how that ended. Arguments: path, expected hash or
 * `null`, size.
 */
import { replaceFile } from "../../../core/files/atomic_write.ts";
import { FileError } from "../../../core/files/file_error.ts";

const [path = "", hash = "", size = ""] = Deno.args;
const bytes = new Uint8Array(Number(size)).fill(0x6e);
const signal = new AbortController().signal;

async function replace(): Promise<{ readonly outcome: string; readonly message?: string }> {
  try {
    await replaceFile(path, bytes, { expectedHash: hash === "null" ? null : hash, signal });
    return { outcome: "written" };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { outcome: error.code, message: error.message };
  }
}

await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(await replace())));
