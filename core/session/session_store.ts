import type { JsonValue, RunEvent } from "@alisio/sdk";
import { AlisioError } from "../errors.ts";
import { dirname } from "../paths/path.ts";
import { createConfiguredRedactor } from "../redact.ts";
import type { Database, Row } from "./database.ts";
import { findDecisions, insertDecision } from "./decisions.ts";
import { deleteSession } from "./delete_session.ts";
import { isLockHeld } from "./lock_file.ts";
import { openDatabase, type OpenDatabaseOptions, type StoreNotice } from "./open_database.ts";
import {
  parseJson,
  toCall,
  toEvent,
  toMessage,
  toRecentCall,
  toRun,
  toSession,
} from "./row_mappers.ts";
import { isSessionId, lockPath } from "./session_files.ts";
import type {
  ActiveMessage,
  CallEnd,
  DecisionQuery,
  JournalCall,
  LeaseOwner,
  MessageChange,
  MessageRow,
  NewCall,
  NewDecision,
  NewEvent,
  NewRun,
  NewSession,
  RecentCall,
  RunEnd,
  RunRecord,
  SessionRecord,
  SessionSummary,
  StoredDecision,
} from "./session_records.ts";
import { parseStoredMessage, type StoredMessage, textOf } from "./stored_message.ts";

const MIN_PREFIX_CHARS = 4;
const MAX_MATCHES = 10;
const MAX_TITLE_CHARS = 60;
const DEFAULT_PAGE = 1_000;
/** So many are looked at, whatever the size of the journal. */
const MAX_RECENT_CALLS = 10_000;

const INSERT_SESSION = `
  INSERT INTO sessions (id, workspace, model, provider, title, created_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
const UPSERT_WORKSPACE = `
  INSERT INTO workspaces (path, last_opened_at) VALUES (?, ?)
  ON CONFLICT (path) DO UPDATE SET last_opened_at = excluded.last_opened_at`;
const SELECT_PREFIX = `
  SELECT * FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY created_at DESC LIMIT ?2`;
const SELECT_RECENT = `
  SELECT s.*, coalesce((SELECT created_at FROM messages WHERE session_id = s.id
                        ORDER BY seq DESC LIMIT 1), s.created_at) AS last_activity_at
  FROM sessions s WHERE parent_id IS NULL AND (?1 IS NULL OR workspace = ?1)
  ORDER BY last_activity_at DESC, s.rowid DESC LIMIT ?2`;
const SELECT_FIRST_PROMPT = `
  SELECT * FROM messages WHERE session_id = ? AND role = 'user' ORDER BY compacted > 1, seq LIMIT 1`;
const INSERT_MESSAGE = `
  INSERT INTO messages (session_id, seq, role, message, created_at) VALUES
    (?1, (SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session_id = ?1), ?2, ?3, ?4)
  RETURNING seq`;
const INSERT_IN_PLACE = `
  INSERT INTO messages (session_id, seq, role, message, created_at, place) VALUES
    (?1, (SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session_id = ?1), ?2, ?3, ?4, ?5)`;
const SELECT_MESSAGES = `
  SELECT seq, coalesce(place, seq), message FROM messages WHERE session_id = ? ORDER BY seq`;
// Each of them is found by the index of active messages, whatever lies between.
const SELECT_ACTIVE = `
  SELECT seq, coalesce(place, seq), message FROM messages
  WHERE session_id = ? AND compacted = 0 ORDER BY coalesce(place, seq), seq`;
const SELECT_NEXT_SEQ = `
  SELECT coalesce(max(seq), 0) + 1 AS seq FROM messages WHERE session_id = ?`;
const COMPACT_THROUGH = `
  UPDATE messages SET compacted = 1, replaced_at = ?
  WHERE session_id = ? AND compacted = 0 AND coalesce(place, seq) <= ?`;
const COMPACT_ONE = `
  UPDATE messages SET compacted = 1, replaced_at = ? WHERE session_id = ? AND seq = ?`;
const SELECT_MESSAGES_PAGE = `
  SELECT * FROM messages WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`;
const INSERT_CALL = `
  INSERT INTO tool_calls (session_id, call_id, run_id, name, effect, arguments, status, started_at)
  VALUES (?, ?, ?, ?, ?, ?, 'pending', ?)`;
const COMPLETE_CALL = `
  UPDATE tool_calls SET status = 'completed', content = ?, is_error = ?, ended_at = ?
  WHERE session_id = ? AND call_id = ? AND status = 'pending'`;
const SELECT_CALLS = "SELECT * FROM tool_calls WHERE session_id = ? ORDER BY rowid";
const SELECT_CALL = "SELECT * FROM tool_calls WHERE session_id = ? AND call_id = ?";
const SELECT_CALLS_OF = `
  SELECT * FROM tool_calls WHERE session_id = ? AND name = ? ORDER BY rowid`;
const SELECT_PENDING = `
  SELECT * FROM tool_calls WHERE session_id = ? AND status = 'pending' ORDER BY rowid`;
const SELECT_RECENT_CALLS = `
  SELECT name, effect, started_at
  FROM (SELECT name, effect, started_at FROM tool_calls ORDER BY rowid DESC LIMIT ?)
  WHERE started_at > ? AND name IS NOT NULL`;
const SELECT_RESULT = `
  SELECT 1 FROM messages WHERE session_id = ? AND role = 'tool'
    AND json_valid(message) AND message ->> 'callId' = ?`;
const INSERT_RUN = `
  INSERT INTO runs (id, session_id, status, request_id, correlation_id, model, owner_pid, started_at)
  VALUES (?, ?, 'running', ?, ?, ?, ?, ?) RETURNING *`;
const SELECT_RUN_BY_REQUEST = "SELECT * FROM runs WHERE session_id = ? AND request_id = ?";
const END_RUN = `
  UPDATE runs SET status = ?, error = ?, usage = ?, ended_at = ?
  WHERE id = ? AND status IN ('queued', 'running')`;
const INTERRUPT_RUNS = `
  UPDATE runs SET status = 'interrupted', ended_at = ?
  WHERE session_id = ? AND status IN ('queued', 'running')`;
const INSERT_EVENT = `
  INSERT INTO events
    (session_id, run_id, run_seq, type, timestamp, data, created_at, correlation_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const SELECT_EVENTS = "SELECT * FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?";
const SELECT_LIVE_TASK = `
  SELECT 1 FROM background_tasks WHERE status IN ('queued', 'running', 'stopping') LIMIT 1`;
const SELECT_GOAL = "SELECT 1 FROM session_goals WHERE session_id = ?";
const SELECT_ACTIVE_GOAL = `
  SELECT 1 FROM session_goals WHERE session_id = ? AND status = 'active'`;
const SELECT_LIVE_CHILD = `
  SELECT 1 FROM sessions WHERE parent_id IS NOT NULL AND status IN ('queued', 'running') LIMIT 1`;
const INSERT_MAIL = "INSERT INTO session_inbox (session_id, text, created_at) VALUES (?, ?, ?)";
const COUNT_MAIL = "SELECT count(*) AS count FROM session_inbox WHERE session_id = ?";
const SELECT_MAIL = "SELECT text FROM session_inbox WHERE session_id = ? ORDER BY seq";
const DROP_MAIL =
  "DELETE FROM session_inbox WHERE session_id = ?1 AND substr(text, 1, length(?2)) = ?2";
const DELETE_MAIL = "DELETE FROM session_inbox WHERE session_id = ?";
const UPSERT_STATE = `
  INSERT INTO plugin_state (plugin, key, value) VALUES (?, ?, ?)
  ON CONFLICT (plugin, key) DO UPDATE SET value = excluded.value`;

/**
 * Opens the record of all sessions.
 *
 * @example Store a message and read it again
 * ```ts
 * import { openSessionStore } from "./session_store.ts";
 *
 * const folder = Deno.makeTempDirSync();
 * const store = openSessionStore(`${folder}/sessions.sqlite`);
 * const createdAt = Date.now();
 * store.createSession({ id: "s1", workspace: folder, model: "m", provider: "p", createdAt });
 * store.appendMessage("s1", { role: "user", content: [{ type: "text", text: "Hi" }] }, createdAt);
 * console.log(store.loadMessages("s1").length); // 1
 * store.close();
 * ```
 *
 * @param path The database file. Its folder is the state root, where side files are kept.
 * @param options How it is opened, and who is told of what was found.
 * @throws {AlisioError} With a `database_*` code.
 */
export function openSessionStore(path: string, options: OpenDatabaseOptions = {}): SessionStore {
  const db = openDatabase(path, options);
  const stateRoot = dirname(db.path === ":memory:" ? path : db.path);
  return new SessionStore(db, stateRoot, options.onNotice ?? (() => {}));
}

/**
 * Sessions with their messages, journal of calls, runs and events.
 *
 * Every method is synchronous and stores before it returns; each throws an {@linkcode AlisioError}
 * with a `database_*` code when it cannot, and has then stored nothing.
 */
export class SessionStore {
  /** The folder of the database, where locks, blobs and output logs are kept. */
  readonly stateRoot: string;
  readonly #db: Database;
  readonly #notify: (notice: StoreNotice) => void;
  #secrets: readonly string[] = [];
  #redact = createConfiguredRedactor([]);

  /**
   * Use {@linkcode openSessionStore}.
   *
   * @param db An open database, owned from here on.
   * @param stateRoot Its folder.
   * @param notify Receives what the person should be told.
   */
  constructor(db: Database, stateRoot: string, notify: (notice: StoreNotice) => void) {
    this.#db = db;
    this.stateRoot = stateRoot;
    this.#notify = notify;
  }

  /** The real path of the database file; `:memory:` for the empty one of a missing file. */
  get path(): string {
    return this.#db.path;
  }

  /**
   * The database, for what keeps its own tables in it.
   *
   * @internal
   */
  get database(): Database {
    return this.#db;
  }

  /**
   * Whether a background task of any process has not ended, as far as is recorded.
   *
   * @internal
   */
  hasLiveTasks(): boolean {
    return this.#db.get(SELECT_LIVE_TASK) !== undefined;
  }

  /**
   * Whether a session has a goal, in whatever state.
   *
   * @internal
   * @param sessionId The session.
   */
  hasGoal(sessionId: string): boolean {
    return this.#db.get(SELECT_GOAL, sessionId) !== undefined;
  }

  /**
   * Whether a session has a goal that is worked on.
   *
   * @internal
   * @param sessionId The session.
   */
  hasActiveGoal(sessionId: string): boolean {
    return this.#db.get(SELECT_ACTIVE_GOAL, sessionId) !== undefined;
  }

  /** Whether child sessions wait or run, or did when their process ended. Costs next to nothing. */
  hasLiveChildren(): boolean {
    return this.#db.get(SELECT_LIVE_CHILD) !== undefined;
  }

  /**
   * Keeps a message for the next turn of a session.
   *
   * @param sessionId The session.
   * @param text The message.
   * @param max How many may wait.
   * @returns False if so many wait already.
   */
  keepMail(sessionId: string, text: string, max: number): boolean {
    return this.#db.transaction(() => {
      if (Number(this.#db.get(COUNT_MAIL, sessionId)?.count ?? 0) >= max) return false;
      this.#db.run(INSERT_MAIL, sessionId, this.#redact(text), Date.now());
      return true;
    });
  }

  /**
   * Takes the messages that wait for a session, oldest first. Whoever calls it stores them in the
   * same transaction.
   *
   * @param sessionId The session.
   */
  takeMail(sessionId: string): readonly string[] {
    const rows = this.#db.all(SELECT_MAIL, sessionId);
    if (rows.length > 0) this.#db.run(DELETE_MAIL, sessionId);
    return rows.map(({ text }) => String(text));
  }

  /**
   * Removes messages that wait for a session.
   *
   * @param sessionId The session.
   * @param start What they begin with.
   * @returns How many there were.
   */
  dropMail(sessionId: string, start: string): number {
    const text = this.#redact(start);
    return this.#db.run(DROP_MAIL, sessionId, text);
  }

  /**
   * Whether messages wait for a session.
   *
   * @param sessionId The session.
   */
  hasMail(sessionId: string): boolean {
    return Number(this.#db.get(COUNT_MAIL, sessionId)?.count ?? 0) > 0;
  }

  /** Closes the database. Safe to call twice. */
  close(): void {
    this.#db.close();
  }

  /**
   * Stores all that `fn` stores, or nothing. A transaction inside another joins it.
   *
   * @param fn Synchronous.
   * @returns What `fn` returned.
   */
  transaction<T>(fn: () => T): T {
    return this.#db.transaction(fn);
  }

  /**
   * Keeps configured secrets out of everything that is stored from now on.
   *
   * @param secrets Values such as API keys. Those below 8 characters are left alone.
   */
  hideSecrets(secrets: readonly string[]): void {
    this.#secrets = [...new Set([...this.#secrets, ...secrets])];
    this.#redact = createConfiguredRedactor(this.#secrets);
  }

  /**
   * Whether a text holds one of the configured secrets.
   *
   * @param text The text.
   */
  holdsSecret(text: string): boolean {
    return this.#redact(text) !== text;
  }

  /**
   * Starts a session.
   *
   * @param session Its id must be new.
   */
  createSession(session: NewSession): SessionRecord {
    if (!isSessionId(session.id)) {
      throw new TypeError("Cannot create a session: its id is not letters, digits and . _ -");
    }
    const { id, workspace, model, provider, title, createdAt } = session;
    return this.#db.transaction(() => {
      this.#db.run(INSERT_SESSION, id, workspace, model, provider, title ?? null, createdAt);
      this.#db.run(UPSERT_WORKSPACE, workspace, createdAt);
      return { ...session, depth: 0, options: {} };
    });
  }

  /**
   * Reads a session.
   *
   * @param id Its whole id.
   */
  session(id: string): SessionRecord | undefined {
    const row = this.#db.get("SELECT * FROM sessions WHERE id = ?", id);
    return row === undefined ? undefined : toSession(row);
  }

  /**
   * Finds sessions by id or by the beginning of one, newest first.
   *
   * @param idOrPrefix A whole id, or at least 4 characters of it.
   * @returns At most 10.
   */
  findSessions(idOrPrefix: string): readonly SessionRecord[] {
    const exact = this.session(idOrPrefix);
    if (exact !== undefined) return [exact];
    if (idOrPrefix.length < MIN_PREFIX_CHARS) return [];
    return this.#db.all(SELECT_PREFIX, idOrPrefix, MAX_MATCHES).map(toSession);
  }

  /**
   * Lists sessions that no other session started, the last used first.
   *
   * @param options How many, and of which workspace.
   */
  listSessions(
    options: { readonly limit: number; readonly workspace?: string },
  ): readonly SessionSummary[] {
    const rows = this.#db.all(SELECT_RECENT, options.workspace ?? null, options.limit);
    return rows.map((row) => this.#summarise(row));
  }

  /**
   * Changes a session.
   *
   * @param id The session.
   * @param changes What changes. Options are merged by key; null removes a key.
   * @throws {AlisioError} `session_not_found`.
   */
  updateSession(
    id: string,
    changes: {
      readonly model?: string;
      readonly provider?: string;
      readonly options?: Readonly<Record<string, JsonValue>>;
    },
  ): SessionRecord {
    return this.#db.transaction(() => {
      const session = this.#require(id);
      const merged = Object.entries({ ...session.options, ...changes.options });
      const options = Object.fromEntries(merged.filter(([, value]) => value !== null));
      const { model = session.model, provider = session.provider } = changes;
      const sql = "UPDATE sessions SET model = ?, provider = ?, options = ? WHERE id = ?";
      this.#db.run(sql, model, provider, this.#encode(options), id);
      return { ...session, model, provider, options };
    });
  }

  /**
   * Deletes a session with its child sessions, blobs that nothing else uses, output logs and artifacts. The
   * decisions about its calls stay in the audit.
   *
   * @param id The session.
   * @throws {AlisioError} `session_not_found`; `session_locked` while it is in use.
   */
  deleteSession(id: string): void {
    this.#require(id);
    deleteSession(this.#db, this.stateRoot, id);
  }

  /**
   * Whether a living process, this one included, holds the lease of a session.
   *
   * @param id The session.
   */
  isLeased(id: string): boolean {
    return isSessionId(id) && isLockHeld(lockPath(this.stateRoot, id));
  }

  /**
   * Notes who holds the lease of a session. For messages alone: the lease is a lock.
   *
   * @param id The session.
   * @param owner Null when it was released.
   */
  recordOwner(id: string, owner: LeaseOwner | null): void {
    const sql = "UPDATE sessions SET locked_pid = ?, locked_at = ?, locked_token = ? WHERE id = ?";
    this.#db.run(sql, owner?.pid ?? null, owner?.since ?? null, owner?.token ?? null, id);
  }

  /**
   * Adds a message to the end of a session.
   *
   * @param sessionId The session.
   * @param message The message.
   * @param createdAt Epoch milliseconds.
   * @returns Its place in the session, from 1.
   */
  appendMessage(sessionId: string, message: StoredMessage, createdAt: number): number {
    const json = this.#encode(message);
    return Number(this.#db.get(INSERT_MESSAGE, sessionId, message.role, json, createdAt)?.seq);
  }

  /**
   * Reads the messages of a session: those that a model is sent in their order, or all of them as
   * they were stored. A damaged row is skipped, with a notice.
   *
   * @param sessionId The session.
   * @param options Whether messages that a summary stands for are wanted too.
   */
  loadMessages(
    sessionId: string,
    options: { readonly includeCompacted?: boolean } = {},
  ): StoredMessage[] {
    const sql = options.includeCompacted === true ? SELECT_MESSAGES : SELECT_ACTIVE;
    return this.#readMessages(sql, sessionId).map(({ message }) => message);
  }

  /**
   * Reads the messages that a model is sent, in order, with their places. A damaged row is skipped,
   * with a notice.
   *
   * @param sessionId The session.
   */
  activeMessages(sessionId: string): readonly ActiveMessage[] {
    return this.#readMessages(SELECT_ACTIVE, sessionId);
  }

  /**
   * Puts messages in the place of others, which are kept as compacted: all of it or nothing.
   *
   * @param sessionId The session.
   * @param change What is replaced, and by what.
   * @param createdAt Epoch milliseconds.
   */
  replaceMessages(sessionId: string, change: MessageChange, createdAt: number): void {
    this.#db.transaction(() => {
      const at = Number(this.#db.get(SELECT_NEXT_SEQ, sessionId)?.seq);
      if (change.through > 0) this.#db.run(COMPACT_THROUGH, at, sessionId, change.through);
      for (const seq of change.seqs) this.#db.run(COMPACT_ONE, at, sessionId, seq);
      for (const { place, message } of change.added) {
        const json = this.#encode(message);
        this.#db.run(INSERT_IN_PLACE, sessionId, message.role, json, createdAt, place);
      }
    });
  }

  #readMessages(sql: string, sessionId: string): readonly ActiveMessage[] {
    const damaged: number[] = [];
    const found: ActiveMessage[] = [];
    for (const [seq, place, text] of this.#db.lists(sql, sessionId)) {
      const message = parseStoredMessage(String(text));
      if (message === undefined) damaged.push(Number(seq));
      else found.push({ seq: Number(seq), place: Number(place), message });
    }
    if (damaged.length > 0) this.#reportDamaged(sessionId, damaged);
    return found;
  }

  /**
   * Reads messages page by page, compacted and damaged ones included.
   *
   * @param sessionId The session.
   * @param options Where the page begins, and its size.
   */
  messagesPage(
    sessionId: string,
    options: { readonly afterSeq?: number; readonly limit?: number } = {},
  ): readonly MessageRow[] {
    const { afterSeq = 0, limit = DEFAULT_PAGE } = options;
    return this.#db.all(SELECT_MESSAGES_PAGE, sessionId, afterSeq, limit).map(toMessage);
  }

  /**
   * Records a call before it runs. The record of a call that may change something outlasts a loss
   * of power.
   *
   * @param call Its id must be new in the session.
   * @throws {AlisioError} `database_lost` when the record would not be found again.
   */
  beginCall(call: NewCall): void {
    this.#db.assertInPlace();
    const { sessionId, callId, runId, name, effect, startedAt } = call;
    const json = this.#redact(call.arguments);
    const insert = () =>
      void this.#db.run(INSERT_CALL, sessionId, callId, runId, name, effect, json, startedAt);
    if (effect === "read" || effect === "internal") insert();
    else this.#db.durableTransaction(insert);
  }

  /**
   * Records the result of a call.
   *
   * @param end How it ended.
   * @returns False when the call was not pending; its first result stays.
   */
  endCall(end: CallEnd): boolean {
    const content = this.#encode(end.content);
    const isError = end.isError ? 1 : 0;
    const { endedAt, sessionId, callId } = end;
    return this.#db.run(COMPLETE_CALL, content, isError, endedAt, sessionId, callId) > 0;
  }

  /**
   * Calls of all sessions that began after a time, whoever made them; of very many, the latest.
   *
   * @param since Epoch milliseconds.
   */
  recentCalls(since: number): readonly RecentCall[] {
    return this.#db.all(SELECT_RECENT_CALLS, MAX_RECENT_CALLS, since).map(toRecentCall);
  }

  /**
   * Calls of a session that have no result, in the order they began.
   *
   * @param sessionId The session.
   */
  pendingCalls(sessionId: string): readonly JournalCall[] {
    return this.#db.all(SELECT_PENDING, sessionId).map(toCall);
  }

  /**
   * The journal of a session, in the order the calls began.
   *
   * @param sessionId The session.
   */
  calls(sessionId: string): readonly JournalCall[] {
    return this.#db.all(SELECT_CALLS, sessionId).map(toCall);
  }

  /**
   * The calls of one tool in a session, in the order they began.
   *
   * @param sessionId The session.
   * @param name The tool.
   */
  callsOf(sessionId: string, name: string): readonly JournalCall[] {
    return this.#db.all(SELECT_CALLS_OF, sessionId, name).map(toCall);
  }

  /**
   * One call of a session.
   *
   * @param sessionId The session.
   * @param callId The call.
   */
  call(sessionId: string, callId: string): JournalCall | undefined {
    return this.#db.all(SELECT_CALL, sessionId, callId).map(toCall)[0];
  }

  /**
   * Ids of every call that a session has recorded.
   *
   * @param sessionId The session.
   */
  callIds(sessionId: string): readonly string[] {
    return this.#db.all("SELECT call_id FROM tool_calls WHERE session_id = ?", sessionId)
      .map((row) => String(row.call_id));
  }

  /**
   * Pending calls that may have changed something and have no result message. While a session has
   * any and nobody holds its lease, it needs recovery.
   *
   * @param sessionId The session.
   */
  uncertainCalls(sessionId: string): readonly JournalCall[] {
    return this.pendingCalls(sessionId).filter((call) =>
      call.effect !== "read" && call.effect !== "internal" &&
      this.#db.get(SELECT_RESULT, sessionId, call.callId) === undefined
    );
  }

  /**
   * Adds a decision to the audit, where it can be neither changed nor deleted. With the record of
   * its call in one {@linkcode SessionStore.transaction}, it lasts as long as that does.
   *
   * @param decision The decision. Texts that are too long are cut.
   * @returns Its place among all decisions of the database.
   */
  appendDecision(decision: NewDecision): number {
    return insertDecision(this.#db, decision, this.#redact);
  }

  /**
   * Reads the audit, the newest decision last. Sessions that were deleted are in it too.
   *
   * @param query Which decisions.
   */
  decisions(query: DecisionQuery = {}): readonly StoredDecision[] {
    return findDecisions(this.#db, query);
  }

  /** Names of the tools that the audit holds decisions about. */
  decidedTools(): readonly string[] {
    return this.#db.all("SELECT DISTINCT tool FROM decisions ORDER BY tool")
      .map(({ tool }) => String(tool));
  }

  /**
   * Records the start of a run.
   *
   * @param run The run.
   * @returns The run; an earlier one when the session already has one with this request id.
   * @throws {AlisioError} `database_lost` when the record would not be found again.
   */
  beginRun(run: NewRun): RunRecord {
    this.#db.assertInPlace();
    const { id, sessionId, requestId = null, correlationId = null, model } = run;
    return this.#db.transaction(() => {
      const existing = requestId === null
        ? undefined
        : this.#db.get(SELECT_RUN_BY_REQUEST, sessionId, requestId);
      if (existing !== undefined) return toRun(existing);
      const values = [requestId, correlationId, model, run.ownerPid, run.startedAt] as const;
      this.#db.get(INSERT_RUN, id, sessionId, ...values);
      return { ...run, status: "running" };
    });
  }

  /**
   * Records the end of a run.
   *
   * @param end How it ended.
   * @returns False when the run had ended before; that end stays.
   * @throws {AlisioError} `database_lost` when the record of the run is not found again.
   */
  endRun(end: RunEnd): boolean {
    this.#db.assertInPlace();
    const error = end.error === undefined ? null : this.#redact(end.error);
    const usage = end.usage === undefined ? null : this.#encode(end.usage);
    return this.#db.run(END_RUN, end.status, error, usage, end.endedAt, end.id) > 0;
  }

  /**
   * Marks runs that a dead process left as interrupted. Only the holder of the lease may know.
   *
   * @param sessionId The session.
   * @param endedAt Epoch milliseconds.
   * @returns How many there were.
   */
  interruptRuns(sessionId: string, endedAt: number = Date.now()): number {
    return this.#db.run(INTERRUPT_RUNS, endedAt, sessionId);
  }

  /**
   * Runs of a session, oldest first.
   *
   * @param sessionId The session.
   */
  runs(sessionId: string): readonly RunRecord[] {
    return this.#db.all("SELECT * FROM runs WHERE session_id = ? ORDER BY rowid", sessionId)
      .map(toRun);
  }

  /**
   * Stores an event.
   *
   * @param event The event.
   * @returns Its place among all events of the database; as text, the event's id.
   */
  appendEvent(event: NewEvent): number {
    const { sessionId, runId, seq, type, timestamp, correlationId = null } = event;
    const rest = [this.#encode(event.data), Date.parse(timestamp), correlationId] as const;
    return this.#db.insert(INSERT_EVENT, sessionId, runId, seq, type, timestamp, ...rest);
  }

  /**
   * Reads stored events of a session in order.
   *
   * @param sessionId The session.
   * @param options Where to begin, and how many: 1,000 by default.
   */
  eventsOf(
    sessionId: string,
    options: { readonly afterSeq?: number; readonly limit?: number } = {},
  ): readonly RunEvent[] {
    const { afterSeq = 0, limit = DEFAULT_PAGE } = options;
    return this.#db.all(SELECT_EVENTS, sessionId, afterSeq, limit).map(toEvent);
  }

  /**
   * Reads what a plugin keeps.
   *
   * @param plugin Its id.
   * @param key Of its choice.
   */
  pluginState(plugin: string, key: string): JsonValue | undefined {
    const sql = "SELECT value FROM plugin_state WHERE plugin = ? AND key = ?";
    return parseJson(this.#db.get(sql, plugin, key)?.value);
  }

  /**
   * Stores what a plugin keeps.
   *
   * @param plugin Its id.
   * @param key Of its choice.
   * @param value Undefined removes it.
   */
  setPluginState(plugin: string, key: string, value: JsonValue | undefined): void {
    if (value === undefined) {
      this.#db.run("DELETE FROM plugin_state WHERE plugin = ? AND key = ?", plugin, key);
    } else this.#db.run(UPSERT_STATE, plugin, key, this.#encode(value));
  }

  #summarise(row: Row): SessionSummary {
    const { id, workspace, model, provider, createdAt, owner, title } = toSession(row);
    const count = this.#db.get("SELECT count(*) AS n FROM messages WHERE session_id = ?", id);
    const summary = { id, workspace, model, provider, createdAt, messages: Number(count?.n) };
    return {
      ...summary,
      title: oneLine(title ?? this.#firstPrompt(id)),
      lastActivityAt: Number(row.last_activity_at),
      state: this.#stateOf(id, owner !== undefined),
    };
  }

  /** An owner that is noted may be dead; the lock tells. */
  #stateOf(id: string, isOwnerNoted: boolean): SessionSummary["state"] {
    if (isOwnerNoted && this.isLeased(id)) return "running";
    return this.uncertainCalls(id).length > 0 ? "needs_recovery" : "idle";
  }

  #firstPrompt(id: string): string {
    const row = this.#db.get(SELECT_FIRST_PROMPT, id);
    const message = row === undefined ? undefined : toMessage(row).message;
    return message?.role === "user" ? message.display ?? textOf(message.content) : "";
  }

  #reportDamaged(sessionId: string, seqs: readonly number[]): void {
    const places = seqs.slice(0, 5).join(", ") + (seqs.length > 5 ? ", …" : "");
    this.#notify({
      code: "message_unreadable",
      message: `Session "${sessionId}" holds ${seqs.length} unreadable ` +
        `${seqs.length === 1 ? "message" : "messages"} (number ${places}), left out`,
    });
  }

  #require(id: string): SessionRecord {
    const session = this.session(id);
    if (session !== undefined) return session;
    throw new AlisioError("session_not_found", `Cannot find session "${id}"`);
  }

  #encode(value: unknown): string {
    return this.#redact(JSON.stringify(value));
  }
}

function oneLine(text: string): string {
  const line = text.slice(0, 1_000).replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= MAX_TITLE_CHARS) return line;
  return `${characters.slice(0, MAX_TITLE_CHARS - 1).join("")}…`;
}
