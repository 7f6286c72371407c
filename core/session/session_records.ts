import type { Effect, JsonValue, RunEvent, ToolResultPart, Usage } from "@alisio/sdk";
import type { DecisionRecord } from "../gate/decision_record.ts";
import type { StoredMessage } from "./stored_message.ts";

/** What a new session starts with. */
export interface NewSession {
  /** Letters, digits, `.`, `_` and `-`, at most 128: it names files too. */
  readonly id: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Name of the model that it talks to. */
  readonly model: string;
  /** Id of the provider. */
  readonly provider: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Chosen by the person; without one, lists show the first prompt. */
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
  /** Process id. */
  readonly pid: number;
  /** Epoch milliseconds. */
  readonly since?: number;
  /** When the process started, as its system counts; absent where that cannot be read. */
  readonly token?: string;
}

/** What a list of sessions shows of one. */
export interface SessionSummary {
  /** Its whole id. */
  readonly id: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Name of the model that it talks to. */
  readonly model: string;
  /** Id of the provider. */
  readonly provider: string;
  /** The stored title, or the first prompt: one line of at most 60 characters. May be empty. */
  readonly title: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When its last message was stored. */
  readonly lastActivityAt: number;
  /** Compacted messages included. */
  readonly messages: number;
  /** `running` while a living process holds the lease. */
  readonly state: "idle" | "running" | "needs_recovery";
}

/** A message with its place. */
export interface MessageRow {
  /** Counts from 1 within the session. */
  readonly seq: number;
  /** Absent when the row is damaged. */
  readonly message?: StoredMessage;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Whether a summary stands for it. */
  readonly compacted: boolean;
  /** Whether the conversation was put back to before it. */
  readonly rewound?: true;
}

/** A message that a model is sent, with its place. */
export interface ActiveMessage {
  /** Its own number. */
  readonly seq: number;
  /** Where it stands among the active ones; that of the last one that it stands for, or `seq`. */
  readonly place: number;
  /** The message. */
  readonly message: StoredMessage;
}

/** A part of a session that other messages take the place of. */
export interface MessageChange {
  /** Active messages up to this place are compacted; 0 is none. */
  readonly through: number;
  /** Further active messages that are compacted, by number. */
  readonly seqs: readonly number[];
  /** What is added, each at its place; equal places are in the order of the list. */
  readonly added: readonly Pick<ActiveMessage, "place" | "message">[];
}

/** A call that is about to run. */
export interface NewCall {
  /** The session. */
  readonly sessionId: string;
  /** Unique in the session. */
  readonly callId: string;
  /** The run. */
  readonly runId: string;
  /** Name of the tool. */
  readonly name: string;
  /** Effect of the tool. */
  readonly effect: Effect;
  /** JSON text. */
  readonly arguments: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** A call of any session, as far as a budget counts it. */
export interface RecentCall {
  /** Name of the tool. */
  readonly name: string;
  /** Effect of the tool. */
  readonly effect: Effect;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** How a call ended. */
export interface CallEnd {
  /** The session. */
  readonly sessionId: string;
  /** The call. */
  readonly callId: string;
  /** What the tool answered. */
  readonly content: readonly ToolResultPart[];
  /** Whether it failed. */
  readonly isError: boolean;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/** A call in the journal. */
export interface JournalCall {
  /** The session. */
  readonly sessionId: string;
  /** Unique in the session. */
  readonly callId: string;
  /** The run. Absent in entries of older versions, as are the name and the times. */
  readonly runId?: string;
  /** Name of the tool. */
  readonly name?: string;
  /** `external`, as for every effect that is not known, in entries of older versions. */
  readonly effect: Effect;
  /** JSON text. */
  readonly arguments: string;
  /** `pending` until its result is recorded. */
  readonly status: "pending" | "completed";
  /** The result of a completed call. */
  readonly content?: readonly ToolResultPart[];
  /** Whether it failed. */
  readonly isError: boolean;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  /** Epoch milliseconds. */
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
  /** Unique in the database. */
  readonly id: string;
  /** The session. */
  readonly sessionId: string;
  /** Makes starting it twice start it once. */
  readonly requestId?: string;
  /** Copied into its events. */
  readonly correlationId?: string;
  /** Name of the model. */
  readonly model: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The process that runs it. */
  readonly ownerPid: number;
}

/** How a run ended, for its row. */
export interface RunEnd {
  /** The run. */
  readonly id: string;
  /** How it ended. */
  readonly status: TerminalRunStatus;
  /** Why it did not complete. */
  readonly error?: string;
  /** What it used. */
  readonly usage?: Usage;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/** A run. */
export interface RunRecord extends NewRun {
  /** Where it is. */
  readonly status: RunStatus;
  /** Epoch milliseconds. */
  readonly endedAt?: number;
  /** Why it did not complete. */
  readonly error?: string;
  /** What it used. */
  readonly usage?: Usage;
}

/** An event to store. */
export type NewEvent = Omit<RunEvent, "schemaVersion" | "eventId">;

/** A decision of the gate to keep, with a summary in place of the input. */
export interface NewDecision extends Omit<DecisionRecord, "arguments"> {
  /** The session. */
  readonly sessionId: string;
  /** The run. */
  readonly runId: string;
  /** What the input is about, without secrets: at most 80 characters. */
  readonly summary: string;
  /** Epoch milliseconds. */
  readonly decidedAt: number;
}

/** A decision of the audit. */
export interface StoredDecision extends NewDecision {
  /** Its place among all decisions of the database. */
  readonly seq: number;
}

/** Which decisions of the audit are wanted. What is absent limits nothing. */
export interface DecisionQuery {
  /** A session's id, or the beginning of one. */
  readonly session?: string;
  /** Name of the tool. */
  readonly tool?: string;
  /** What became of the call. */
  readonly outcome?: DecisionRecord["outcome"];
  /** Decided then or later, in epoch milliseconds. */
  readonly since?: number;
  /** Only those before this place; the first of a page, for the page before it. */
  readonly beforeSeq?: number;
  /**
   * How many, counted from the newest.
   *
   * @default 1000
   */
  readonly limit?: number;
}
