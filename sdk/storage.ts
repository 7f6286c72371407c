/** A value that a parameter or a column may hold. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** What a statement that answers no rows did. */
export interface SqlRunResult {
  /** How many rows changed. */
  readonly changes: number | bigint;
  /** The row id of the row that was inserted last. */
  readonly lastInsertRowid: number | bigint;
}

/** A prepared statement. */
export interface SqlStatement {
  /**
   * Runs it.
   *
   * @param values Values of its parameters.
   */
  run(...values: SqlValue[]): SqlRunResult;
  /**
   * Runs it and returns its first row.
   *
   * @param values Values of its parameters.
   */
  get(...values: SqlValue[]): SqlRow | undefined;
  /**
   * Runs it and returns all its rows.
   *
   * @param values Values of its parameters.
   */
  all(...values: SqlValue[]): readonly SqlRow[];
}

/**
 * A SQLite database of a plugin. Everything is synchronous, and FTS5 is there. The host closes it
 * with the plugin.
 *
 * @example Notes that can be searched
 * ```ts
 * import { definePlugin, textResult } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.notes",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     const db = api.storage.sqlite("notes.sqlite");
 *     db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5 (text)");
 *     api.tools.register({
 *       name: "search_notes",
 *       description: "Searches the notes.",
 *       effect: "read",
 *       inputSchema: { type: "object", properties: { words: { type: "string" } } },
 *       execute: (input) => {
 *         const find = db.prepare("SELECT text FROM notes WHERE notes MATCH ?");
 *         const rows = find.all(String(input.words));
 *         return Promise.resolve(textResult(rows.map(({ text }) => text).join("\n")));
 *       },
 *     });
 *   },
 * });
 * ```
 */
export interface SqlDatabase {
  /**
   * Runs statements that take no parameters and answer nothing.
   *
   * @param sql One or more statements.
   */
  exec(sql: string): void;
  /**
   * Prepares a statement. The same text gives the same statement again.
   *
   * @param sql One statement.
   */
  prepare(sql: string): SqlStatement;
  /**
   * Runs `fn` in an immediate transaction: all of it is stored, or nothing. Inside another
   * transaction it joins that one.
   *
   * @param fn Synchronous.
   * @returns What `fn` returned.
   */
  transaction<T>(fn: () => T): T;
  /** Closes it. Safe to call twice. */
  close(): void;
}
