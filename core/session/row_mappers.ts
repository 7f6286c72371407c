import type { Effect, JsonValue, RunEvent, ToolResultPart, Usage } from "@alisio/sdk";
import type { Row } from "./database.ts";
import type {
  JournalCall,
  LeaseOwner,
  MessageRow,
  RecentCall,
  RunRecord,
  RunStatus,
  SessionRecord,
  StoredDecision,
} from "./session_records.ts";
import { parseStoredMessage } from "./stored_message.ts";

const EFFECTS: readonly unknown[] = ["read", "write", "process", "external", "internal"];

/**
 * Reads a row of `sessions`.
 *
 * @param row The row.
 */
export function toSession(row: Row): SessionRecord {
  const owner = toOwner(row);
  return {
    id: String(row.id),
    workspace: String(row.workspace),
    model: String(row.model),
    provider: String(row.provider),
    createdAt: Number(row.created_at),
    depth: Number(row.depth),
    options: toOptions(row.options),
    ...optionalText("title", row.title),
    ...optionalText("parentId", row.parent_id),
    ...(owner === undefined ? {} : { owner }),
  };
}

/**
 * Reads a row of `messages`.
 *
 * @param row The row.
 */
export function toMessage(row: Row): MessageRow {
  const message = parseStoredMessage(String(row.message));
  return {
    seq: Number(row.seq),
    createdAt: Number(row.created_at),
    // From 2 on it was rewound, and the rest says what it was before.
    compacted: Number(row.compacted) % 2 === 1,
    ...(Number(row.compacted) >= 2 ? { rewound: true as const } : {}),
    ...(message === undefined ? {} : { message }),
  };
}

/**
 * Reads a row of `tool_calls`.
 *
 * @param row The row.
 */
export function toCall(row: Row): JournalCall {
  return {
    sessionId: String(row.session_id),
    callId: String(row.call_id),
    effect: toEffect(row.effect),
    arguments: String(row.arguments),
    status: row.status === "completed" ? "completed" : "pending",
    isError: row.is_error === 1,
    ...optionalText("runId", row.run_id),
    ...optionalText("name", row.name),
    ...optionalNumber("startedAt", row.started_at),
    ...optionalNumber("endedAt", row.ended_at),
    ...(row.content === null ? {} : { content: toParts(row.content) }),
  };
}

/**
 * Reads what of a row of `tool_calls` a budget counts.
 *
 * @param row The row.
 */
export function toRecentCall(row: Row): RecentCall {
  const { name, effect, started_at: startedAt } = row;
  return { name: String(name), effect: toEffect(effect), startedAt: Number(startedAt) };
}

/**
 * Reads a row of `runs`.
 *
 * @param row The row.
 */
export function toRun(row: Row): RunRecord {
  const usage = parseJson(row.usage);
  return {
    id: String(row.id),
    sessionId: String(row.session_id),
    status: String(row.status) as RunStatus,
    model: String(row.model),
    ownerPid: Number(row.owner_pid),
    startedAt: Number(row.started_at),
    ...optionalText("requestId", row.request_id),
    ...optionalText("correlationId", row.correlation_id),
    ...optionalText("error", row.error),
    ...optionalNumber("endedAt", row.ended_at),
    ...(usage === undefined ? {} : { usage: usage as unknown as Usage }),
  };
}

/**
 * Reads a row of `events`.
 *
 * @param row The row.
 */
export function toEvent(row: Row): RunEvent {
  const data = parseJson(row.data);
  return {
    schemaVersion: 1,
    runId: String(row.run_id),
    sessionId: String(row.session_id),
    seq: Number(row.run_seq),
    type: String(row.type),
    timestamp: String(row.timestamp),
    eventId: String(row.seq),
    ...optionalText("correlationId", row.correlation_id),
    data: isRecord(data) ? data : {},
  };
}

/**
 * Reads a row of `decisions`.
 *
 * @param row The row.
 */
export function toDecision(row: Row): StoredDecision {
  return {
    seq: Number(row.seq),
    sessionId: String(row.session_id),
    runId: String(row.run_id),
    callId: String(row.call_id),
    tool: String(row.tool),
    effect: toEffect(row.effect),
    summary: String(row.summary),
    outcome: String(row.outcome) as StoredDecision["outcome"],
    rule: String(row.rule),
    reason: String(row.reason),
    source: String(row.source) as StoredDecision["source"],
    channel: String(row.channel),
    ...optionalText("user", row.user),
    ...(row.scope === "once" || row.scope === "session" ? { scope: row.scope } : {}),
    decidedAt: Number(row.decided_at),
  };
}

/**
 * Reads JSON text of a column.
 *
 * @param value The column.
 * @returns Undefined when there is none, or it is damaged.
 */
export function parseJson(value: unknown): JsonValue | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function toEffect(value: unknown): Effect {
  return (EFFECTS.includes(value) ? value : "external") as Effect;
}

function toOptions(value: unknown): Readonly<Record<string, JsonValue>> {
  const options = parseJson(value);
  return isRecord(options) ? options as Record<string, JsonValue> : {};
}

function toOwner(row: Row): LeaseOwner | undefined {
  if (row.locked_pid === null) return undefined;
  return {
    pid: Number(row.locked_pid),
    ...optionalNumber("since", row.locked_at),
    ...optionalText("token", row.locked_token),
  };
}

function toParts(value: unknown): readonly ToolResultPart[] {
  const parts = parseJson(value);
  if (Array.isArray(parts)) return parts as unknown as readonly ToolResultPart[];
  return [{ type: "text", text: "The stored result is unreadable" }];
}

function optionalText<K extends string>(key: K, value: unknown): { readonly [P in K]?: string } {
  return (typeof value === "string" ? { [key]: value } : {}) as { readonly [P in K]?: string };
}

function optionalNumber<K extends string>(key: K, value: unknown): { readonly [P in K]?: number } {
  return (typeof value === "number" ? { [key]: value } : {}) as { readonly [P in K]?: number };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
