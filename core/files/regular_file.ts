import { isReal, leadsTo } from "../paths/leads_to.ts";
import { dirname } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { type FileAction, FileError, toFileError } from "./file_error.ts";

/**
 * Looks at a file before it is opened: what is no regular file is refused, since opening a pipe or
 * a device can hang or have an effect of its own.
 *
 * The path must be real. That its folder is still the one that was judged is checked as well: a
 * folder may have been replaced by a link while a person was being asked.
 *
 * @param real Real path of the file.
 * @param action What the file is wanted for.
 * @returns Facts about the file, or null when nothing is there.
 * @throws {FileError} If it is no regular file, or its path leads elsewhere by now.
 */
export function statRegularFile(real: string, action: FileAction): Deno.FileInfo | null {
  try {
    if (!isInJudgedFolder(real)) throw pathChanged(real, action);
    const info = Deno.lstatSync(real);
    if (info.isSymlink) throw pathChanged(real, action);
    if (info.isFile) return info;
    throw new FileError(
      info.isDirectory ? "is_folder" : "not_a_file",
      `Cannot ${action} file ${quotePath(real)}: it is ${describeKind(info)}`,
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return null;
    }
    throw toFileError(error, action, real);
  }
}

function isInJudgedFolder(real: string): boolean {
  const folder = dirname(real);
  try {
    return Deno.realPathSync(folder) === folder;
  } catch (error) {
    // The folder around a workspace is not for this process to look at.
    if (error instanceof Deno.errors.NotCapable && isReal(real)) return true;
    throw error;
  }
}

/** How often a file is opened again that another program replaces at the same time. */
const MAX_OPENINGS = 3;

/** Options of {@linkcode openJudged}. */
export interface OpenJudgedOptions {
  /**
   * How long opening may take: a pipe that was put in the place of the file opens only when somebody
   * writes to it.
   *
   * @default 10000
   */
  readonly limitMs?: number;
}

/**
 * Opens a file for reading, and makes certain that it is the one that was judged before a byte of
 * it is used.
 *
 * @param real Real path of the file.
 * @param action What the file is wanted for.
 * @param options How long to wait.
 * @throws {FileError} If the path leads elsewhere by now, or does not open.
 * @throws The errors of the system.
 */
export async function openJudged(
  real: string,
  action: FileAction,
  { limitMs = 10_000 }: OpenJudgedOptions = {},
): Promise<Deno.FsFile> {
  for (let opening = 1;; opening++) {
    const file = await openWithin(real, limitMs);
    if (file === null) {
      throw new FileError(
        "not_a_file",
        `Cannot ${action} file ${quotePath(real)}: it does not open, as if it were a pipe by now`,
      );
    }
    const place = leadsTo(real, file);
    if (place === "here") return file;
    file.close();
    if (place === "moved") throw pathChanged(real, action);
    if (opening < MAX_OPENINGS) continue;
    throw new FileError(
      "changed",
      `Cannot ${action} file ${quotePath(real)}: it was replaced while it was being opened; ` +
        "make the call again",
    );
  }
}

/** Null when it takes too long; what opens later is closed. */
async function openWithin(real: string, limitMs: number): Promise<Deno.FsFile | null> {
  const opening = Deno.open(real, { read: true });
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), limitMs);
  try {
    const file = await Promise.race([opening, late.promise]);
    if (file === null) opening.then((opened) => opened.close(), () => {});
    return file;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The error for a path that leads elsewhere than when it was judged.
 *
 * @param real The path that was judged.
 * @param action What the file is wanted for.
 */
export function pathChanged(real: string, action: FileAction): FileError {
  return new FileError(
    "path_changed",
    `Cannot ${action} file ${quotePath(real)}: a part of its path became a symbolic link ` +
      "or moved after the call was checked; make the call again",
  );
}

function describeKind(info: Deno.FileInfo): string {
  if (info.isDirectory) return "a folder";
  if (info.isFifo === true) return "a named pipe";
  if (info.isSocket === true) return "a socket";
  if (info.isCharDevice === true || info.isBlockDevice === true) return "a device";
  return "no regular file";
}
