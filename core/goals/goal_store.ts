import { parseJson } from "../session/row_mappers.ts";
import type { Database, Row } from "../session/database.ts";
import {
  type CheckedEvidence,
  type Evidence,
  EVIDENCE_KINDS,
  type Goal,
  type GoalReason,
} from "./goal.ts";
import { REASONS } from "./goal_states.ts";
import type { RanCall, Refusal } from "./verify_evidence.ts";

/** What a column holds of a goal. */
type ColumnValue = string | number | null;

/** Every column that changes, with what it holds. */
const COLUMNS: readonly (readonly [string, (goal: Goal) => ColumnValue])[] = [
  ["objective", (goal) => goal.objective],
  ["status", (goal) => goal.status],
  ["reason", (goal) => goal.reason],
  ["detail", (goal) => goal.detail],
  ["summary", (goal) => goal.summary],
  ["evidence", (goal) => JSON.stringify(goal.evidence)],
  ["epoch", (goal) => goal.epoch],
  ["token_budget", (goal) => goal.tokenBudget],
  ["tokens_used", (goal) => goal.tokensUsed],
  ["turns_used", (goal) => goal.turnsUsed],
  ["max_turns", (goal) => goal.maxTurns],
  ["max_wall_ms", (goal) => goal.maxWallMs],
  ["turn_allowance", (goal) => goal.allowance.turns],
  ["wall_allowance_ms", (goal) => goal.allowance.wallMs],
  ["active_ms", (goal) => Math.round(goal.activeMs)],
  ["no_tool_streak", (goal) => goal.noToolStreak],
  ["repeat_streak", (goal) => goal.repeatStreak],
  ["last_reply_hash", (goal) => goal.replyHash],
  ["blocked_streak", (goal) => goal.blockedStreak],
  ["blocked_run", (goal) => goal.blockedRun],
  ["continuations", (goal) => goal.continuations],
  ["inflight", (goal) => goal.isInFlight ? 1 : 0],
  ["last_run_id", (goal) => goal.lastRunId],
  ["kickoff_sent", (goal) => goal.isContractSent ? 1 : 0],
  ["owner_pid", (goal) => goal.owner.pid],
  ["owner_token", (goal) => goal.owner.token],
  ["created_at", (goal) => goal.createdAt],
  ["updated_at", (goal) => goal.updatedAt],
  ["completed_at", (goal) => goal.completedAt],
];

const NAMES = COLUMNS.map(([name]) => name);
const SELECT = "SELECT * FROM session_goals WHERE session_id = ?";
const REPLACE = `INSERT OR REPLACE INTO session_goals (session_id, goal_id, ${NAMES.join(", ")})
  VALUES (?, ?, ${NAMES.map(() => "?").join(", ")})`;
const UPDATE = `UPDATE session_goals SET ${NAMES.map((name) => `${name} = ?`).join(", ")}
  WHERE session_id = ? AND goal_id = ? AND epoch = ? AND inflight = ? AND turns_used = ?`;
// Results may be long, and their beginning tells how a command ended.
const SELECT_COMMANDS = `
  SELECT name, arguments, substr(content, 1, 80) AS content, ended_at FROM tool_calls
  WHERE session_id = ?1 AND started_at >= ?2 AND status = 'completed'
    AND name IN ('shell', 'run_process') AND length(arguments) <= 20000
    AND ${isNotRewound("started_at")}
  ORDER BY rowid DESC LIMIT 2000`;
// One that was stopped, or reached its time limit, did not come to an end of its own.
const SELECT_TASKS = `
  SELECT command, exit_code, ended_at FROM background_tasks
  WHERE session_id = ?1 AND created_at >= ?2 AND status IN ('succeeded', 'failed')
    AND error_code IS NULL AND exit_code IS NOT NULL
    AND ${isNotRewound("created_at")}
  ORDER BY ended_at DESC LIMIT 2000`;
const SELECT_REFUSALS = `
  SELECT tool, summary, reason FROM decisions
  WHERE session_id = ?1 AND decided_at >= ?2
    AND outcome IN ('denied', 'replaced', 'timed_out', 'blocked')
    AND ${isNotRewound("decided_at")}
  ORDER BY seq DESC LIMIT 2000`;
/** What was put aside proves nothing any more. */
function isNotRewound(time: string): string {
  return `NOT EXISTS (
    SELECT 1 FROM rewinds r JOIN messages m ON m.session_id = r.session_id AND m.seq = r.before_seq
    WHERE r.session_id = ?1 AND r.ended_at IS NOT NULL AND r.undone_at IS NULL
      AND ${time} >= m.created_at AND ${time} <= r.ended_at)`;
}
const EXIT_CODE_REGEXP = /"text":"(?<start>\{\\"exitCode\\":\d+[,}])/;
const DELETE = "DELETE FROM session_goals WHERE session_id = ? AND goal_id = ?";

/** The goals of sessions, of which each has one at most. Every method is synchronous. */
export class GoalStore {
  readonly #db: Database;

  /** @param db The database of sessions. */
  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The goal of a session.
   *
   * @param sessionId The session.
   */
  find(sessionId: string): Goal | undefined {
    const row = this.#db.get(SELECT, sessionId);
    return row === undefined ? undefined : toGoal(row);
  }

  /**
   * Sets the goal of a session, in place of any other.
   *
   * @param goal The goal.
   */
  put(goal: Goal): void {
    this.#db.run(REPLACE, goal.sessionId, goal.id, ...COLUMNS.map(([, of]) => of(goal)));
  }

  /**
   * Changes a goal: what `change` makes of it is stored, if nobody changed it meanwhile.
   *
   * @param sessionId The session.
   * @param change Answers another goal, or null for no change; synchronous.
   * @returns The goal as it is afterwards; undefined where there is none, or nothing changed.
   */
  change(sessionId: string, change: (goal: Goal) => Goal | null): Goal | undefined {
    return this.#db.transaction(() => {
      const before = this.find(sessionId);
      const after = before === undefined ? null : change(before);
      if (before === undefined || after === null) return undefined;
      const stored = { ...after, updatedAt: Math.max(Date.now(), before.updatedAt) };
      const rows = this.#db.run(
        UPDATE,
        ...COLUMNS.map(([, of]) => of(stored)),
        sessionId,
        before.id,
        before.epoch,
        before.isInFlight ? 1 : 0,
        before.turnsUsed,
      );
      return rows === 1 ? stored : undefined;
    });
  }

  /**
   * Commands of a session that ran to their end, in the background or not, in the order of their
   * ends; of very many, the latest.
   *
   * @param goal The goal since which they ran.
   */
  ranCommands({ sessionId, createdAt }: Pick<Goal, "sessionId" | "createdAt">): readonly RanCall[] {
    const calls = this.#db.all(SELECT_COMMANDS, sessionId, createdAt).toReversed();
    const tasks = this.#db.all(SELECT_TASKS, sessionId, createdAt).toReversed();
    return [
      ...calls.map((row) => ({ endedAt: Number(row.ended_at), call: toRanCall(row) })),
      ...tasks.map((row) => ({ endedAt: Number(row.ended_at), call: toRanTask(row) })),
    ].sort((a, b) => a.endedAt - b.endedAt).map(({ call }) => call);
  }

  /**
   * Calls of a session that permission refused; of very many, the latest.
   *
   * @param goal The goal since which they were refused.
   */
  refusals({ sessionId, createdAt }: Pick<Goal, "sessionId" | "createdAt">): readonly Refusal[] {
    return this.#db.all(SELECT_REFUSALS, sessionId, createdAt).map((row) => ({
      tool: String(row.tool),
      summary: String(row.summary),
      reason: String(row.reason),
    }));
  }

  /**
   * Forgets a goal.
   *
   * @param goal The goal.
   */
  remove({ sessionId, id }: Pick<Goal, "sessionId" | "id">): boolean {
    return this.#db.run(DELETE, sessionId, id) > 0;
  }
}

function toRanCall(row: Row): RanCall {
  const start = EXIT_CODE_REGEXP.exec(String(row.content))?.groups?.["start"] ?? "";
  return {
    name: String(row.name),
    arguments: String(row.arguments),
    status: "completed",
    content: [{ type: "text", text: start.replaceAll("\\", "") }],
  };
}

/** A task runs its command as `shell` does. */
function toRanTask(row: Row): RanCall {
  return {
    name: "shell",
    arguments: JSON.stringify({ command: String(row.command) }),
    status: "completed",
    content: [{ type: "text", text: `{"exitCode":${Number(row.exit_code)}}` }],
  };
}

function toGoal(row: Row): Goal {
  const reason = toReason(row.reason);
  return {
    sessionId: String(row.session_id),
    id: String(row.goal_id),
    epoch: Number(row.epoch),
    objective: String(row.objective),
    status: REASONS[reason].status,
    reason,
    detail: String(row.detail),
    summary: String(row.summary),
    evidence: toEvidence(parseJson(row.evidence)),
    tokenBudget: row.token_budget === null ? null : Number(row.token_budget),
    tokensUsed: Number(row.tokens_used),
    turnsUsed: Number(row.turns_used),
    maxTurns: Number(row.max_turns),
    maxWallMs: Number(row.max_wall_ms),
    allowance: { turns: Number(row.turn_allowance), wallMs: Number(row.wall_allowance_ms) },
    activeMs: Number(row.active_ms),
    noToolStreak: Number(row.no_tool_streak),
    repeatStreak: Number(row.repeat_streak),
    replyHash: String(row.last_reply_hash),
    blockedStreak: Number(row.blocked_streak),
    blockedRun: String(row.blocked_run),
    continuations: Number(row.continuations),
    isInFlight: row.inflight === 1,
    lastRunId: String(row.last_run_id),
    isContractSent: row.kickoff_sent === 1,
    owner: { pid: Number(row.owner_pid), token: String(row.owner_token) },
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    completedAt: row.completed_at === null ? null : Number(row.completed_at),
  };
}

/** What nobody knows is no reason to go on. */
function toReason(value: unknown): GoalReason {
  const known = typeof value === "string" && Object.hasOwn(REASONS, value);
  return known ? value as GoalReason : "restart";
}

function toEvidence(value: unknown): readonly CheckedEvidence[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isEvidence).map((piece) => ({
    kind: piece.kind,
    detail: piece.detail,
    ...("verified" in piece ? { verified: piece.verified === true } : {}),
  }));
}

function isEvidence(value: unknown): value is Evidence {
  return typeof value === "object" && value !== null && "detail" in value && "kind" in value &&
    typeof value.detail === "string" &&
    EVIDENCE_KINDS.some((kind) => kind === value.kind);
}
