import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlDatabase, SqlStatement } from "@alisio/sdk";
import { errorMessage } from "../errors.ts";
import { quotePath } from "../paths/quote_path.ts";
import { createFile, makePrivate } from "../session/database_file.ts";

/** How long a statement waits for another process. */
const BUSY_MS = 5_000;

/** Statements that are kept; a plugin that puts values into its SQL would keep them without end. */
const MAX_STATEMENTS = 200;

/**
 * Opens a SQLite file for a plugin, for its owner alone.
 *
 * @param path Absolute path; the file and the folders above it are made if need be.
 * @throws {Error} If it cannot be opened; the message names it.
 */
export function openPluginDatabase(path: string): SqlDatabase {
  try {
    createFile(path);
    makePrivate(path);
    const connection = new DatabaseSync(path);
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL`);
    return new PluginDatabase(connection);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotCapable
      ? "this run may not write there; leave it in the plugin's own folder"
      : errorMessage(error);
    throw new Error(`Cannot open database ${quotePath(path)}: ${reason}`, { cause: error });
  }
}

class PluginDatabase implements SqlDatabase {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  prepare(sql: string): SqlStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= MAX_STATEMENTS) {
      this.#statements.delete(oldest);
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  transaction<T>(fn: () => T): T {
    if (this.#inTransaction) return fn();
    this.#connection.exec("BEGIN IMMEDIATE");
    this.#inTransaction = true;
    try {
      const result = fn();
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new TypeError("Cannot run an asynchronous function in a transaction");
      }
      this.#connection.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite may have ended it already; then there is nothing to take back.
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }
}
