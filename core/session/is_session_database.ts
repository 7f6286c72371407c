/** How much of each file is read; the schema is written first, so it stands near the start. */
const MAX_BYTES = 1024 * 1024;

/** As SQLite stores them in a file, whatever the migration was written like. */
const TABLES = ["schema_migrations", "tool_calls", "plugin_state"].map((name) =>
  new TextEncoder().encode(`CREATE TABLE ${name}`)
);

/**
 * Whether a damaged file is still recognisable as a session database: it is no text, and its first
 * megabyte, or that of its log, holds the schema of at least two of the tables that no other
 * program is likely to have together.
 *
 * Closing a file takes away the locks that other connections of this process hold on it, so no
 * connection to it may be open.
 *
 * @param path The file.
 */
export function isSessionDatabase(path: string): boolean {
  return [path, `${path}-wal`].some((file) => holdsSchema(readStart(file)));
}

function holdsSchema(bytes: Uint8Array): boolean {
  if (!bytes.includes(0)) return false;
  return TABLES.filter((table) => includesBytes(bytes, table)).length >= 2;
}

function includesBytes(bytes: Uint8Array, wanted: Uint8Array): boolean {
  const [first = 0] = wanted;
  let at = bytes.indexOf(first);
  while (at >= 0 && at + wanted.length <= bytes.length) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
    at = bytes.indexOf(first, at + 1);
  }
  return false;
}

function readStart(path: string): Uint8Array {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Uint8Array();
    throw error;
  }
  try {
    const bytes = new Uint8Array(MAX_BYTES);
    let length = 0;
    while (length < MAX_BYTES) {
      const read = file.readSync(bytes.subarray(length));
      if (read === null) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    file.close();
  }
}
