import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { AlisioError } from "../errors.ts";
import { isBusy, isDamage, toDatabaseError } from "./database_errors.ts";
import { explainFileError } from "./database_file.ts";
import type { OpenFiles } from "./open_files.ts";

/** A row of a result, by column. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A statement whose rows are lists once it is told so; the types of the runtime lack that. */
interface ListStatement {
  readonly setReturnArrays: (areArrays: boolean) => void;
  readonly all: (...values: SQLInputValue[]) => SQLOutputValue[][];
}

/** What a {@linkcode Database} is told beside its connection. */
export interface DatabaseOptions {
  /** The file, for messages; `:memory:` for none. */
  readonly path: string;
  /** The files behind the connection; absent where losing them loses nothing. */
  readonly files?: OpenFiles;
  /** Called when SQLite reports damage, outside any transaction and before anything is closed. */
  readonly onDamage?: () => DamageReport;
  /** Called after the connection was closed. */
  readonly onClose?: () => void;
}

/** What became of a database in which SQLite reported damage. */
export interface DamageReport {
  /** Whether a check of the whole file found damage too. */
  readonly confirmed: boolean;
  /** Where the damaged file is now, if it was moved. */
  readonly movedTo?: string;
}

/** How long to wait for another process once one was waited for in vain. */
const SECOND_WAIT_MS = 100;

/**
 * A connection with cached statements, nested transactions and errors for people.
 *
 * After damage or a loss was found it does nothing more: every call throws the same error, so that
 * no retry ever writes to a damaged file, or to one that nobody finds again. After another process was waited for in vain, it
 * waits for a moment only until a statement succeeds: what a caller does to end in order would
 * otherwise wait as long again, step by step.
 */
export class Database {
  /** The file; `:memory:` for none. */
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSync>();
  #isOpen = true;
  #inTransaction = false;
  #mustSync = false;
  /** Damage or loss, after which nothing is done. */
  #fatal: AlisioError | null = null;
  /** The usual wait, while the wait is shorter. */
  #usualWaitMs: number | null = null;

  /**
   * Takes over a connection.
   *
   * @param connection An open connection, owned from here on.
   * @param options What it is told.
   */
  constructor(connection: DatabaseSync, options: DatabaseOptions) {
    this.path = options.path;
    this.#connection = connection;
    this.#options = options;
  }

  /**
   * Runs a statement that answers nothing.
   *
   * @param sql A constant: statements are cached by their text.
   * @param values Values of its parameters.
   * @returns How many rows changed.
   */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).changes));
  }

  /**
   * Runs an `INSERT`.
   *
   * @param sql A constant: statements are cached by their text.
   * @param values Values of its parameters.
   * @returns The row id of the new row.
   */
  insert(sql: string, ...values: SQLInputValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).lastInsertRowid));
  }

  /**
   * Runs a statement to its end and returns its first row.
   *
   * `StatementSync.get` stops after the first row, so the commit of an `INSERT … RETURNING` comes
   * when the statement is reset, where its failure is lost.
   *
   * @param sql A constant: statements are cached by their text.
   * @param values Values of its parameters.
   */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).all(...values)[0]);
  }

  /**
   * Runs a statement and returns all its rows.
   *
   * @param sql A constant: statements are cached by their text.
   * @param values Values of its parameters.
   */
  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values));
  }

  /**
   * Runs a statement and returns all its rows as lists, which takes half as long as
   * {@linkcode Database.all} where there are thousands.
   *
   * @param sql A constant: statements are cached by their text. One of {@linkcode Database.all} must
   * not be the same.
   * @param values Values of its parameters.
   */
  lists(sql: string, ...values: SQLInputValue[]): readonly (readonly SQLOutputValue[])[] {
    return this.#guard(() => {
      const statement = this.#prepare(sql) as unknown as ListStatement;
      statement.setReturnArrays(true);
      return statement.all(...values);
    });
  }

  /**
   * Runs `fn` in an immediate transaction: all of it is stored, or nothing. Inside another
   * transaction it joins that one.
   *
   * @param fn Synchronous; a promise is refused, since the transaction would end before it does.
   * @returns What `fn` returned.
   */
  transaction<T>(fn: () => T): T {
    if (this.#inTransaction) return fn();
    this.#guard(() => this.#prepare("BEGIN IMMEDIATE").run());
    this.#inTransaction = true;
    this.#mustSync = false;
    try {
      const result = fn();
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new TypeError("Cannot run an asynchronous function in a transaction");
      }
      this.#guard(() => this.#prepare("COMMIT").run());
      this.#inTransaction = false;
      if (this.#mustSync) this.#syncLog();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /**
   * Runs `fn` in a transaction that survives a loss of power once it returned.
   *
   * @param fn As for {@linkcode Database.transaction}. Inside another transaction it joins that
   * one, which is then made to last as a whole.
   */
  durableTransaction<T>(fn: () => T): T {
    return this.transaction(() => {
      this.#mustSync = true;
      return fn();
    });
  }

  /**
   * Makes sure that what is stored will be found again: the files that were opened are still where
   * they were, and whole.
   *
   * @throws {AlisioError} `database_lost`.
   */
  assertInPlace(): void {
    this.#guard(() => {
      const loss = this.#findLoss();
      if (loss === undefined) return;
      const message = `Cannot use session database "${this.path}": ${loss}. What was recorded ` +
        "may be lost: put it back if you can, then start Alisio again";
      this.#fatal = new AlisioError("database_lost", message);
      throw this.#fatal;
    });
  }

  /** Closes the connection. Safe to call twice. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
    this.#options.onClose?.();
  }

  /**
   * Forces the write-ahead log to the disk, as `synchronous = FULL` does at each commit. SQLite
   * does not let a transaction raise that setting once it has begun, and most commits can do
   * without.
   */
  #syncLog(): void {
    if (this.path === ":memory:") return;
    try {
      const log = Deno.openSync(`${this.path}-wal`, { read: true, write: true });
      try {
        log.syncDataSync();
      } finally {
        log.close();
      }
    } catch (error) {
      // Without a log the journal mode is another one, which waits for the disk by itself.
      if (error instanceof Deno.errors.NotFound) return;
      const message = `Cannot use session database "${this.path}": the disk did not take the data`;
      throw new AlisioError("database_unusable", message, { cause: error });
    }
  }

  #rollBack(): void {
    this.#inTransaction = false;
    // SQLite ends a transaction by itself after some failures, for example on a full disk.
    if (!this.#connection.isOpen || !this.#connection.isTransaction) return;
    try {
      this.#prepare("ROLLBACK").run();
    } catch {
      // The error that led here is the one to report.
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<T>(fn: () => T): T {
    if (this.#fatal !== null) throw this.#fatal;
    if (!this.#isOpen) throw new TypeError("Cannot use the session database: it is closed");
    try {
      const result = fn();
      if (this.#usualWaitMs !== null) this.#waitAsUsual(this.#usualWaitMs);
      return result;
    } catch (error) {
      if (isBusy(error)) this.#waitLess();
      throw isDamage(error) ? this.#reportDamage(error) : toDatabaseError(error, this.path);
    }
  }

  #findLoss(): string | undefined {
    try {
      return this.#options.files?.findLoss(() => this.#neededBytes());
    } catch (error) {
      throw explainFileError(error, this.path);
    }
  }

  #neededBytes(): number {
    try {
      const pages = Number(this.#prepare("PRAGMA page_count").get()?.page_count);
      return pages * Number(this.#prepare("PRAGMA page_size").get()?.page_size);
    } catch {
      // SQLite has noticed by itself.
      return Number.POSITIVE_INFINITY;
    }
  }

  #waitLess(): void {
    if (this.#usualWaitMs !== null) return;
    this.#usualWaitMs = Number(this.#connection.prepare("PRAGMA busy_timeout").get()?.timeout);
    this.#connection.exec(`PRAGMA busy_timeout = ${SECOND_WAIT_MS}`);
  }

  #waitAsUsual(waitMs: number): void {
    this.#usualWaitMs = null;
    this.#connection.exec(`PRAGMA busy_timeout = ${waitMs}`);
  }

  #reportDamage(cause: unknown): AlisioError {
    this.#rollBack();
    const { confirmed, movedTo } = this.#options.onDamage?.() ?? { confirmed: true };
    const message = `Cannot use session database "${this.path}": ${adviceFor(confirmed, movedTo)}`;
    const error = new AlisioError("database_corrupt", message, { cause });
    if (confirmed) this.#fatal = error;
    if (movedTo !== undefined) this.close();
    return error;
  }
}

function adviceFor(confirmed: boolean, movedTo: string | undefined): string {
  if (!confirmed) return "SQLite reported damage, but a check found none. Try again";
  return movedTo === undefined
    ? "the file is damaged. The next command that writes moves it aside and starts a new one"
    : `the file is damaged and was moved to "${movedTo}". Start Alisio again: new sessions are ` +
      "kept in a new file";
}
