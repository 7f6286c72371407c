import { AlisioError, errorMessage } from "../errors.ts";
import { dirname } from "../paths/path.ts";
import { READ_ONLY, sqliteCode, toDatabaseError } from "./database_errors.ts";

const CANTOPEN = 14;

/**
 * Makes sure that there is a database file: when it is created here, 0600 in a folder with 0700.
 *
 * @param path Where it is wanted.
 * @returns Its real path.
 * @throws {AlisioError} With a `database_*` code.
 * @throws {Deno.errors.NotFound} If it is moved away meanwhile.
 */
export function prepareFile(path: string): string {
  try {
    if (!fileExists(path)) createFile(path);
    const file = Deno.realPathSync(path);
    if (!Deno.statSync(file).isFile) {
      const message = `Cannot use session database "${file}": it is not a file. Choose another ` +
        'with "--db"';
      throw new AlisioError("database_unusable", message);
    }
    return file;
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? error : explainFileError(error, path);
  }
}

/**
 * Creates an empty database file unless there is one.
 *
 * @param path Where; its folder is created too.
 */
export function createFile(path: string): void {
  // To look for the folder takes rights on it, and there may be none but on the file.
  if (createIn(path)) return;
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createIn(path);
}

/** Answers false where there is no such folder. */
function createIn(path: string): boolean {
  try {
    // SQLite gives its other files the mode of this one.
    Deno.openSync(path, { createNew: true, write: true, mode: 0o600 }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.AlreadyExists) return true;
    throw error;
  }
}

/**
 * Makes the files of a database private to the person.
 *
 * @param file The database file.
 */
export function makePrivate(file: string): void {
  const { mode } = Deno.statSync(file);
  if (mode === null || (mode & 0o077) === 0 || Deno.build.os === "windows") return;
  for (const ending of ["", "-wal", "-shm"]) {
    try {
      Deno.chmodSync(file + ending, 0o600);
    } catch {
      // A file of someone else, or a read-only one, keeps its mode: opening it decides.
    }
  }
}

/**
 * Whether there is something at a path, links followed.
 *
 * @param path Where to look.
 */
export function fileExists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Whether a database file was emptied: it is, and its log is not. SQLite would take the log for a
 * leftover and delete it.
 *
 * @param file The database file.
 */
export function isEmptied(file: string): boolean {
  return sizeOf(file) === 0 && sizeOf(`${file}-wal`) > 0;
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/**
 * Turns what was thrown while opening a database into an error that a person can act on. SQLite
 * does not say why it cannot open a file; whether something can be created beside it tells.
 *
 * @param error What was caught.
 * @param file The database file.
 */
export function explainOpenError(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return explainFileError(error, file);
  if ((code & 0xff) !== CANTOPEN) return toDatabaseError(error, file);
  const probe = `${file}.${crypto.randomUUID()}`;
  try {
    Deno.openSync(probe, { createNew: true, write: true, mode: 0o600 }).close();
    Deno.removeSync(probe);
  } catch (failure) {
    return explainFileError(failure, file);
  }
  return toDatabaseError(error, file);
}

/**
 * Turns a failure of the file system into an error that a person can act on.
 *
 * @param error What was caught; an {@linkcode AlisioError} is returned as it is.
 * @param path The database file, or what lies beside it.
 */
export function explainFileError(error: unknown, path: string): unknown {
  if (error instanceof AlisioError) return error;
  const subject = `Cannot use session database "${path}"`;
  if (error instanceof Deno.errors.PermissionDenied || isSystemError(error, "EROFS")) {
    return new AlisioError("database_read_only", `${subject}: ${READ_ONLY}`, { cause: error });
  }
  if (isSystemError(error, "ENOSPC")) {
    const message = `${subject}: no space is left on the disk. Free some and try again`;
    return new AlisioError("database_full", message, { cause: error });
  }
  const message = `${subject}: ${errorMessage(error)}`;
  return new AlisioError("database_unusable", message, { cause: error });
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
