import { DatabaseSync } from "node:sqlite";
import { AlisioError, errorMessage } from "../errors.ts";
import { join } from "../paths/path.ts";
import { type DamageReport, Database } from "./database.ts";
import { isDamage, isUnreadableInPlace, toDatabaseError } from "./database_errors.ts";
import {
  createFile,
  explainOpenError,
  fileExists,
  isEmptied,
  makePrivate,
  prepareFile,
} from "./database_file.ts";
import { isSessionDatabase } from "./is_session_database.ts";
import { migrate, readVersion, tableNames } from "./migrate.ts";
import { NEWEST_VERSION } from "./migrations.ts";
import { type FileIdentity, fileIdentity, moveAside } from "./move_aside.ts";
import { OpenFiles } from "./open_files.ts";

/** Something the person should be told about their database; the program goes on. */
export interface StoreNotice {
  /** What it is about. */
  readonly code: "database_replaced" | "message_unreadable";
  /** For the person. */
  readonly message: string;
}

/** How a database is opened. */
export interface OpenDatabaseOptions {
  /**
   * `write` creates and migrates the file and moves a damaged one aside. `read` changes nothing
   * that it holds, and works on a read-only file system.
   *
   * @default "write"
   */
  readonly mode?: "write" | "read";
  /**
   * Whether a person named the file. Theirs may be any file: it is not touched unless it is empty
   * or a session database, and moved aside only if it is recognisable as one.
   *
   * @default false
   */
  readonly isChosen?: boolean;
  /**
   * How long to wait for another process.
   *
   * @default 5000
   */
  readonly busyTimeoutMs?: number;
  /** Receives what the person should be told. */
  readonly onNotice?: (notice: StoreNotice) => void;
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000;

/** Up to this size a check of every page takes about half a millisecond. */
const MAX_PAGES_CHECKED_AT_OPEN = 128;

/** A damaged file is replaced, by this process or by others that open it too. */
const MAX_OPEN_ATTEMPTS = 5;

const SETTINGS = [
  "journal_mode = WAL",
  "synchronous = NORMAL",
  "temp_store = MEMORY",
  "cell_size_check = ON",
  // What is deleted is overwritten, and so is each earlier form of a row that was changed since.
  "secure_delete = ON",
  // Twice the default, 8 MB of log: half as many waits for the disk.
  "wal_autocheckpoint = 2000",
] as const;

const LARGE_TABLES = ["sessions", "messages", "tool_calls", "events", "decisions"] as const;

/**
 * Opens the session database.
 *
 * @param path The file. With mode `read`, a missing one is an empty database.
 * @param options How it is opened.
 * @throws {AlisioError} With a `database_*` code.
 */
export function openDatabase(path: string, options: OpenDatabaseOptions = {}): Database {
  return options.mode === "read" ? openForReading(path, options) : openForWriting(path, options);
}

function openForWriting(path: string, options: OpenDatabaseOptions): Database {
  for (let attempt = 1;; attempt++) {
    try {
      const db = openFile(prepareFile(path), options);
      if (db !== undefined) return db;
    } catch (error) {
      // Another process may just be moving the file aside.
      const isMoving = error instanceof Deno.errors.NotFound;
      if (!isMoving || attempt === MAX_OPEN_ATTEMPTS) throw explainOpenError(error, path);
    }
    if (attempt === MAX_OPEN_ATTEMPTS) {
      const message =
        `Cannot use session database "${path}": it is damaged, and so is what replaced it`;
      throw new AlisioError("database_corrupt", message);
    }
  }
}

/** Opens a file, or moves it aside, leaves an empty one in its place and returns undefined. */
function openFile(file: string, options: OpenDatabaseOptions): Database | undefined {
  if (options.isChosen === true) assertOurs(file, options);
  makePrivate(file);
  const identity = fileIdentity(file);
  if (isEmptied(file)) {
    replaceDamaged(file, identity, undefined, emptiedError(), options);
    return undefined;
  }
  const connection = connect(file, options);
  try {
    checkPages(connection);
    setUp(connection, file);
    const files = new OpenFiles(file, identity);
    const onDamage = () => handleDamage(file, identity, connection);
    return new Database(connection, { path: file, files, onDamage });
  } catch (error) {
    if (isDamage(error)) {
      replaceDamaged(file, identity, connection, error, options);
      return undefined;
    }
    connection.close();
    throw error;
  }
}

/** Looks at a file that a person named, without changing it. */
function assertOurs(file: string, options: OpenDatabaseOptions): void {
  let connection: DatabaseSync | undefined;
  try {
    if (isEmptied(file)) throw emptiedError();
    // On closing, one that may write takes away its own files, but writes a log that was there.
    connection = connect(file, options, fileExists(`${file}-wal`) ? "read" : "write");
    checkPages(connection);
    readVersion(connection, file);
  } catch (error) {
    if (isUnreadableInPlace(error)) return;
    if (!isDamage(error)) throw error;
    connection?.close();
    assertRecognised(file, error);
  } finally {
    if (connection?.isOpen === true) connection.close();
  }
}

/** Whatever a person named by mistake stays where it is. */
function assertRecognised(file: string, cause: unknown): void {
  if (isSessionDatabase(file)) return;
  const message = `Cannot use session database "${file}": it is another kind of file, or damaged ` +
    `beyond recognition (${errorMessage(cause)}), and was left as it is. Choose another file ` +
    'with "--db", or move this one away';
  throw new AlisioError("database_unusable", message, { cause });
}

function openForReading(path: string, options: OpenDatabaseOptions): Database {
  if (!hasFile(path)) return openEmpty();
  const file = Deno.realPathSync(path);
  let connection: DatabaseSync | undefined;
  try {
    if (isEmptied(file)) throw emptiedError();
    connection = connect(file, options, "read");
    if (readVersion(connection, file) === NEWEST_VERSION) {
      return new Database(connection, { path: file });
    }
    connection.close();
  } catch (error) {
    connection?.close();
    if (isUnreadableInPlace(error)) return openCopy(file, options);
    throw isDamage(error) ? damagedForReading(file, error, options) : toDatabaseError(error, file);
  }
  return openOlder(file, options);
}

/** Statements expect the newest schema, so an older file is migrated, or else a copy of it. */
function openOlder(file: string, options: OpenDatabaseOptions): Database {
  try {
    openForWriting(file, options).close();
  } catch (error) {
    if (!(error instanceof AlisioError) || error.code !== "database_read_only") throw error;
    return openCopy(file, options);
  }
  return openForReading(file, options);
}

/**
 * Opens a private copy, which goes when it is closed. SQLite cannot read a database with a log
 * where it may not write beside it.
 */
function openCopy(file: string, options: OpenDatabaseOptions): Database {
  const folder = Deno.makeTempDirSync({ prefix: "alisio-db-" });
  const remove = () => Deno.removeSync(folder, { recursive: true });
  const copy = join(folder, "copy.sqlite");
  let connection: DatabaseSync | undefined;
  try {
    Deno.copyFileSync(file, copy);
    if (Deno.build.os !== "windows") Deno.chmodSync(copy, 0o600);
    if (fileExists(`${file}-wal`)) Deno.copyFileSync(`${file}-wal`, `${copy}-wal`);
    connection = connect(copy, options);
    checkPages(connection);
    setUp(connection, file);
    return new Database(connection, { path: file, onClose: remove });
  } catch (error) {
    connection?.close();
    remove();
    throw isDamage(error) ? damagedForReading(file, error, options) : explainOpenError(error, file);
  }
}

function openEmpty(): Database {
  const connection = new DatabaseSync(":memory:", { enableForeignKeyConstraints: true });
  migrate(connection, ":memory:");
  return new Database(connection, { path: ":memory:" });
}

function hasFile(path: string): boolean {
  try {
    return fileExists(path);
  } catch (error) {
    throw explainOpenError(error, path);
  }
}

function connect(
  file: string,
  options: OpenDatabaseOptions,
  mode: "read" | "write" = "write",
): DatabaseSync {
  return new DatabaseSync(file, {
    enableForeignKeyConstraints: true,
    readOnly: mode === "read",
    timeout: options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS,
  });
}

/**
 * Finds damage before anything is written. SQLite itself checks the header, the size and the
 * schema on the first read. A small file is checked whole; of a large one, the ends of the large
 * tables are read, and damage inside shows when a statement meets it.
 *
 * @throws An SQLite error that {@linkcode isDamage} accepts.
 */
function checkPages(connection: DatabaseSync): void {
  const pages = Number(connection.prepare("PRAGMA page_count").get()?.page_count);
  if (pages <= MAX_PAGES_CHECKED_AT_OPEN) {
    const found = connection.prepare("PRAGMA quick_check(1)").get()?.quick_check;
    if (found !== "ok") throw damageError(String(found));
    return;
  }
  const tables = tableNames(connection);
  for (const table of LARGE_TABLES.filter((name) => tables.has(name))) {
    // Two queries, because SQLite scans the table for both values at once.
    for (const end of ["min", "max"]) {
      connection.prepare(`SELECT ${end}(rowid) FROM ${table}`).get();
    }
  }
}

function damageError(detail: string): Error {
  return Object.assign(new Error(detail), { code: "ERR_SQLITE_ERROR", errcode: 11 });
}

function emptiedError(): Error {
  return damageError("it is empty, but its log is not");
}

function setUp(connection: DatabaseSync, file: string): void {
  const version = readVersion(connection, file);
  for (const setting of SETTINGS) connection.prepare(`PRAGMA ${setting}`).run();
  if (version < NEWEST_VERSION) migrate(connection, file);
  // Changes nothing, but fails where nothing can be changed.
  connection.prepare("DELETE FROM schema_migrations WHERE version < 0").run();
}

/** Checks every page and index, which takes time, and moves the file aside if one is damaged. */
function handleDamage(
  file: string,
  identity: FileIdentity,
  connection: DatabaseSync,
): DamageReport {
  if (!hasDamage(connection)) return { confirmed: false };
  const movedTo = retire(file, identity, connection);
  return movedTo === undefined ? { confirmed: true } : { confirmed: true, movedTo };
}

function hasDamage(connection: DatabaseSync): boolean {
  try {
    const check = connection.prepare("PRAGMA integrity_check(1)").get();
    return check?.integrity_check !== "ok";
  } catch {
    return true;
  }
}

function replaceDamaged(
  file: string,
  identity: FileIdentity,
  connection: DatabaseSync | undefined,
  cause: unknown,
  options: OpenDatabaseOptions,
): void {
  let movedTo: string | undefined;
  try {
    movedTo = retire(file, identity, connection);
    createFile(file);
  } catch (error) {
    const message = `Cannot use session database "${file}": it is damaged and cannot be moved ` +
      `aside (${errorMessage(error)})`;
    throw new AlisioError("database_corrupt", message, { cause });
  }
  // Another process was faster, and has told its person.
  if (movedTo === undefined) return;
  const message = `Session database "${file}" is damaged (${errorMessage(cause)}). It was moved ` +
    `to "${movedTo}"; sessions are now kept in a new file`;
  options.onNotice?.({ code: "database_replaced", message });
}

/**
 * Moves the files of a connection aside and closes it. In this order, SQLite does not write its
 * log into the damaged file on closing: the file is no longer where it was opened. Windows does
 * not let an open file be moved.
 */
function retire(
  file: string,
  identity: FileIdentity,
  connection: DatabaseSync | undefined,
): string | undefined {
  if (Deno.build.os === "windows") connection?.close();
  try {
    return moveAside(file, identity);
  } finally {
    if (connection?.isOpen === true) connection.close();
  }
}

function damagedForReading(
  file: string,
  cause: unknown,
  options: OpenDatabaseOptions,
): AlisioError {
  if (options.isChosen === true) assertRecognised(file, cause);
  const message = `Cannot read session database "${file}": the file is damaged ` +
    `(${errorMessage(cause)}). The next "alisio run" moves it aside and starts a new one`;
  return new AlisioError("database_corrupt", message, { cause });
}
