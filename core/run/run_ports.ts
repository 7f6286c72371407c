import type { AnswerStyle, ModelProvider, ModelRequest, RunEventData, Usage } from "@alisio/sdk";
import type { CompactionHookPort } from "../compaction/compactor.ts";
import type { CompactionSettings } from "../config/configuration.ts";
import type { Gate } from "../gate/gate.ts";
import type { WindowLesson } from "../provider/model_catalog.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { StoredMessage } from "../session/stored_message.ts";
import type { ContextMeter } from "./context_meter.ts";
import type { CostMeter } from "./cost_meter.ts";
import type { RunObserver } from "./run_events.ts";
import type { RunLimits } from "./run_limits.ts";
import type { ToolReceipts } from "./tool_receipts.ts";

/** What a run works with. */
export interface RunPorts {
  readonly store: SessionStore;
  readonly provider: ModelProvider;
  readonly gate: Gate;
  /** The whole system text; the same for every turn. */
  readonly system: string;
  /** The reasoning effort that is asked for; absent for the model's own. */
  readonly effort?: string;
  /** What the model's server carries out by itself. */
  readonly serverTools?: ModelRequest["serverTools"];
  /** What is asked of answers beside that; absent for nothing. */
  readonly answer?: AskedAnswer;
  readonly limits: RunLimits;
  /** Counts what responses cost; absent where no price and no limit is known. */
  readonly cost?: CostMeter;
  readonly observers: readonly RunObserver[];
  /** Takes configured secrets out of a text before it is stored. */
  readonly redact: (text: string) => string;
  /**
   * Values that events and the audit show nothing of, beside what looks like a secret. Asked each
   * time, since keys may be added while a run goes on.
   */
  readonly secrets: () => readonly string[];
  /** What results are given as proof, where that is wanted. */
  readonly receipts?: RunReceipts;
  /** What hooks of plugins failed at since it was asked last. */
  readonly hookFailures?: () => readonly RunEventData["plugin_hook_failed"][];
  /** What keeps a conversation within its bounds; without it a full one ends the run. */
  readonly context?: RunContext;
  /** First pause of a retried request in milliseconds. */
  readonly retryBaseMs?: number;
  /**
   * Is given what stops the clock of the run, for waits that are none of its calls, and what reads
   * it, in milliseconds.
   */
  readonly onClock?: (pauseWhile: PauseWhile, activeMs: () => number) => void;
  /**
   * A wait for the observers, while they are behind; the run goes on when it settles, and its
   * clock stands still meanwhile. Never rejects.
   */
  readonly drained?: () => Promise<void> | undefined;
  /** Agents from the main one down to the one that runs; absent for the main agent. */
  readonly agentPath?: readonly string[];
  /** Lets the clocks of the runs that this one works for stand still while a person is waited for. */
  readonly pauseAbove?: PauseWhile;
}

/** What is asked of answers, until the server refuses it. */
export interface AskedAnswer {
  readonly style: AnswerStyle;
  /** Called once it turns out that the server answers without it alone. */
  readonly onRefused: () => void;
}

/** Waits for a person while the clock of a run stands still. */
export type PauseWhile = <T>(wait: () => Promise<T>) => Promise<T>;

/** What keeps the conversation of a session within its bounds. */
export interface RunContext {
  /** Knows how full it is, from one prompt to the next. */
  readonly meter: ContextMeter;
  /** When and how it is made shorter. */
  readonly settings: CompactionSettings;
  /** What plugins are asked and told, where any wants to be. */
  readonly hooks?: () => Promise<CompactionHookPort> | undefined;
  /** Remembers what the server taught of its window. */
  readonly learn: (lesson: WindowLesson) => void;
}

/** Receipts of a run's calls. */
export interface RunReceipts {
  /** Makes them. */
  readonly receipts: ToolReceipts;
  /** Whether the final answer lists them. */
  readonly showInResponse: boolean;
}

/** One prompt in an open session. */
export interface RunRequest {
  readonly runId: string;
  readonly sessionId: string;
  readonly model: string;
  readonly prompt: Extract<StoredMessage, { role: "user" }>;
  /** The session's messages so far, with every call answered. */
  readonly history: readonly StoredMessage[];
  /**
   * Makes stored messages fit for the model, as `history` is already.
   *
   * @default They are sent as they are.
   */
  readonly adapt?: (stored: readonly StoredMessage[]) => readonly StoredMessage[];
  readonly signal: AbortSignal;
  /** Known to the record, in which a session has one run for it at most. */
  readonly requestId?: string;
  readonly correlationId?: string;
  /** The names of the model and of the one that the session had before, if that was another. */
  readonly modelChange?: RunEventData["model_changed"];
}

/** How a run ended that did not fail. */
export interface RunResult {
  /** The run's id. */
  readonly runId: string;
  /** The session's id. */
  readonly sessionId: string;
  /** The last thing the model said. */
  readonly text: string;
  /** Whether the model came to an end, or its turns did. */
  readonly status: "completed" | "turns-exceeded";
  /** Tokens of all responses together. */
  readonly usage: Usage;
  /** Calls that the model made. */
  readonly toolCalls: number;
  /** Milliseconds that it took; waiting for a person does not count. */
  readonly activeMs: number;
  /** Calls that permissions refused. */
  readonly refusedCalls: number;
}
