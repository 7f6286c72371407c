import { DatabaseSync } from "node:sqlite";

/** How every database of SQLite begins. */
const HEADER = "SQLite format 3\0";

/**
 * Makes sure that opening a path as the memory takes nothing from anybody: that there is no file
 * yet, or a database with the tables of memory or of sessions, or with none. Nothing is changed.
 *
 * @param path The path.
 * @param isUsual Whether nobody chose it; then an empty file there is one that was just made.
 * @throws {Error} If something else is there, with the reason.
 */
export function checkMemoryFile(path: string, { isUsual }: { readonly isUsual: boolean }): void {
  let size: number;
  try {
    const facts = Deno.statSync(path);
    if (!facts.isFile) throw new Error("it is not a file");
    size = facts.size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  if (size === 0 && isUsual) return;
  if (!startsAsDatabase(path)) throw new Error("it is no database");
  if (!isUsual && !hasOwnTables(path)) throw new Error("it is the database of another program");
}

function startsAsDatabase(path: string): boolean {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(HEADER.length);
  const count = file.readSync(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, count)) === HEADER;
}

function hasOwnTables(path: string): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.exec("PRAGMA busy_timeout = 5000");
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
      .map(({ name }) => name);
    return names.length === 0 || names.includes("schema_migrations");
  } finally {
    db.close();
  }
}
