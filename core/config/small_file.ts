import { readUpTo } from "../files/read_up_to.ts";

/** A file's content, or why there is none. */
export type SmallFile =
  | {
    readonly status: "read";
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** Permission bits, where the system has them. */
    readonly mode: number | null;
  }
  /** Nothing is there. */
  | { readonly status: "missing" }
  /** Something is there that cannot be used; the reason continues a sentence. */
  | { readonly status: "unreadable"; readonly reason: string; readonly cause?: unknown };

/**
 * Reads a file that must be small. Looks before it opens, because opening a named pipe waits for
 * ever, and stops at the limit even if the file grows meanwhile.
 *
 * @param path The file; links are followed.
 * @param maxBytes Largest size that is read.
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<SmallFile> {
  try {
    const { isDirectory, isFile, mode, size } = await Deno.stat(path);
    if (isDirectory) return { status: "unreadable", reason: "it is a folder, not a file" };
    if (!isFile) return { status: "unreadable", reason: "it is not a regular file" };
    using file = await Deno.open(path, { read: true });
    const { bytes, complete } = await readUpTo(file, { maxBytes, claimedBytes: size });
    return complete
      ? { status: "read", bytes, mode }
      : { status: "unreadable", reason: `it is larger than the limit of ${maxBytes} bytes` };
  } catch (error) {
    if (isMissing(error) && !isLink(path)) return { status: "missing" };
    return { status: "unreadable", reason: reasonOf(error), cause: error };
  }
}

/**
 * Whether an error of the file system says that nothing is there.
 *
 * @param error What was caught.
 */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/** A link that leads nowhere was put there for a reason: what it should lead to is not missing. */
function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  if (isMissing(error)) return "it is a link to something that does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not read it";
  if (error instanceof Deno.errors.NotCapable) return "this run may not read it";
  if (error instanceof Deno.errors.FilesystemLoop) return "its links lead in a circle";
  return error instanceof Error ? error.message : String(error);
}
