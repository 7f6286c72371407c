import type { Database, Row } from "../session/database.ts";
import { type BackgroundTask, type StopOrigin, TASK_STATUSES } from "./background_task.ts";
import type { TaskStatus } from "./background_task.ts";

const INSERT = `
  INSERT INTO background_tasks
    (id, session_id, root_session_id, workspace, kind, label, command, cwd, status, owner_pid,
     owner_token, timeout_ms, log_path, created_at)
  VALUES (?, ?, ?, ?, 'shell', ?, ?, ?, 'queued', ?, ?, ?, ?, ?)`;
const SELECT_ONE = "SELECT * FROM background_tasks WHERE id = ?";
// Ids begin with the time, and order those of one millisecond by chance.
const SELECT_OF_ROOT = `
  SELECT * FROM background_tasks
  WHERE root_session_id = ?1 AND (?2 IS NULL OR status = ?2)
  ORDER BY created_at DESC, rowid DESC LIMIT ?3`;
const COUNT_LIVE = `
  SELECT count(*) AS count FROM background_tasks
  WHERE root_session_id = ? AND status IN ('queued', 'running', 'stopping')`;
const SELECT_LIVE = `
  SELECT * FROM background_tasks WHERE status IN ('queued', 'running', 'stopping')`;
const START = `
  UPDATE background_tasks SET status = 'running', pid = ?, started_at = ?
  WHERE id = ? AND status = 'queued'`;
const IDENTIFY = "UPDATE background_tasks SET process_start = ? WHERE id = ?";
const STOP = `
  UPDATE background_tasks SET status = 'stopping', abort_origin = ?
  WHERE id = ? AND status IN ('queued', 'running')`;
const END = `
  UPDATE background_tasks SET status = ?, exit_code = ?, signal = ?, error_code = ?, error = ?,
    truncated = ?, bytes = ?, ended_at = ?
  WHERE id = ? AND status = ?`;
const LOSE = `
  UPDATE background_tasks SET status = 'lost', bytes = ?, ended_at = ?
  WHERE id = ? AND owner_token = ? AND status IN ('queued', 'running', 'stopping')`;
const DELIVER = `
  UPDATE background_tasks SET delivered_at = ?
  WHERE id = ? AND delivered_at IS NULL AND status NOT IN ('queued', 'running', 'stopping')`;
const UNDELIVER =
  "UPDATE background_tasks SET delivered_at = NULL WHERE id = ? AND delivered_at = ?";
const SELECT_OLD = `
  SELECT * FROM background_tasks
  WHERE ended_at < ? AND status NOT IN ('queued', 'running', 'stopping')`;
const DELETE = `
  DELETE FROM background_tasks
  WHERE id = ? AND status NOT IN ('queued', 'running', 'stopping')`;
const SELECT_ROOT = `
  WITH RECURSIVE above (id, parent_id) AS (
    SELECT id, parent_id FROM sessions WHERE id = ?
    UNION SELECT s.id, s.parent_id FROM sessions s JOIN above a ON s.id = a.parent_id
  )
  SELECT id FROM above WHERE parent_id IS NULL`;
const SELECT_ARCHIVED = "SELECT archived_at FROM sessions WHERE id = ?";

/** A task that is about to start. */
export type NewTask =
  & Pick<BackgroundTask, "id" | "sessionId" | "rootSessionId" | "workspace" | "label" | "command">
  & Pick<BackgroundTask, "cwd" | "ownerPid" | "ownerToken" | "timeoutMs" | "logPath" | "createdAt">;

/** How a task ended. */
export interface TaskEnd {
  readonly status: Exclude<TaskStatus, "queued" | "running" | "stopping" | "lost">;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly errorCode?: string;
  readonly error?: string;
  readonly isTruncated: boolean;
  readonly outputBytes: number;
  readonly endedAt: number;
}

/**
 * The record of background tasks. Every change of a status names the one before, so that of two
 * changes at the same moment one counts, and a final status is never left.
 */
export class TaskStore {
  readonly #db: Database;

  /** @param db The session database. */
  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The session at the root of a session's tree; the session itself where it is not stored.
   *
   * @param sessionId The session.
   */
  rootOf(sessionId: string): string {
    return String(this.#db.get(SELECT_ROOT, sessionId)?.id ?? sessionId);
  }

  /**
   * Whether a session was put away.
   *
   * @param sessionId The session.
   */
  isArchived(sessionId: string): boolean {
    return (this.#db.get(SELECT_ARCHIVED, sessionId)?.archived_at ?? null) !== null;
  }

  /**
   * Records a task that waits for its process.
   *
   * @param task The task.
   * @param maxLive How many of its root session may not have ended, this one included.
   * @returns False, and nothing is recorded, where there are as many already.
   */
  create(task: NewTask, maxLive: number): boolean {
    return this.#db.transaction(() => {
      if (Number(this.#db.get(COUNT_LIVE, task.rootSessionId)?.count) >= maxLive) return false;
      this.#db.run(
        INSERT,
        ...[task.id, task.sessionId, task.rootSessionId, task.workspace, task.label],
        ...[task.command, task.cwd, task.ownerPid, task.ownerToken, task.timeoutMs, task.logPath],
        task.createdAt,
      );
      return true;
    });
  }

  /**
   * A task.
   *
   * @param id The task.
   */
  find(id: string): BackgroundTask | undefined {
    const row = this.#db.get(SELECT_ONE, id);
    return row === undefined ? undefined : toTask(row);
  }

  /**
   * Tasks of a root session, the newest first.
   *
   * @param rootSessionId The session.
   * @param query Which of them.
   */
  list(
    rootSessionId: string,
    query: { readonly status?: TaskStatus; readonly limit: number },
  ): readonly BackgroundTask[] {
    return this.#db.all(SELECT_OF_ROOT, rootSessionId, query.status ?? null, query.limit)
      .map(toTask);
  }

  /** Every task that has not ended, of all sessions and processes. */
  live(): readonly BackgroundTask[] {
    return this.#db.all(SELECT_LIVE).map(toTask);
  }

  /**
   * From `queued` to `running`.
   *
   * @param id The task.
   * @param pid Its process.
   * @param startedAt Now.
   * @returns Whether that counted.
   */
  start(id: string, pid: number, startedAt: number): boolean {
    return this.#db.run(START, pid, startedAt, id) === 1;
  }

  /**
   * Notes what tells the process of a task from a later one of the same id.
   *
   * @param id The task.
   * @param processStart When the process began.
   */
  identify(id: string, processStart: string): void {
    this.#db.run(IDENTIFY, processStart, id);
  }

  /**
   * From `queued` or `running` to `stopping`.
   *
   * @param id The task.
   * @param origin Who stops it.
   * @returns Whether that counted.
   */
  stop(id: string, origin: StopOrigin): boolean {
    return this.#db.run(STOP, origin, id) === 1;
  }

  /**
   * From a status that is not final to one that is.
   *
   * @param id The task.
   * @param from The status that it has.
   * @param end How it ended.
   * @returns Whether that counted.
   */
  end(id: string, from: TaskStatus, end: TaskEnd): boolean {
    return this.#db.run(
      END,
      ...[end.status, end.exitCode ?? null, end.signal ?? null, end.errorCode ?? null],
      ...[end.error ?? null, end.isTruncated ? 1 : 0, end.outputBytes, end.endedAt, id, from],
    ) === 1;
  }

  /**
   * To `lost`.
   *
   * @param task A task whose owner has gone.
   * @param outputBytes Bytes of its log.
   * @param endedAt Now.
   * @returns Whether that counted.
   */
  lose({ id, ownerToken }: BackgroundTask, outputBytes: number, endedAt: number): boolean {
    return this.#db.run(LOSE, outputBytes, endedAt, id, ownerToken) === 1;
  }

  /**
   * Notes that the model learns of the end of tasks: of those that it does not know of yet.
   *
   * @param ids The tasks.
   * @param deliveredAt Now.
   * @returns Those that this counted for.
   */
  deliver(ids: readonly string[], deliveredAt: number): readonly string[] {
    return this.#db.transaction(() =>
      ids.filter((id) => this.#db.run(DELIVER, deliveredAt, id) === 1)
    );
  }

  /**
   * Takes {@linkcode TaskStore.deliver} back.
   *
   * @param ids The tasks that it counted for.
   * @param deliveredAt The time that was noted.
   */
  undeliver(ids: readonly string[], deliveredAt: number): void {
    this.#db.transaction(() => ids.forEach((id) => this.#db.run(UNDELIVER, id, deliveredAt)));
  }

  /**
   * Tasks that ended long ago.
   *
   * @param endedBefore Epoch milliseconds.
   */
  endedBefore(endedBefore: number): readonly BackgroundTask[] {
    return this.#db.all(SELECT_OLD, endedBefore).map(toTask);
  }

  /**
   * Forgets a task that has ended.
   *
   * @param id The task.
   */
  remove(id: string): void {
    this.#db.run(DELETE, id);
  }
}

function toTask(row: Row): BackgroundTask {
  return {
    id: String(row.id),
    sessionId: String(row.session_id),
    rootSessionId: String(row.root_session_id),
    workspace: String(row.workspace),
    label: String(row.label),
    command: String(row.command),
    cwd: String(row.cwd),
    status: TASK_STATUSES.find((status) => status === row.status) ?? "lost",
    ownerPid: Number(row.owner_pid),
    ownerToken: String(row.owner_token),
    timeoutMs: Number(row.timeout_ms),
    isTruncated: row.truncated === 1,
    logPath: String(row.log_path),
    outputBytes: Number(row.bytes),
    createdAt: Number(row.created_at),
    ...number("exitCode", row.exit_code),
    ...text("signal", row.signal),
    ...number("pid", row.pid),
    ...text("processStart", row.process_start),
    ...stoppedBy(row.abort_origin),
    ...text("errorCode", row.error_code),
    ...text("error", row.error),
    ...number("deliveredAt", row.delivered_at),
    ...number("startedAt", row.started_at),
    ...number("endedAt", row.ended_at),
  };
}

const ORIGINS: readonly StopOrigin[] = ["user", "model", "timeout", "shutdown"];

function stoppedBy(value: unknown): { readonly stoppedBy?: StopOrigin } {
  const origin = ORIGINS.find((each) => each === value);
  return origin === undefined ? {} : { stoppedBy: origin };
}

function number<K extends string>(name: K, value: unknown): { readonly [P in K]?: number } {
  return value === null ? {} : { [name]: Number(value) } as { readonly [P in K]: number };
}

function text<K extends string>(name: K, value: unknown): { readonly [P in K]?: string } {
  return value === null ? {} : { [name]: String(value) } as { readonly [P in K]: string };
}
