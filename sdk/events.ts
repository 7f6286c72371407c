import type { Effect } from "./tool.ts";
import type { Usage } from "./provider.ts";

/** What the events about decisions say. Nothing in it is a secret, as far as that can be told. */
export type AutonomyEventData = {
  /** `WARN` for every refusal. */
  readonly level: "INFO" | "WARN";
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly tool: string;
  /** The file or folder that the call names, cut to 300 characters. */
  readonly path?: string;
  /** The command line or address that the call names, cut to 300 characters. */
  readonly command?: string;
  /** Where a person was asked or would have been: `headless`, `terminal`, the key of a channel. */
  readonly channel: string;
  /** Who answered, where the channel knows. */
  readonly user?: string;
  /** Why, in the words that the model gets. */
  readonly reason: string;
  /** The rule that decided or asked. */
  readonly rule: string;
};

/**
 * Why a conversation is made shorter: the person asked for it, the context is nearly full, or
 * nothing else makes it fit.
 */
export type CompactionReason = "manual" | "auto" | "budget";

/** Data of every event that the core emits, by type. */
export interface RunEventData {
  /** A prompt was taken up. */
  readonly run_started: { readonly model: string };
  /** Part of the answer arrived; never stored. */
  readonly text_delta: { readonly delta: string };
  /** Part of the visible reasoning arrived; never stored. */
  readonly reasoning_delta: { readonly delta: string };
  /** The model finished one response. */
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
  /** A call begins, before anything is decided about it. */
  readonly tool_started: {
    readonly id: string;
    readonly name: string;
    /** JSON text. */
    readonly arguments: string;
    readonly effect: Effect;
    /** Id of the call that made this one, such as `execute`; absent for a call of the model. */
    readonly parentId?: string;
  };
  /** A running call reports; never stored. */
  readonly tool_progress: { readonly id: string; readonly data: unknown };
  /** A call ended, well or not. */
  readonly tool_completed: {
    readonly id: string;
    readonly name: string;
    readonly isError: boolean;
    readonly durationMs: number;
    /** Text only, bounded. */
    readonly preview: string;
    /** Set when permissions refused the call: the rule, and what the person could do. */
    readonly refused?: { readonly matched: string; readonly remedy?: string };
    /** Id of the call that made this one; absent for a call of the model. */
    readonly parentId?: string;
  };
  /** A call waits for the person. */
  readonly approval_requested: {
    readonly id: string;
    readonly name: string;
    readonly effect: Effect;
    /** Where the person is asked: `terminal`, `host` for the program that opened Alisio, … */
    readonly channel: string;
    /** The command or the path that it is about, shortened. */
    readonly label?: string;
  };
  /** The person answered, or nobody could. */
  readonly approval_resolved: {
    readonly id: string;
    readonly name: string;
    readonly effect: Effect;
    /** `edit` when the person answered in place of the call. */
    readonly decision: "once" | "session" | "deny" | "edit";
    /** Who decided: the person, or nobody and why. */
    readonly source: "operator" | "unavailable" | "unreachable" | "timed_out";
    /** Where it was decided, or asked last. */
    readonly channel: string;
    /** Who answered, where the channel knows. */
    readonly user?: string;
  };
  /** A person is asked about a call. */
  readonly "autonomy:approval_requested": AutonomyEventData;
  /** A person permitted a call. */
  readonly "autonomy:approval_granted": AutonomyEventData;
  /** A person refused a call, or answered the model in its place. */
  readonly "autonomy:approval_denied": AutonomyEventData;
  /** A person was silent for too long, so the call was refused. */
  readonly "autonomy:approval_timeout": AutonomyEventData;
  /** A rule refused a call, or nobody could be asked. */
  readonly "autonomy:blocked": AutonomyEventData;
  /** The model gave its final answer. Ends the run. */
  readonly run_completed: {
    readonly tokens: number;
    readonly text: string;
    readonly truncated?: boolean;
    /** Calls that permission refused; absent where there are none. */
    readonly refusedCalls?: number;
  };
  /** The output limit cut the final answer. */
  readonly response_truncated: {
    readonly turn: number;
    readonly maxOutputTokens: number;
    readonly source: "user" | "model" | "default";
  };
  /** The turn limit was reached. Ends the run, which can be resumed. */
  readonly run_turns_exceeded: {
    readonly turns: number;
    readonly maxTurns: number;
    /** Calls that permission refused; absent where there are none. */
    readonly refusedCalls?: number;
  };
  /** A request is about to be sent again. */
  readonly request_retry: {
    readonly attempt: number;
    readonly of: number;
    /** `first_token_timeout`, or the code of the provider error that is retried. */
    readonly reason: string;
    readonly afterMs: number;
  };
  /** A response that was cut is asked for again with more room. */
  readonly truncation_recovery: {
    readonly attempt: number;
    readonly of: number;
    readonly reason: "tool_call_cut" | "empty_response" | "stream_interrupted";
    readonly maxOutputTokens: number;
    readonly effort?: string;
  };
  /** Something unusual that the run got over: an odd server, a repeated call. */
  readonly run_warning: { readonly code: string; readonly message: string };
  /** A hook of a plugin threw, hung or answered nonsense. */
  readonly plugin_hook_failed: {
    /** Id of the plugin. */
    readonly source: string;
    /** Such as `events.on`. */
    readonly hook: string;
    readonly error: string;
    /** The run goes on without what the hook would have added. */
    readonly continued: true;
  };
  /** The conversation is about to be made shorter: a part of it is summarised. */
  readonly compaction_started: {
    readonly reason: CompactionReason;
    /** Tokens of the context, as far as they are known. */
    readonly before: number;
    /** Messages that are summarised. */
    readonly messages: number;
  };
  /** A checkpoint stands for a part of the conversation. */
  readonly compaction_completed: {
    readonly reason: CompactionReason;
    readonly before: number;
    /** Tokens of the context from now on, estimated. */
    readonly after: number;
    /** Messages that it stands for. */
    readonly replaced: number;
    /** Whether the model wrote the fields that it was asked for. */
    readonly structured: boolean;
    /** Tokens of what was replaced, estimated. */
    readonly summarizedTokens: number;
    /** Tokens of the checkpoint, estimated. */
    readonly checkpointTokens: number;
    /** What plugins report of it, by their ids. */
    readonly plugins: Readonly<Record<string, string>>;
    /** The output limit cut the checkpoint. */
    readonly partial?: true;
  };
  /** There was nothing to make shorter, or it is not tried again yet. */
  readonly compaction_skipped: {
    readonly reason: CompactionReason;
    readonly before: number;
    readonly detail: string;
  };
  /** There is no summary; the conversation is as it was. */
  readonly compaction_failed: { readonly reason: CompactionReason; readonly error: string };
  /** Long messages were cut so that the conversation fits. */
  readonly context_reduced: { readonly messages: number };
  /** The conversation was put back to before a prompt, or that was undone; outside any run. */
  readonly session_rewound: {
    /** The number of that prompt's message. */
    readonly before: number;
    /** How many messages were put aside, or taken up again. */
    readonly messages: number;
    /** Files that hold again what they held before. */
    readonly restored: readonly string[];
    /** Files that were not there before, and are removed. */
    readonly removed: readonly string[];
    /** An earlier rewind was undone. */
    readonly undone?: true;
  };
  /** A plan was handed to the person. */
  readonly plan_proposed: {
    /** The call that proposes it. */
    readonly callId: string;
    /** The same in every revision. */
    readonly planId: string;
    /** From 1. */
    readonly revision: number;
    /** SHA-256 of the plan and its diagrams. */
    readonly hash: string;
    readonly title: string;
    /** Absent where no file could be written. */
    readonly artifactId?: string;
  };
  /** The person decided about a plan. */
  readonly plan_decided: {
    readonly callId: string;
    readonly planId: string;
    readonly hash: string;
    readonly decision: "approve" | "skip" | "context";
  };
  /** Something was written for the person to keep. */
  readonly artifact_published: {
    readonly artifact: {
      readonly id: string;
      readonly sessionId: string;
      readonly title: string;
      readonly fileName: string;
      readonly kind:
        | "dashboard"
        | "document"
        | "spreadsheet"
        | "image"
        | "data"
        | "code"
        | "archive"
        | "file";
      readonly mimeType: string;
      /** Of all its files. */
      readonly bytes: number;
      readonly fileCount: number;
      /** Whether it can be shown without another program. */
      readonly previewable: boolean;
      /** Epoch milliseconds. */
      readonly createdAt: number;
      readonly status: "ready" | "deleted" | "expired";
    };
    /** Absolute path of the file that it is opened at. */
    readonly path: string;
    readonly callId?: string;
    readonly executionId?: string;
  };
  /** The run could not go on. Ends it. */
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
  /** The run was stopped from outside. Ends it. */
  readonly run_cancelled: { readonly error: string };
  /** The session uses another model from here on. */
  readonly model_changed: { readonly model: string; readonly previous: string };
}

/** Name of an event that the core emits. */
export type KnownRunEventType = keyof RunEventData;

/** Fields that every event carries. */
export interface RunEventEnvelope {
  /** Always 1: changes only add. */
  readonly schemaVersion: 1;
  /** The run that the event belongs to. */
  readonly runId: string;
  /** The session that the run belongs to. */
  readonly sessionId: string;
  /** Counts from 1 within the run. */
  readonly seq: number;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Order over all runs of the database; absent on events that are never stored. */
  readonly eventId?: string;
  /** Ties the event to what caused it in another run. */
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
  /** Name of the event. */
  readonly type: string;
  /** What the event says; the shape follows from `type`. */
  readonly data: Readonly<Record<string, unknown>>;
}
