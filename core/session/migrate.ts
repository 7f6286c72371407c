import type { DatabaseSync } from "node:sqlite";
import { AlisioError } from "../errors.ts";
import {
  FIRST_PLUGIN_VERSION,
  type Migration,
  MIGRATIONS,
  NEWEST_VERSION,
  SCHEMA_MIGRATIONS,
} from "./migrations.ts";

const SELECT_TABLES = "SELECT name FROM sqlite_schema " +
  "WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
const SELECT_VERSION = "SELECT max(version) AS version FROM schema_migrations WHERE version < ?";

/**
 * The names of a database's own tables.
 *
 * @param connection The database.
 */
export function tableNames(connection: DatabaseSync): ReadonlySet<string> {
  return new Set(connection.prepare(SELECT_TABLES).all().map((row) => String(row.name)));
}

/**
 * The version of a database's schema; 0 for a new file.
 *
 * @param connection The database.
 * @param file Its path, for messages.
 * @throws {AlisioError} If this program is too old for it, or it belongs to another program.
 */
export function readVersion(connection: DatabaseSync, file: string): number {
  const tables = tableNames(connection);
  if (!tables.has("schema_migrations")) {
    if (tables.size === 0) return 0;
    const message = `Cannot use session database "${file}": it holds tables of another program. ` +
      'Choose another file with "--db"';
    throw new AlisioError("database_unusable", message);
  }
  const version = Number(connection.prepare(SELECT_VERSION).get(FIRST_PLUGIN_VERSION)?.version);
  if (version > NEWEST_VERSION) {
    const message = `Cannot use session database "${file}": its schema is version ${version}, ` +
      `this program knows up to ${NEWEST_VERSION}. Update Alisio, or choose another file with ` +
      '"--db"';
    throw new AlisioError("database_newer", message);
  }
  return version;
}

/**
 * Brings a database to the newest schema, in one transaction: a failure leaves the old one.
 *
 * @param connection The database.
 * @param file Its path, for messages.
 * @param migrations The steps; a test may stop at an earlier one.
 */
export function migrate(
  connection: DatabaseSync,
  file: string,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  connection.prepare("BEGIN IMMEDIATE").run();
  try {
    connection.prepare(SCHEMA_MIGRATIONS).run();
    // Another process may have migrated while this one waited.
    const version = readVersion(connection, file);
    const record = connection.prepare("INSERT INTO schema_migrations VALUES (?, ?, ?)");
    for (const step of migrations.filter((migration) => migration.version > version)) {
      for (const statement of step.statements) connection.prepare(statement).run();
      record.run(step.version, step.name, Date.now());
    }
    connection.prepare("COMMIT").run();
  } catch (error) {
    if (connection.isTransaction) connection.prepare("ROLLBACK").run();
    throw error;
  }
}
