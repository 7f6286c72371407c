import type { SqlDatabase, SqlRow, SqlValue } from "@alisio/sdk";
import type { Scope } from "./memory_settings.ts";
import {
  cleanObservation,
  contentHash,
  type NewObservation,
  type Observation,
  OBSERVATION_TYPES,
  type ObservationSource,
  type ObservationType,
} from "./observation.ts";
import type { Project } from "./project_id.ts";
import { rankCandidates } from "./rank_candidates.ts";
import { parseQuery, type ShortWord } from "./search_query.ts";

/** What saving did. */
export type SaveOutcome = "created" | "updated" | "duplicate";

/** Where an observation comes from. */
export interface SaveContext {
  readonly project: string;
  readonly source: ObservationSource;
  readonly sessionId?: string;
}

/** What is looked for. */
export interface MemorySearch {
  readonly query: string;
  readonly project: string;
  /** Whether every word has to be there, or any. */
  readonly match: "all" | "any";
  readonly limit: number;
  readonly type?: ObservationType;
  readonly scope?: Scope;
  /** Whether other projects are looked through, too. */
  readonly allProjects?: boolean;
}

/** How much is kept. */
export interface MemoryCounts {
  readonly project: number;
  readonly personal: number;
}

/** Equal texts that come so soon after one another are one. */
const DUPLICATE_MS = 15 * 60_000;
const MAX_CANDIDATES = 100;
/** Short words are in no index: so many that may have them are looked at, the newest first. */
const MAX_SCANNED = 500;
/** Of each project, so many prompts are kept; of all sessions, so many texts they began with. */
const MAX_KEPT = 500;
const VISIBLE = "deleted_at IS NULL AND (project = ? OR scope = 'personal')";

/** What a person and their agents want to remember. Every method but `save` is synchronous. */
export class MemoryStore {
  readonly #db: SqlDatabase;
  readonly #redact: (text: string) => string;
  readonly #now: () => number;
  #writes = 0;

  /**
   * @param db A database with the tables of memory.
   * @param options What replaces secrets in what is kept, and the clock, in epoch milliseconds.
   */
  constructor(
    db: SqlDatabase,
    { redact, now = Date.now }: {
      readonly redact: (text: string) => string;
      readonly now?: () => number;
    },
  ) {
    this.#db = db;
    this.#redact = redact;
    this.#now = now;
  }

  /** How often something was kept since the store was opened. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * Keeps an observation, unless it is there already.
   *
   * @param given The observation.
   * @param context Where it comes from.
   * @throws {RangeError} If nothing is left of its title or its content.
   */
  async save(
    given: NewObservation,
    context: SaveContext,
  ): Promise<{ readonly id: number; readonly action: SaveOutcome }> {
    const observation = cleanObservation({
      ...given,
      title: this.#redact(given.title),
      content: this.#redact(given.content),
      ...(given.topicKey === undefined ? {} : { topicKey: this.#redact(given.topicKey) }),
    });
    const hash = await contentHash(observation.content);
    const saved = this.#db.transaction(() => {
      const topic = this.#findTopic(observation, context.project);
      if (topic !== undefined) return this.#revise(topic, observation, hash, context);
      const twin = this.#findTwin(observation, hash, context.project);
      if (twin !== undefined) return this.#countTwin(twin);
      return this.#insert(observation, hash, context);
    });
    this.#writes += 1;
    return saved;
  }

  #findTopic({ scope, topicKey }: NewObservation, project: string): SqlRow | undefined {
    if (topicKey === undefined) return undefined;
    return this.#db.prepare(
      `SELECT * FROM observations WHERE scope = ? AND topic_key = ? AND deleted_at IS NULL
         AND (scope = 'personal' OR project = ?) ORDER BY id LIMIT 1`,
    ).get(scope, topicKey, project);
  }

  #revise(
    row: SqlRow,
    { title, content, type }: NewObservation,
    hash: string,
    { source, sessionId }: SaveContext,
  ): { readonly id: number; readonly action: SaveOutcome } {
    const id = Number(row.id);
    if (row.normalized_hash === hash && row.title === title) return this.#countTwin(id);
    const now = this.#now();
    this.#db.prepare(
      `UPDATE observations SET title = ?, content = ?, type = ?, normalized_hash = ?,
         session_id = ?, tool_name = ?, revision_count = revision_count + 1, last_seen_at = ?,
         updated_at = ? WHERE id = ?`,
    ).run(title, content, type, hash, sessionId ?? null, source, now, now, id);
    return { id, action: "updated" };
  }

  #findTwin(
    { title, scope, type, topicKey }: NewObservation,
    hash: string,
    project: string,
  ): number | undefined {
    const row = this.#db.prepare(
      `SELECT id FROM observations WHERE normalized_hash = ? AND project = ? AND scope = ?
         AND type = ? AND title = ? AND topic_key IS ? AND deleted_at IS NULL AND updated_at >= ?
       ORDER BY id DESC LIMIT 1`,
    ).get(hash, project, scope, type, title, topicKey ?? null, this.#now() - DUPLICATE_MS);
    return row === undefined ? undefined : Number(row.id);
  }

  #countTwin(id: number): { readonly id: number; readonly action: SaveOutcome } {
    const now = this.#now();
    this.#db.prepare(
      `UPDATE observations SET duplicate_count = duplicate_count + 1, last_seen_at = ?,
         updated_at = ? WHERE id = ?`,
    ).run(now, now, id);
    return { id, action: "duplicate" };
  }

  #insert(
    { title, content, type, scope, topicKey }: NewObservation,
    hash: string,
    { project, source, sessionId }: SaveContext,
  ): { readonly id: number; readonly action: SaveOutcome } {
    const now = this.#now();
    const { lastInsertRowid } = this.#db.prepare(
      `INSERT INTO observations
         (session_id, type, title, content, tool_name, project, scope, topic_key,
          normalized_hash, last_seen_at, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      sessionId ?? null,
      type,
      title,
      content,
      source,
      project,
      scope,
      topicKey ?? null,
      hash,
      now,
      now,
      now,
    );
    return { id: Number(lastInsertRowid), action: "created" };
  }

  /**
   * Finds observations, the best first.
   *
   * @param search What is looked for.
   */
  search(search: MemorySearch): readonly Observation[] {
    const { long, short } = parseQuery(search.query);
    if (long.length + short.length === 0) return [];
    const isAny = search.match === "any";
    const scans = long.length === 0 || (isAny && short.length > 0);
    // What the index found counts, where both found it.
    const found = new Map(
      [
        ...(scans ? this.#scan(short, search) : []),
        ...(long.length === 0
          ? []
          : this.#findByIndex(long.join(isAny ? " OR " : " AND "), isAny ? [] : short, search)),
      ].map((row) => [Number(row.id), row]),
    );
    const matching = [...found.values()].filter((row) => {
      const text = [row.title, row.content, row.topic_key ?? ""].join("\n");
      const hits = short.map(({ test }) => test.test(text));
      if (!isAny) return hits.every((hit) => hit);
      return hits.some((hit) => hit) || row.rank !== null;
    });
    return rankCandidates(matching, this.#now()).slice(0, search.limit).map(toObservation);
  }

  #findByIndex(
    match: string,
    short: readonly ShortWord[],
    search: MemorySearch,
  ): readonly SqlRow[] {
    const { sql, values } = filterOf(search, "o.", short);
    return this.#db.prepare(
      `SELECT o.*, bm25(observations_fts, 5.0, 1.0, 0.5, 0.5, 0.2, 2.0) AS rank
       FROM observations_fts JOIN observations o ON o.id = observations_fts.rowid
       WHERE observations_fts MATCH ? AND ${sql} ORDER BY rank LIMIT ?`,
    ).all(match, ...values, short.length === 0 ? MAX_CANDIDATES : MAX_SCANNED);
  }

  #scan(short: readonly ShortWord[], search: MemorySearch): readonly SqlRow[] {
    const { sql, values } = filterOf(search, "", short);
    return this.#db.prepare(
      `SELECT *, NULL AS rank FROM observations WHERE ${sql}
       ORDER BY updated_at DESC, id DESC LIMIT ${MAX_SCANNED}`,
    ).all(...values);
  }

  /**
   * An observation, which is then counted as read.
   *
   * @param id Its number.
   * @param project The project from which it is looked at.
   */
  read(id: number, project: string): Observation | undefined {
    const row = this.#visible(id, project);
    if (row === undefined) return undefined;
    this.#db.prepare(
      `UPDATE observations SET access_count = access_count + 1, last_accessed_at = ? WHERE id = ?`,
    ).run(this.#now(), id);
    return { ...toObservation(row), accessCount: Number(row.access_count) + 1 };
  }

  #visible(id: number, project: string): SqlRow | undefined {
    return this.#db.prepare(`SELECT * FROM observations WHERE id = ? AND ${VISIBLE}`)
      .get(id, project);
  }

  /**
   * The latest observations, the newest first.
   *
   * @param project The project from which they are looked at.
   * @param limit How many.
   * @param which Only pinned ones, or only others.
   */
  list(
    project: string,
    limit: number,
    which: "all" | "pinned" | "unpinned" = "all",
  ): readonly Observation[] {
    const pinned = { all: "", pinned: "AND pinned = 1", unpinned: "AND pinned = 0" }[which];
    return this.#db.prepare(
      // Sorted without their texts, which may be long.
      `SELECT * FROM observations WHERE id IN (
         SELECT id FROM observations WHERE ${VISIBLE} ${pinned}
         ORDER BY updated_at DESC, id DESC LIMIT ?
       ) ORDER BY updated_at DESC, id DESC`,
    ).all(project, Math.min(50, Math.max(1, limit))).map(toObservation);
  }

  /**
   * An observation and those around it, the oldest first: of its session, or of its project where
   * it has none.
   *
   * @param id Its number.
   * @param project The project from which it is looked at.
   * @param around How many before and after it.
   */
  timeline(
    id: number,
    project: string,
    { before, after }: { readonly before: number; readonly after: number },
  ): readonly Observation[] | undefined {
    const anchor = this.#visible(id, project);
    if (anchor === undefined) return undefined;
    const [column, value] = anchor.session_id === null
      ? ["project", anchor.project ?? null]
      : ["session_id", anchor.session_id ?? null];
    const side = (sign: "<" | ">", order: "DESC" | "ASC", limit: number) =>
      this.#db.prepare(
        `SELECT * FROM observations WHERE ${column} = ? AND ${VISIBLE}
           AND (created_at, id) ${sign} (?, ?)
         ORDER BY created_at ${order}, id ${order} LIMIT ?`,
      ).all(value ?? null, project, anchor.created_at ?? 0, id, limit);
    return [...side("<", "DESC", before).toReversed(), anchor, ...side(">", "ASC", after)]
      .map(toObservation);
  }

  /**
   * Pins an observation, so that each session begins with it, or takes the pin away.
   *
   * @param id Its number.
   * @param project The project from which it is looked at.
   * @param isPinned What it is to be.
   * @returns False if there is none.
   */
  pin(id: number, project: string, isPinned: boolean): boolean {
    if (this.#visible(id, project) === undefined) return false;
    this.#db.prepare("UPDATE observations SET pinned = ? WHERE id = ?").run(isPinned ? 1 : 0, id);
    this.#writes += 1;
    return true;
  }

  /**
   * Forgets an observation: nothing finds it any more, or it is gone for good.
   *
   * @param id Its number.
   * @param project The project from which it is looked at.
   * @param isForGood Whether it is removed.
   * @returns False if there is none.
   */
  forget(id: number, project: string, isForGood: boolean): boolean {
    if (this.#visible(id, project) === undefined) return false;
    if (isForGood) this.#remove(id);
    else {
      this.#db.prepare("UPDATE observations SET deleted_at = ? WHERE id = ?").run(this.#now(), id);
    }
    this.#writes += 1;
    return true;
  }

  /** What it held is overwritten, in the index and in the log too. */
  #remove(id: number): void {
    this.#db.exec(
      `PRAGMA secure_delete = ON;
       INSERT INTO observations_fts (observations_fts, rank) VALUES ('secure-delete', 1)`,
    );
    this.#db.prepare("DELETE FROM observations WHERE id = ?").run(id);
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /**
   * How many observations a project has, and the person.
   *
   * @param project The project.
   */
  counts(project: string): MemoryCounts {
    const count = (sql: string, ...values: SqlValue[]) =>
      Number(
        this.#db.prepare(
          `SELECT count(*) AS count FROM observations WHERE deleted_at IS NULL AND ${sql}`,
        ).get(...values)?.count ?? 0,
      );
    return {
      project: count("scope = 'project' AND project = ?", project),
      personal: count("scope = 'personal'"),
    };
  }

  /**
   * Keeps the summary of a session, in place of an earlier one.
   *
   * @param sessionId The session.
   * @param project Its project.
   * @param summary The summary.
   * @returns Whether it reads the same as it was written.
   */
  keepSummary(sessionId: string, { id, directory }: Project, summary: string): boolean {
    const now = this.#now();
    const text = this.#redact(summary);
    this.#db.prepare(
      `INSERT INTO memory_sessions (id, project, directory, started_at, ended_at, summary)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, summary = excluded.summary`,
    ).run(sessionId, id, directory, now, now, text);
    this.#writes += 1;
    return this.summaryOf(sessionId) === text;
  }

  /**
   * The summary of a session.
   *
   * @param sessionId The session.
   */
  summaryOf(sessionId: string): string | undefined {
    const row = this.#db.prepare("SELECT summary FROM memory_sessions WHERE id = ?").get(sessionId);
    return typeof row?.summary === "string" ? row.summary : undefined;
  }

  /**
   * The summary of the session of a project that ended last.
   *
   * @param project The project.
   */
  lastSummary(project: string): string | undefined {
    const row = this.#db.prepare(
      `SELECT summary FROM memory_sessions WHERE project = ? AND summary IS NOT NULL
       ORDER BY ended_at DESC, rowid DESC LIMIT 1`,
    ).get(project);
    return typeof row?.summary === "string" ? row.summary : undefined;
  }

  /**
   * Keeps prompts of a session, each once.
   *
   * @param sessionId The session.
   * @param project Its project.
   * @param prompts The prompts, the oldest first.
   */
  keepPrompts(sessionId: string, project: string, prompts: readonly string[]): void {
    const known = this.#db.prepare(
      "SELECT 1 FROM user_prompts WHERE session_id = ? AND content = ?",
    );
    const insert = this.#db.prepare(
      "INSERT INTO user_prompts (session_id, content, project, created_at) VALUES (?, ?, ?, ?)",
    );
    this.#db.transaction(() => {
      for (const prompt of prompts.map(this.#redact)) {
        if (known.get(sessionId, prompt) !== undefined) continue;
        insert.run(sessionId, prompt, project, this.#now());
      }
      this.#db.prepare(
        `DELETE FROM user_prompts WHERE project = ? AND id NOT IN (SELECT id FROM user_prompts
           WHERE project = ? ORDER BY created_at DESC, id DESC LIMIT ${MAX_KEPT})`,
      ).run(project, project);
    });
  }

  /**
   * The latest prompts of a project, the oldest first.
   *
   * @param project The project.
   * @param limit How many.
   */
  recentPrompts(project: string, limit: number): readonly string[] {
    return this.#db.prepare(
      `SELECT content FROM user_prompts WHERE project = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
    ).all(project, limit).map((row) => String(row.content)).toReversed();
  }

  /**
   * Notes what a session was given.
   *
   * @param sessionId The session.
   * @param project Its project.
   * @param content What it was given.
   */
  keepInjected(sessionId: string, project: string, content: string): void {
    this.#db.prepare(
      `INSERT INTO injected_context (session_id, project, content, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (session_id) DO UPDATE SET content = excluded.content`,
    ).run(sessionId, project, this.#redact(content), this.#now());
    this.#db.prepare(
      `DELETE FROM injected_context WHERE rowid NOT IN (SELECT rowid FROM injected_context
         ORDER BY created_at DESC, rowid DESC LIMIT ${MAX_KEPT})`,
    ).run();
  }
}

/** What a search leaves out. */
function filterOf(
  { project, type, scope, allProjects, match }: MemorySearch,
  prefix: "" | "o.",
  short: readonly ShortWord[],
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const columns = ["title", "content", "topic_key"].map((name) => `${prefix}${name} LIKE ?`);
  const words = short.map(() => `(${columns.join(" OR ")})`).join(
    match === "any" ? " OR " : " AND ",
  );
  const parts = [
    { sql: `${prefix}deleted_at IS NULL`, values: [] },
    ...(short.length === 0
      ? []
      : [{ sql: `(${words})`, values: short.flatMap(({ like }) => columns.map(() => like)) }]),
    ...(allProjects === true
      ? []
      : [{ sql: `(${prefix}project = ? OR ${prefix}scope = 'personal')`, values: [project] }]),
    ...(type === undefined ? [] : [{ sql: `${prefix}type = ?`, values: [type] }]),
    ...(scope === undefined ? [] : [{ sql: `${prefix}scope = ?`, values: [scope] }]),
  ];
  return {
    sql: parts.map(({ sql }) => sql).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}

function toObservation(row: SqlRow): Observation {
  const topicKey = row.topic_key;
  const sessionId = row.session_id;
  return {
    id: Number(row.id),
    title: String(row.title),
    content: String(row.content),
    type: OBSERVATION_TYPES.find((type) => type === row.type) ?? "discovery",
    scope: row.scope === "personal" ? "personal" : "project",
    source: row.tool_name === "compaction" || row.tool_name === "session_summary"
      ? row.tool_name
      : "memory_save",
    project: String(row.project),
    revisions: Number(row.revision_count),
    duplicates: Number(row.duplicate_count),
    isPinned: Number(row.pinned) === 1,
    accessCount: Number(row.access_count),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...(typeof topicKey === "string" ? { topicKey } : {}),
    ...(typeof sessionId === "string" ? { sessionId } : {}),
  };
}
