import { AlisioError, errorMessage } from "../errors.ts";

const BUSY = 5;
const LOCKED = 6;
const PERM = 3;
const READONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
const IOERR = 10;
const IOERR_READ = 266;
const IOERR_WRITE = 778;
const IOERR_SHMSIZE = 4874;
const READONLY_DBMOVED = 1032;
const FOREIGN_KEY = 787;
const CONSTRAINT = 19;

/**
 * The extended result code of an SQLite error. A failed constructor carries none: nothing but a
 * file that cannot be opened makes it fail.
 *
 * @param error What was caught.
 * @returns Undefined for anything that is not an SQLite error.
 */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") {
    return undefined;
  }
  return "errcode" in error && typeof error.errcode === "number" ? error.errcode : CANTOPEN;
}

/**
 * Whether SQLite says that the file is damaged or no database at all.
 *
 * @param error What was caught.
 */
export function isDamage(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff;
  return primary === CORRUPT || primary === NOTADB;
}

/**
 * Whether another process kept the database locked for as long as was waited.
 *
 * @param error What was caught.
 */
export function isBusy(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff;
  return primary === BUSY || primary === LOCKED;
}

/**
 * Whether reading failed because SQLite may not create its files beside the database, or has no
 * space to.
 *
 * @param error What was caught.
 */
export function isUnreadableInPlace(error: unknown): boolean {
  const code = sqliteCode(error) ?? 0;
  const primary = code & 0xff;
  return primary === CANTOPEN || primary === READONLY || (primary === IOERR && code !== IOERR_READ);
}

/**
 * Turns what SQLite threw into an error that a person can act on. Anything else is returned as it
 * is.
 *
 * @param error What was caught.
 * @param path The database file.
 */
export function toDatabaseError(error: unknown, path: string): unknown {
  if (error instanceof Deno.errors.NotCapable) {
    const message = `Cannot use session database "${path}": this process may not access it`;
    return new AlisioError("database_unusable", message, { cause: error });
  }
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const detail = errorMessage(error);
  const fail = (name: Parameters<typeof databaseError>[0], what: string) =>
    databaseError(name, `session database "${path}": ${what}`, error);
  if (code === FOREIGN_KEY) {
    return new AlisioError("session_not_found", "The session does not exist: it was deleted", {
      cause: error,
    });
  }
  if (code === READONLY_DBMOVED) {
    return fail("database_unusable", "the file was moved or replaced; start Alisio again");
  }
  if (code === IOERR_WRITE || code === IOERR_SHMSIZE) {
    return fail("database_full", `writing failed (${detail}). ${FREE_SPACE}`);
  }
  switch (code & 0xff) {
    case BUSY:
    case LOCKED:
      return fail(
        "database_locked",
        "another process keeps it locked. Wait for it or end it, then try again",
      );
    case READONLY:
    case PERM:
      return fail("database_read_only", READ_ONLY);
    case FULL:
      return fail("database_full", `no space is left on the disk. ${FREE_SPACE}`);
    case CORRUPT:
    case NOTADB:
      return fail("database_corrupt", `the file is damaged (${detail})`);
    case CONSTRAINT:
      return new TypeError(`Cannot store in session database: ${detail}`, { cause: error });
    default:
      return fail("database_unusable", detail);
  }
}

/** Why a read-only database is refused and what to do. */
export const READ_ONLY =
  'the file or its folder is read-only. Make it writable, or choose another file with "--db"';

const FREE_SPACE = "Nothing of this step was stored; free some space and try again";

type DatabaseErrorCode =
  | "database_corrupt"
  | "database_full"
  | "database_locked"
  | "database_read_only"
  | "database_unusable";

function databaseError(code: DatabaseErrorCode, what: string, cause: unknown): AlisioError {
  return new AlisioError(code, `Cannot use ${what}`, { cause });
}
