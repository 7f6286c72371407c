/** One step of the database schema. */
export interface Migration {
  /** Its place in the order; recorded in `schema_migrations`. */
  readonly version: number;
  /** What it adds, in a word or two. */
  readonly name: string;
  /** SQL, one statement each, run in one transaction with the record of the version. */
  readonly statements: readonly string[];
}

/** Versions from here on belong to plugins that keep their tables in the same file. */
export const FIRST_PLUGIN_VERSION = 100;

/** The table that records which migrations ran. */
export const SCHEMA_MIGRATIONS = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
)`;

/**
 * Every step from an empty file to the newest schema, oldest first.
 *
 * Released steps are frozen: a database in the field has already run them. A change is a new step
 * at the end, with a fixture of its version in `tests/fixtures/db`.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "sessions",
    statements: [
      `CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        workspace TEXT NOT NULL,
        model TEXT NOT NULL,
        provider TEXT NOT NULL,
        title TEXT,
        created_at INTEGER NOT NULL,
        locked_pid INTEGER
      )`,
      `CREATE TABLE messages (
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        role TEXT NOT NULL,
        message TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (session_id, seq)
      )`,
      `CREATE TABLE tool_calls (
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        call_id TEXT NOT NULL,
        arguments TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('pending', 'completed')),
        content TEXT,
        is_error INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (session_id, call_id)
      )`,
      `CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        run_id TEXT NOT NULL,
        run_seq INTEGER NOT NULL,
        type TEXT NOT NULL,
        timestamp TEXT NOT NULL,
        data TEXT NOT NULL
      )`,
      // An index entry ends in the row id, which is `seq`: this one is in event order.
      `CREATE INDEX events_session ON events (session_id)`,
      `CREATE TABLE plugin_state (
        plugin TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (plugin, key)
      ) WITHOUT ROWID`,
    ],
  },
  {
    version: 2,
    name: "compacted messages",
    statements: [`ALTER TABLE messages ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0`],
  },
  {
    version: 3,
    name: "child sessions",
    statements: [
      `ALTER TABLE sessions ADD COLUMN parent_id TEXT REFERENCES sessions(id) ON DELETE CASCADE`,
      `ALTER TABLE sessions ADD COLUMN depth INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE sessions ADD COLUMN status TEXT`,
      `ALTER TABLE sessions ADD COLUMN usage TEXT`,
      `CREATE INDEX sessions_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL`,
    ],
  },
  {
    version: 4,
    name: "runs, workspaces, blobs",
    statements: [
      `CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        status TEXT NOT NULL,
        request_id TEXT,
        correlation_id TEXT,
        model TEXT NOT NULL,
        owner_pid INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER,
        error TEXT,
        usage TEXT
      )`,
      `CREATE INDEX runs_session ON runs (session_id)`,
      `CREATE UNIQUE INDEX runs_request ON runs (session_id, request_id)
        WHERE request_id IS NOT NULL`,
      `CREATE TABLE workspaces (
        path TEXT PRIMARY KEY,
        label TEXT,
        pinned INTEGER NOT NULL DEFAULT 0,
        last_opened_at INTEGER NOT NULL
      )`,
      `CREATE TABLE blobs (
        hash TEXT PRIMARY KEY,
        mime_type TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        created_at INTEGER NOT NULL
      )`,
      `CREATE TABLE session_blobs (
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        hash TEXT NOT NULL REFERENCES blobs(hash),
        PRIMARY KEY (session_id, hash)
      ) WITHOUT ROWID`,
      `CREATE INDEX session_blobs_hash ON session_blobs (hash)`,
      `ALTER TABLE sessions ADD COLUMN options TEXT`,
      `ALTER TABLE sessions ADD COLUMN pinned_at INTEGER`,
      `ALTER TABLE sessions ADD COLUMN archived_at INTEGER`,
      `ALTER TABLE sessions ADD COLUMN locked_at INTEGER`,
      `ALTER TABLE sessions ADD COLUMN locked_token TEXT`,
      `ALTER TABLE events ADD COLUMN created_at INTEGER`,
      `ALTER TABLE events ADD COLUMN correlation_id TEXT`,
      `ALTER TABLE tool_calls ADD COLUMN run_id TEXT`,
      `ALTER TABLE tool_calls ADD COLUMN name TEXT`,
      `ALTER TABLE tool_calls ADD COLUMN effect TEXT`,
      `ALTER TABLE tool_calls ADD COLUMN started_at INTEGER`,
      `ALTER TABLE tool_calls ADD COLUMN ended_at INTEGER`,
      `CREATE INDEX tool_calls_pending ON tool_calls (session_id) WHERE status = 'pending'`,
    ],
  },
  {
    version: 5,
    name: "decisions",
    statements: [
      // The audit outlasts its sessions, so nothing here refers to them.
      `CREATE TABLE decisions (
        seq INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL,
        run_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT NOT NULL,
        effect TEXT NOT NULL,
        summary TEXT NOT NULL,
        outcome TEXT NOT NULL,
        rule TEXT NOT NULL,
        reason TEXT NOT NULL,
        source TEXT NOT NULL,
        channel TEXT NOT NULL,
        user TEXT,
        scope TEXT,
        decided_at INTEGER NOT NULL
      )`,
      `CREATE TRIGGER decisions_update BEFORE UPDATE ON decisions
        BEGIN SELECT raise(ABORT, 'decisions are never changed'); END`,
      `CREATE TRIGGER decisions_delete BEFORE DELETE ON decisions
        BEGIN SELECT raise(ABORT, 'decisions are never deleted'); END`,
      // REPLACE deletes without asking the trigger above.
      `CREATE TRIGGER decisions_replace BEFORE INSERT ON decisions
        WHEN EXISTS (SELECT 1 FROM decisions WHERE seq = new.seq)
        BEGIN SELECT raise(ABORT, 'decisions are never replaced'); END`,
    ],
  },
  {
    version: 6,
    name: "places of messages",
    statements: [
      // What takes the place of other messages stands where they stood; null is its own number.
      `ALTER TABLE messages ADD COLUMN place INTEGER`,
      `CREATE INDEX messages_active ON messages (session_id, coalesce(place, seq), seq)
        WHERE compacted = 0`,
    ],
  },
  {
    version: 7,
    name: "background tasks",
    statements: [
      `CREATE TABLE background_tasks (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        root_session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        workspace TEXT NOT NULL,
        kind TEXT NOT NULL,
        label TEXT NOT NULL,
        command TEXT NOT NULL,
        cwd TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN
          ('queued', 'running', 'stopping', 'succeeded', 'failed', 'cancelled', 'lost')),
        exit_code INTEGER,
        signal TEXT,
        pid INTEGER,
        process_start TEXT,
        owner_pid INTEGER NOT NULL,
        owner_token TEXT NOT NULL,
        abort_origin TEXT,
        error_code TEXT,
        error TEXT,
        timeout_ms INTEGER NOT NULL,
        truncated INTEGER NOT NULL DEFAULT 0,
        log_path TEXT NOT NULL,
        bytes INTEGER NOT NULL DEFAULT 0,
        delivered_at INTEGER,
        created_at INTEGER NOT NULL,
        started_at INTEGER,
        ended_at INTEGER
      )`,
      `CREATE INDEX background_tasks_root ON background_tasks (root_session_id)`,
      `CREATE INDEX background_tasks_session ON background_tasks (session_id)`,
      `CREATE INDEX background_tasks_live ON background_tasks (owner_token)
        WHERE status IN ('queued', 'running', 'stopping')`,
    ],
  },
  {
    version: 8,
    name: "rewinds and file changes",
    statements: [
      // The number that the message got which took its place: what was written from there on.
      `ALTER TABLE messages ADD COLUMN replaced_at INTEGER`,
      // The rewind that put it aside, and the one that brought it back from behind a checkpoint.
      `ALTER TABLE messages ADD COLUMN rewound_by INTEGER`,
      `ALTER TABLE messages ADD COLUMN restored_by INTEGER`,
      `CREATE INDEX messages_placed ON messages (session_id, seq) WHERE place IS NOT NULL`,
      // A checkpoint stands for all up to its place, a message that was cut for one alone.
      `UPDATE messages SET replaced_at = (
        SELECT min(later.seq) FROM messages later
        WHERE later.session_id = messages.session_id AND later.seq > messages.seq
          AND later.place IS NOT NULL
          AND (later.place = coalesce(messages.place, messages.seq)
            OR (later.place > coalesce(messages.place, messages.seq)
              AND json_valid(later.message) AND later.message ->> 'summary' = 1))
      ) WHERE compacted = 1`,
      `CREATE TABLE rewinds (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        before_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        with_files INTEGER NOT NULL,
        begun_at INTEGER NOT NULL,
        ended_at INTEGER,
        undone_at INTEGER
      )`,
      `CREATE INDEX rewinds_session ON rewinds (session_id)`,
      `CREATE TABLE file_changes (
        seq INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        call_id TEXT,
        rewind_id INTEGER,
        last_seq INTEGER NOT NULL,
        path TEXT NOT NULL,
        before_hash TEXT,
        after_hash TEXT,
        mode INTEGER,
        kept TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('pending', 'done')),
        reverted_by INTEGER,
        created_at INTEGER NOT NULL
      )`,
      `CREATE INDEX file_changes_session ON file_changes (session_id, last_seq)`,
      `CREATE INDEX file_changes_kept ON file_changes (created_at) WHERE kept = 'blob'`,
    ],
  },
  {
    version: 9,
    name: "goals",
    statements: [
      `CREATE TABLE session_goals (
        session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
        goal_id TEXT NOT NULL,
        objective TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN
          ('active', 'paused', 'blocked', 'budget_limited', 'complete')),
        reason TEXT NOT NULL,
        detail TEXT NOT NULL,
        summary TEXT NOT NULL,
        evidence TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        token_budget INTEGER,
        tokens_used INTEGER NOT NULL,
        turns_used INTEGER NOT NULL,
        max_turns INTEGER NOT NULL,
        max_wall_ms INTEGER NOT NULL,
        turn_allowance INTEGER NOT NULL,
        wall_allowance_ms INTEGER NOT NULL,
        active_ms INTEGER NOT NULL,
        no_tool_streak INTEGER NOT NULL,
        repeat_streak INTEGER NOT NULL,
        last_reply_hash TEXT NOT NULL,
        blocked_streak INTEGER NOT NULL,
        blocked_run TEXT NOT NULL,
        continuations INTEGER NOT NULL,
        inflight INTEGER NOT NULL,
        last_run_id TEXT NOT NULL,
        kickoff_sent INTEGER NOT NULL,
        owner_pid INTEGER NOT NULL,
        owner_token TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        completed_at INTEGER
      )`,
    ],
  },
  {
    version: 10,
    name: "messages for sessions",
    statements: [
      `CREATE TABLE session_inbox (
        seq INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        created_at INTEGER NOT NULL
      )`,
      `CREATE INDEX session_inbox_session ON session_inbox (session_id)`,
    ],
  },
];

/** Version of the newest schema that this program knows. */
export const NEWEST_VERSION: number = Math.max(...MIGRATIONS.map(({ version }) => version));
