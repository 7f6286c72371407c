import type { Effect } from "./tool.ts";
import type { Usage } from "./provider.ts";

/** Data of every event that the core emits, by type. */
export interface RunEventData {
  readonly run_started: { readonly model: string };
  readonly text_delta: { readonly delta: string };
  readonly reasoning_delta: { readonly delta: string };
  readonly turn_completed: {
    readonly turn: number;
    /** Tokens reported in this run so far. */
    readonly tokens: number;
    readonly calls: number;
    readonly model: string;
    readonly usage?: Usage;
    readonly durationMs?: number;
    /** Absent when nothing streamed. */
    readonly ttftMs?: number;
  };
  readonly tool_started: {
    readonly id: string;
    readonly name: string;
    /** JSON text. */
    readonly arguments: string;
    readonly effect: Effect;
  };
  readonly tool_progress: { readonly id: string; readonly data: unknown };
  readonly tool_completed: {
    readonly id: string;
    readonly name: string;
    readonly isError: boolean;
    readonly durationMs: number;
    /** Text only, bounded. */
    readonly preview: string;
    /** Set when permissions refused the call: the rule, and what the person could do. */
    readonly refused?: { readonly matched: string; readonly remedy?: string };
  };
  readonly approval_requested: {
    readonly id: string;
    readonly name: string;
    readonly effect: Effect;
    readonly label?: string;
  };
  readonly approval_resolved: {
    readonly id: string;
    readonly name: string;
    readonly effect: Effect;
    readonly decision: "once" | "session" | "deny";
  };
  readonly run_completed: {
    readonly tokens: number;
    readonly text: string;
    readonly truncated?: boolean;
  };
  readonly response_truncated: {
    readonly turn: number;
    readonly maxOutputTokens: number;
    readonly source: "user" | "model" | "default";
  };
  readonly run_turns_exceeded: { readonly turns: number; readonly maxTurns: number };
  readonly request_retry: {
    readonly attempt: number;
    readonly of: number;
    /** `first_token_timeout`, or the code of the provider error that is retried. */
    readonly reason: string;
    readonly afterMs: number;
  };
  readonly truncation_recovery: {
    readonly attempt: number;
    readonly of: number;
    readonly reason: "tool_call_cut" | "empty_response" | "stream_interrupted";
    readonly maxOutputTokens: number;
    readonly effort?: string;
  };
  /** Something unusual that the run got over: an odd server, a repeated call. */
  readonly run_warning: { readonly code: string; readonly message: string };
  readonly run_failed: {
    readonly error: string;
    readonly code?: string;
    readonly timeout?: {
      readonly kind: "run" | "first_token";
      readonly ms: number;
      readonly model: string;
      readonly provider: string;
      readonly stage: "model" | "tool";
      readonly tool?: string;
      readonly firstRequest: boolean;
      readonly attempts: number;
    };
    readonly truncation?: {
      readonly attempts: number;
      readonly maxOutputTokens: number;
      readonly model: string;
    };
  };
  readonly run_cancelled: { readonly error: string };
  readonly model_changed: { readonly model: string; readonly previous: string };
}

/** Name of an event that the core emits. */
export type KnownRunEventType = keyof RunEventData;

/** Fields that every event carries. */
export interface RunEventEnvelope {
  /** Always 1: changes only add. */
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly sessionId: string;
  /** Counts from 1 within the run. */
  readonly seq: number;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Order over all runs of the database; absent on events that are never stored. */
  readonly eventId?: string;
  readonly correlationId?: string;
}

/** An event whose `data` is typed by its `type`. */
export type KnownRunEvent = {
  [T in KnownRunEventType]: RunEventEnvelope & {
    readonly type: T;
    readonly data: RunEventData[T];
  };
}[KnownRunEventType];

/** Any event; consumers ignore types and fields that they do not know. */
export interface RunEvent extends RunEventEnvelope {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
