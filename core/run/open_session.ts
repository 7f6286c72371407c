import type { ModelInfo, ModelProvider } from "@alisio/sdk";
import type { Gate } from "../gate/gate.ts";
import type { SessionLease } from "../session/lease.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { StoredMessage } from "../session/stored_message.ts";
import type { RunObserver } from "./run_events.ts";
import type { RunLimits } from "./run_limits.ts";
import { type RunResult, runSession } from "./run_session.ts";

/** A model that a session talks to. */
export interface Connection {
  readonly provider: ModelProvider;
  /** The id that the server knows the model by. */
  readonly model: string;
  /** The name by which the same model is found again. */
  readonly reference: string;
  readonly info?: ModelInfo;
  readonly limits: RunLimits;
}

/** What an open session works with. */
export interface OpenSessionPorts {
  readonly store: SessionStore;
  readonly gate: Gate;
  readonly lease: SessionLease;
  readonly connection: Connection;
  /** The system text. */
  readonly system: string;
  /** Takes configured secrets out of a text. */
  readonly redact: (text: string) => string;
  /** The messages so far, where they were read already. */
  readonly history?: readonly StoredMessage[];
}

/** How one prompt is run. */
export interface PromptOptions {
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** Who sees the events. */
  readonly observers: readonly RunObserver[];
  /** Copied into every event. */
  readonly correlationId?: string;
  /** Limits of this run alone, instead of the configured ones. */
  readonly limits?: Partial<RunLimits>;
}

/** A session that this process holds the lease of. */
export class OpenSession {
  readonly #ports: OpenSessionPorts;
  #history: readonly StoredMessage[] | undefined;

  /**
   * Use {@linkcode Application.createSession} or {@linkcode Application.openSession}.
   *
   * @internal
   * @param ports What it works with.
   */
  constructor(ports: OpenSessionPorts) {
    this.#ports = ports;
    this.#history = ports.history;
  }

  /** The session's id. */
  get id(): string {
    return this.#ports.lease.sessionId;
  }

  /** The name of the model it talks to. */
  get model(): string {
    return this.#ports.connection.reference;
  }

  /**
   * Runs one prompt to its end.
   *
   * @param prompt What the person asks for.
   * @param options How it is run.
   * @throws {RunFailedError} After `run_failed`.
   * @throws {RunCancelledError} After `run_cancelled`.
   */
  async run(prompt: string, options: PromptOptions): Promise<RunResult> {
    const { store, gate, connection, system, redact } = this.#ports;
    const history = this.#history ?? store.loadMessages(this.id);
    this.#history = undefined;
    return await runSession({
      store,
      gate,
      system,
      redact,
      provider: connection.provider,
      limits: { ...connection.limits, ...options.limits },
      observers: options.observers,
    }, {
      runId: crypto.randomUUID(),
      sessionId: this.id,
      model: connection.model,
      prompt: { role: "user", content: [{ type: "text", text: redact(prompt) }] },
      history,
      signal: options.signal,
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
    });
  }

  /** Gives the session up. */
  close(): void {
    this.#ports.lease.release();
  }
}
