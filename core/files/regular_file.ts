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
export async function statRegularFile(
  real: string,
  action: FileAction,
): Promise<Deno.FileInfo | null> {
  try {
    const [info] = await Promise.all([Deno.lstat(real), assertRealFolder(real, action)]);
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

/**
 * Checks that the folder of a real path still is where its name says.
 *
 * @param real Real path of a file; its folder exists.
 * @param action What the file is wanted for.
 * @throws {FileError} If the folder leads elsewhere by now.
 */
export async function assertRealFolder(real: string, action: FileAction): Promise<void> {
  const folder = dirname(real);
  if (await Deno.realPath(folder) !== folder) throw pathChanged(real, action);
}

function pathChanged(real: string, action: FileAction): FileError {
  return new FileError(
    "path_changed",
    `Cannot ${action} file ${quotePath(real)}: a part of its path became a symbolic link ` +
      "after the call was checked; make the call again",
  );
}

function describeKind(info: Deno.FileInfo): string {
  if (info.isDirectory) return "a folder";
  if (info.isFifo === true) return "a named pipe";
  if (info.isSocket === true) return "a socket";
  if (info.isCharDevice === true || info.isBlockDevice === true) return "a device";
  return "no regular file";
}
