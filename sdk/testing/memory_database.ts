import { DatabaseSync } from "node:sqlite";
import type { SqlDatabase, SqlStatement } from "../storage.ts";

/** Databases of one plugin under test, in memory. */
export class MemoryDatabases {
  readonly #connections = new Map<string, DatabaseSync>();

  /**
   * Opens a database: the same path gives the same content again, as a file would.
   *
   * @param path As the plugin has it.
   */
  open(path: string): SqlDatabase {
    const connection = this.#connections.get(path) ?? new DatabaseSync(":memory:");
    this.#connections.set(path, connection);
    return new MemoryDatabase(connection);
  }

  /** Closes all of them; what they held is gone. */
  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }
}

/** One opening of a database. */
class MemoryDatabase implements SqlDatabase {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, SqlStatement>();
  #isOpen = true;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  exec(sql: string): void {
    this.#open().exec(sql);
  }

  prepare(sql: string): SqlStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#open().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  transaction<T>(fn: () => T): T {
    const connection = this.#open();
    if (connection.isTransaction) return fn();
    connection.exec("BEGIN IMMEDIATE");
    try {
      const result = fn();
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new TypeError("Cannot run an asynchronous function in a transaction");
      }
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#statements.clear();
  }

  #open(): DatabaseSync {
    if (!this.#isOpen) throw new Error("Cannot use the database: it was closed");
    return this.#connection;
  }
}
