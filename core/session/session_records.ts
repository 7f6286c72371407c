import type { Effect, JsonValue, RunEvent, ToolResultPart, Usage } from "@alisio/sdk";
import type { StoredMessage } from "./stored_message.ts";

/** What a new session starts with. */
export interface NewSession {
  /** Letters, digits, `.`, `_` and `-`, at most 128: it names files too. */
  readonly id: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly model: string;
  readonly provider: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly title?: string;
}

/** A session. */
export interface SessionRecord extends NewSession {
  /** The session that started it, if it is a child. */
  readonly parentId?: string;
  /** How many parents it has. */
  readonly depth: number;
  /** Settings that live with the session: preset, agent, effort, plan state. */
  readonly options: Readonly<Record<string, JsonValue>>;
  /** Who last took its lease, for messages alone: the lease is a lock that ends with its owner. */
  readonly owner?: LeaseOwner;
}

/** A process that took the lease of a session. */
export interface LeaseOwner {
  readonly pid: number;
  /** Epoch milliseconds. */
  readonly since?: number;
  /** When the process started, as its system counts; absent where that cannot be read. */
  readonly token?: string;
}

/** What a list of sessions shows of one. */
export interface SessionSummary {
  readonly id: string;
  readonly workspace: string;
  readonly model: string;
  readonly provider: string;
  /** The stored title, or the first prompt: one line of at most 60 characters. May be empty. */
  readonly title: string;
  readonly createdAt: number;
  /** When its last message was stored. */
  readonly lastActivityAt: number;
  /** Compacted messages included. */
  readonly messages: number;
  readonly state: "idle" | "running" | "needs_recovery";
}

/** A message with its place. */
export interface MessageRow {
  readonly seq: number;
  /** Absent when the row is damaged. */
  readonly message?: StoredMessage;
  readonly createdAt: number;
  /** Whether a summary stands for it. */
  readonly compacted: boolean;
}

/** A call that is about to run. */
export interface NewCall {
  readonly sessionId: string;
  /** Unique in the session. */
  readonly callId: string;
  readonly runId: string;
  readonly name: string;
  readonly effect: Effect;
  /** JSON text. */
  readonly arguments: string;
  readonly startedAt: number;
}

/** How a call ended. */
export interface CallEnd {
  readonly sessionId: string;
  readonly callId: string;
  readonly content: readonly ToolResultPart[];
  readonly isError: boolean;
  readonly endedAt: number;
}

/** A call in the journal. */
export interface JournalCall {
  readonly sessionId: string;
  readonly callId: string;
  /** Absent in entries of older versions, as are the name and the times. */
  readonly runId?: string;
  readonly name?: string;
  /** `external`, as for every effect that is not known, in entries of older versions. */
  readonly effect: Effect;
  /** JSON text. */
  readonly arguments: string;
  readonly status: "pending" | "completed";
  /** The result of a completed call. */
  readonly content?: readonly ToolResultPart[];
  readonly isError: boolean;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** How a run ended. */
export type TerminalRunStatus =
  | "completed"
  | "turns_exceeded"
  | "failed"
  | "cancelled"
  | "interrupted";

/** Where a run is. */
export type RunStatus = "queued" | "running" | TerminalRunStatus;

/** A run that starts. */
export interface NewRun {
  readonly id: string;
  readonly sessionId: string;
  /** Makes starting it twice start it once. */
  readonly requestId?: string;
  readonly correlationId?: string;
  readonly model: string;
  readonly startedAt: number;
  readonly ownerPid: number;
}

/** How a run ended, for its row. */
export interface RunEnd {
  readonly id: string;
  readonly status: TerminalRunStatus;
  readonly error?: string;
  readonly usage?: Usage;
  readonly endedAt: number;
}

/** A run. */
export interface RunRecord extends NewRun {
  readonly status: RunStatus;
  readonly endedAt?: number;
  readonly error?: string;
  readonly usage?: Usage;
}

/** An event to store. */
export type NewEvent = Omit<RunEvent, "schemaVersion" | "eventId">;
