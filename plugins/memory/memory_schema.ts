import type { SqlDatabase } from "@alisio/sdk";

/** The tables, by the version that added them; released versions are never changed. */
const MIGRATIONS: readonly { readonly version: number; readonly sql: string }[] = [
  {
    version: 100,
    sql: `
      CREATE TABLE observations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT,
        type TEXT NOT NULL,
        title TEXT NOT NULL,
        content TEXT NOT NULL,
        tool_name TEXT,
        project TEXT NOT NULL,
        scope TEXT NOT NULL DEFAULT 'project',
        topic_key TEXT,
        normalized_hash TEXT,
        revision_count INTEGER NOT NULL DEFAULT 1,
        duplicate_count INTEGER NOT NULL DEFAULT 1,
        last_seen_at INTEGER,
        pinned INTEGER NOT NULL DEFAULT 0,
        access_count INTEGER NOT NULL DEFAULT 0,
        last_accessed_at INTEGER,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        deleted_at INTEGER
      );
      CREATE INDEX observations_recent ON observations (project, deleted_at, updated_at DESC);
      CREATE INDEX observations_topic ON observations (scope, topic_key, project)
        WHERE topic_key IS NOT NULL;
      CREATE INDEX observations_hash ON observations (normalized_hash, project);
      CREATE INDEX observations_session ON observations (session_id, created_at);
      CREATE VIRTUAL TABLE observations_fts USING fts5 (
        title, content, tool_name, type, project, topic_key,
        content = 'observations', content_rowid = 'id', tokenize = 'trigram'
      );
      CREATE TRIGGER observations_inserted AFTER INSERT ON observations BEGIN
        INSERT INTO observations_fts (rowid, title, content, tool_name, type, project, topic_key)
        VALUES (new.id, new.title, new.content, new.tool_name, new.type, new.project,
          new.topic_key);
      END;
      CREATE TRIGGER observations_deleted AFTER DELETE ON observations BEGIN
        INSERT INTO observations_fts
          (observations_fts, rowid, title, content, tool_name, type, project, topic_key)
        VALUES ('delete', old.id, old.title, old.content, old.tool_name, old.type, old.project,
          old.topic_key);
      END;
      CREATE TRIGGER observations_updated
        AFTER UPDATE OF title, content, tool_name, type, project, topic_key ON observations BEGIN
        INSERT INTO observations_fts
          (observations_fts, rowid, title, content, tool_name, type, project, topic_key)
        VALUES ('delete', old.id, old.title, old.content, old.tool_name, old.type, old.project,
          old.topic_key);
        INSERT INTO observations_fts (rowid, title, content, tool_name, type, project, topic_key)
        VALUES (new.id, new.title, new.content, new.tool_name, new.type, new.project,
          new.topic_key);
      END;
      CREATE TABLE memory_sessions (
        id TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        directory TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER,
        summary TEXT
      );
      CREATE INDEX memory_sessions_project ON memory_sessions (project, ended_at DESC);
      CREATE TABLE user_prompts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL,
        content TEXT NOT NULL,
        project TEXT NOT NULL,
        created_at INTEGER NOT NULL
      );
      CREATE INDEX user_prompts_project ON user_prompts (project, created_at DESC);`,
  },
  {
    version: 101,
    sql: `
      CREATE TABLE injected_context (
        session_id TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        content TEXT NOT NULL,
        created_at INTEGER NOT NULL
      );`,
  },
];

/** The table that says which versions are there. The database of sessions has the same. */
const VERSIONS = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL DEFAULT 'memory',
  applied_at INTEGER NOT NULL DEFAULT 0
)`;

/** Above them, the file may hold tables of something else. */
const LAST_OWN_VERSION = 199;

/**
 * Brings a database to the newest tables. Several processes may do so at once, and one that has
 * them is only read.
 *
 * @param db The database.
 * @throws {RangeError} If a later program made its tables; nothing is changed then.
 */
export function migrateMemory(db: SqlDatabase): void {
  const newest = Math.max(...MIGRATIONS.map(({ version }) => version));
  const found = versionOf(db);
  if (found > newest) {
    throw new RangeError(
      `its tables are of version ${found}, and this Alisio knows them up to ${newest}`,
    );
  }
  if (found === newest) return;
  db.transaction(() => {
    db.exec(VERSIONS);
    const known = db.prepare("SELECT 1 FROM schema_migrations WHERE version = ?");
    const note = db.prepare(
      "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, 'memory', ?)",
    );
    for (const { version, sql } of MIGRATIONS) {
      if (known.get(version) !== undefined) continue;
      db.exec(sql);
      note.run(version, Date.now());
    }
  });
}

function versionOf(db: SqlDatabase): number {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get();
  if (table === undefined) return 0;
  const { version } = db.prepare(
    "SELECT max(version) AS version FROM schema_migrations WHERE version BETWEEN 100 AND ?",
  ).get(LAST_OWN_VERSION) ?? {};
  return Number(version ?? 0);
}
