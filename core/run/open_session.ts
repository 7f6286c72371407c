import type { ModelInfo, ModelPrice, ModelProvider } from "@alisio/sdk";
import { AlisioError } from "../errors.ts";
import type { Gate } from "../gate/gate.ts";
import type { SessionLease } from "../session/lease.ts";
import { assertRecovered, recoverSession } from "../session/recovery.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { StoredUserMessage } from "../session/stored_message.ts";
import type { CostMeter } from "./cost_meter.ts";
import type { RunObserver } from "./run_events.ts";
import type { RunLimits } from "./run_limits.ts";
import {
  type PauseWhile,
  type RunPorts,
  type RunReceipts,
  type RunResult,
  runSession,
} from "./run_session.ts";
import type { ReceiptSubject } from "./tool_receipts.ts";

/** A model that a session talks to. */
export interface Connection {
  readonly provider: ModelProvider;
  /** The id that the server knows the model by. */
  readonly model: string;
  /** The name by which the same model is found again. */
  readonly reference: string;
  readonly info?: ModelInfo;
  /** What its tokens cost, where anybody states it. */
  readonly price?: ModelPrice;
  readonly limits: RunLimits;
}

/** What an open session works with. */
export interface OpenSessionPorts {
  readonly store: SessionStore;
  readonly gate: Gate;
  readonly lease: SessionLease;
  readonly connection: Connection;
  /** Counts what responses cost. */
  readonly cost?: CostMeter;
  /** The system text. */
  readonly system: string;
  /** Takes configured secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Values that events and the audit show nothing of. */
  readonly secrets: () => readonly string[];
  /** What results are given as proof, where that is wanted. */
  readonly receipts?: RunReceipts;
  /** Sees the events of every run, after those who watch the run. */
  readonly observe?: RunObserver;
  /** What hooks of plugins failed at since it was asked last. */
  readonly hookFailures?: RunPorts["hookFailures"];
  /** What stands before the first prompt of a new session, asked when that is given. */
  readonly startTexts?: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Called once, when the session was given up. */
  readonly onClosed: () => void;
}

/** How one prompt is run. */
export interface PromptOptions {
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** Who sees the events. */
  readonly observers: readonly RunObserver[];
  /**
   * What the person typed, where the prompt was made from it: lists and exports show this.
   *
   * @default the prompt
   */
  readonly display?: string;
  /** Copied into every event. */
  readonly correlationId?: string;
  /** Limits of this run alone, instead of the configured ones. */
  readonly limits?: Partial<RunLimits>;
  /**
   * A wait for the observers, while they are behind: asked after each event of an answer and each
   * batch of calls, and the run goes on when it settles. Its clock stands still meanwhile, and a
   * stop ends the wait. It must not reject.
   */
  readonly drained?: () => Promise<void> | undefined;
}

/** A session that this process holds the lease of. */
export class OpenSession {
  readonly #ports: OpenSessionPorts;
  readonly #stop = new AbortController();
  #state: "idle" | "running" | "closed" = "idle";
  #running: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #pauseWhile: PauseWhile | undefined;

  /**
   * Use {@linkcode Application.createSession} or {@linkcode Application.openSession}.
   *
   * @internal
   * @param ports What it works with.
   */
  constructor(ports: OpenSessionPorts) {
    this.#ports = ports;
  }

  /** The session's id. */
  get id(): string {
    return this.#ports.lease.sessionId;
  }

  /** The name of the model it talks to. */
  get model(): string {
    return this.#ports.connection.reference;
  }

  /** Whether a prompt runs in it, or is being stopped. */
  get isBusy(): boolean {
    return this.#state !== "idle";
  }

  /**
   * Runs one prompt to its end.
   *
   * @param prompt What the person asks for.
   * @param options How it is run.
   * @throws {RunFailedError} After `run_failed`.
   * @throws {RunCancelledError} After `run_cancelled`.
   * @throws {AlisioError} `session_locked` while another prompt runs or after it was closed;
   * `session_needs_recovery` if an earlier run left a call whose outcome is not known.
   */
  async run(prompt: string, options: PromptOptions): Promise<RunResult> {
    if (this.#state !== "idle") {
      const reason = this.#state === "running" ? "a prompt is running in it" : "it was closed";
      throw new AlisioError("session_locked", `Cannot run a prompt in the session: ${reason}`);
    }
    this.#state = "running";
    const running = this.#run(prompt, options);
    this.#running = running.catch(() => {});
    try {
      return await running;
    } finally {
      this.#pauseWhile = undefined;
      if (this.#state === "running") this.#state = "idle";
    }
  }

  /**
   * Whether a receipt was given to the result of this very call, by this session, since it was
   * opened: each opening has a key of its own, which is never stored.
   *
   * @param receipt The receipt, `zc-receipt-…`.
   * @param subject What it is said to be about.
   * @returns False where the configuration turns receipts off.
   */
  verifyReceipt(receipt: string, subject: ReceiptSubject): boolean {
    return this.#ports.receipts?.receipts.verify(receipt, subject) ?? false;
  }

  /**
   * Waits for a person while the clock of a prompt that runs stands still.
   *
   * @internal
   * @param wait Waits.
   */
  async pauseWhile<T>(wait: () => Promise<T>): Promise<T> {
    return this.#pauseWhile === undefined ? await wait() : await this.#pauseWhile(wait);
  }

  /** Stops what runs, waits until it has stopped, and gives the session up. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#state = "closed";
    this.#stop.abort(new Error("The session was closed"));
    await this.#running;
    this.#ports.lease.release();
    this.#ports.onClosed();
  }

  async #run(prompt: string, options: PromptOptions): Promise<RunResult> {
    const { store, gate, connection, cost, system, redact, secrets, receipts } = this.#ports;
    const { observe, hookFailures, startTexts } = this.#ports;
    const { messages, uncertain } = recoverSession(store, this.id, Date.now());
    assertRecovered(this.id, uncertain);
    const signal = AbortSignal.any([options.signal, this.#stop.signal]);
    const before = messages.length === 0 ? await startTexts?.(signal) ?? [] : [];
    const previous = store.session(this.id)?.model;
    const hasChanged = previous !== undefined && previous !== connection.reference;
    if (hasChanged) {
      const { reference: model, provider } = connection;
      store.updateSession(this.id, { model, provider: provider.id });
    }
    return await runSession({
      store,
      gate,
      system,
      redact,
      secrets,
      ...(receipts === undefined ? {} : { receipts }),
      ...(hookFailures === undefined ? {} : { hookFailures }),
      onClock: (pauseWhile) => void (this.#pauseWhile = pauseWhile),
      provider: connection.provider,
      limits: {
        ...connection.limits,
        ...options.limits,
        ...(options.limits?.maxOutputTokens === undefined ? {} : {
          maxOutputTokensSource: "user",
        }),
      },
      observers: observe === undefined ? options.observers : [...options.observers, observe],
      ...(cost === undefined ? {} : { cost }),
      ...(options.drained === undefined ? {} : { drained: options.drained }),
    }, {
      runId: crypto.randomUUID(),
      sessionId: this.id,
      model: connection.model,
      prompt: promptMessage(redact(prompt), before.map(redact), redact(options.display ?? prompt)),
      history: messages,
      signal,
      ...(hasChanged ? { modelChange: { model: connection.reference, previous } } : {}),
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
    });
  }
}

/** What was typed is told apart from what stands before it, so that lists show it. */
function promptMessage(
  prompt: string,
  before: readonly string[],
  display: string,
): StoredUserMessage {
  const content = [...before, prompt].map((text) => ({ type: "text" as const, text }));
  return {
    role: "user",
    content,
    ...(content.length === 1 && display === prompt ? {} : { display }),
  };
}
