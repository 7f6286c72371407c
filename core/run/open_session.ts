import type { AnswerStyle, ImagePart, ModelInfo, ModelPrice, ModelProvider } from "@alisio/sdk";
import type { CompactionOutcome } from "../compaction/compactor.ts";
import type { CompactionSettings } from "../config/configuration.ts";
import { AlisioError } from "../errors.ts";
import type { Gate } from "../gate/gate.ts";
import { rememberWindow } from "../provider/model_catalog.ts";
import type { ContextWindow } from "../provider/token_limits.ts";
import type { SessionLease } from "../session/lease.ts";
import { assertRecovered, recoverSession } from "../session/recovery.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { StoredMessage, StoredUserMessage } from "../session/stored_message.ts";
import { ContextMeter, type ContextSize, type ContextUsage } from "./context_meter.ts";
import type { CostMeter } from "./cost_meter.ts";
import { RunCancelledError } from "./run_error.ts";
import type { RunObserver } from "./run_events.ts";
import type { RunLimits } from "./run_limits.ts";
import type {
  AskedAnswer,
  PauseWhile,
  RunContext,
  RunPorts,
  RunReceipts,
  RunRequest,
  RunResult,
} from "./run_ports.ts";
import { runSession } from "./run_session.ts";
import type { ReceiptSubject } from "./tool_receipts.ts";
import { Transcript } from "./transcript.ts";

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
  /** What it can hold, where anybody states it. */
  readonly contextWindow?: ContextWindow;
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
  /** The system text; asked for at each run, in which it stays the same. */
  readonly system: () => string;
  /** The reasoning effort that a run asks for; undefined for the model's own. */
  readonly effort?: () => string | undefined;
  /** What the model's server may carry out by itself in a run that begins now. */
  readonly serverTools?: () => RunPorts["serverTools"];
  /** What is asked of the answers of a run beside that. */
  readonly answer?: () => AnswerStyle | undefined;
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
  /** When and how a long conversation is made shorter; without it, a full one ends a run. */
  readonly compaction?: CompactionSettings;
  /** What plugins are asked and told of that, where any wants to be. */
  readonly compactionHooks?: RunContext["hooks"];
  /** Gets ready what a run depends on, before each; the signal ends the wait. */
  readonly beforeRun?: (signal: AbortSignal) => Promise<void>;
  /** Told how each run ended, when its record is complete. */
  readonly afterRun?: (sessionId: string, end: "cancelled" | "ended") => void;
  /** Runs prompts as turns of the goal of the session, where it has one. */
  readonly asTurn?: TurnRunner;
  /** Agents from the main one down to the one that runs in it; absent for the main agent. */
  readonly agentPath?: readonly string[];
  /** Lets the clocks of the runs that it works for stand still, too. */
  readonly pauseAbove?: PauseWhile;
  /** Told that its run is being stopped, at once. */
  readonly onStop?: (sessionId: string) => void;
  /** Called once, when the session was given up. */
  readonly onClosed: () => void;
}

/**
 * Runs a prompt as a turn of a goal.
 *
 * @param options The prompt's, and what is known of the session.
 * @param run Runs it, with options that may be narrower.
 */
export type TurnRunner = (
  options: {
    readonly prompt: PromptOptions;
    /** What the run may use at most. */
    readonly limits: RunLimits;
    /** Tokens of the conversation as it is at a moment. */
    readonly contextTokens: () => number;
    /** Milliseconds of the run at a moment, without waits for a person. */
    readonly activeMs: () => number;
  },
  run: (narrowed: PromptOptions) => Promise<RunResult>,
) => Promise<RunResult>;

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
  /** Images that the model is sent behind the prompt; they are stored with it. */
  readonly attachments?: readonly ImagePart[];
  /** Known to the record, in which a session has one run for it at most. */
  readonly requestId?: string;
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

/** How a conversation is made shorter at a person's wish. */
export interface CompactSessionOptions {
  /** What they want to be kept in view. */
  readonly focus?: string;
  /** Stops it; the conversation is as it was, then. */
  readonly signal: AbortSignal;
  /** Who sees the events. */
  readonly observers: readonly RunObserver[];
}

/** A session that this process holds the lease of. */
export class OpenSession {
  readonly #ports: OpenSessionPorts;
  readonly #meter: ContextMeter;
  readonly #stop = new AbortController();
  #state: "idle" | "running" | "closed" = "idle";
  #running: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #pauseWhile: PauseWhile | undefined;
  /** Of the run that goes on, or went on last. */
  #activeMs: () => number = () => 0;
  /** What is asked of answers and was refused, as text. */
  #refusedAnswer: string | undefined;

  /**
   * Use {@linkcode Application.createSession} or {@linkcode Application.openSession}.
   *
   * @internal
   * @param ports What it works with.
   */
  constructor(ports: OpenSessionPorts) {
    this.#ports = ports;
    const { connection: { contextWindow, limits }, compaction } = ports;
    this.#meter = new ContextMeter({
      windowTokens: contextWindow?.tokens,
      threshold: compaction?.threshold ?? DEFAULT_THRESHOLD,
      maxContextChars: limits.maxContextChars,
      maxOutputTokens: limits.maxOutputTokens,
    });
  }

  /** The session's id. */
  get id(): string {
    return this.#ports.lease.sessionId;
  }

  /** The name of the model it talks to. */
  get model(): string {
    return this.#ports.connection.reference;
  }

  /** Whether the model takes images; undefined where the server does not say. */
  get takesImages(): boolean | undefined {
    return this.#ports.connection.info?.inputModalities?.includes("image");
  }

  /**
   * The reasoning effort that the next prompt asks for; undefined for the model's own.
   *
   * @throws {AlisioError} `usage` if the model is known not to have what was chosen.
   */
  effort(): string | undefined {
    return this.#ports.effort?.();
  }

  /** Levels of reasoning effort that its model is known to have. */
  effortLevels(): readonly string[] {
    return this.#ports.connection.info?.effort?.supportedLevels ?? [];
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
    return await this.#alone("run a prompt in", () => this.#runAndSettle(prompt, options));
  }

  /**
   * Makes the conversation shorter: its beginning is summarised, and kept as compacted. A summary
   * that fails changes nothing.
   *
   * @param options What is wanted, and who watches.
   * @returns What became of it; its events say the same.
   * @throws {AlisioError} `session_locked` while a prompt runs or after it was closed;
   * `session_needs_recovery` if an earlier run left a call whose outcome is not known.
   * @throws The reason of `options.signal`, if that aborts.
   */
  async compact(options: CompactSessionOptions): Promise<CompactionOutcome> {
    return await this.#alone("compact", () => this.#compact(options));
  }

  /** How full the context of the model is, as the next request would fill it. */
  contextUsage(): ContextUsage {
    return this.#meter.usage(this.#meter.size ?? this.#storedSize());
  }

  async #alone<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.#state !== "idle") {
      const reason = this.#state === "running" ? "a prompt is running in it" : "it was closed";
      throw new AlisioError("session_locked", `Cannot ${what} the session: ${reason}`);
    }
    this.#state = "running";
    const running = work();
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
    this.#ports.onStop?.(this.id);
    this.#stop.abort(new Error("The session was closed"));
    await this.#running;
    this.#ports.lease.release();
    this.#ports.onClosed();
  }

  async #compact({ focus, signal, observers }: CompactSessionOptions): Promise<CompactionOutcome> {
    const { store, connection, compaction, cost, redact, observe, hookFailures } = this.#ports;
    if (compaction === undefined) {
      throw new AlisioError("usage", "Cannot compact the session: it was opened without that");
    }
    const [{ compactAtWish }, hooks] = await Promise.all([
      import("../compaction/compact_at_wish.ts"),
      this.#ports.compactionHooks?.(),
    ]);
    return await compactAtWish({
      store,
      sessionId: this.id,
      provider: connection.provider,
      model: connection.model,
      limits: connection.limits,
      meter: this.#meter,
      settings: compaction,
      overhead: this.#overhead(),
      hooks,
      cost,
      redact,
      signal: AbortSignal.any([signal, this.#stop.signal]),
      observers: observe === undefined ? observers : [...observers, observe],
      hookFailures: () => hookFailures?.() ?? [],
    }, focus);
  }

  /** The next request, from what is stored. */
  #storedSize(): ContextSize {
    const transcript = new Transcript(this.#ports.store.loadMessages(this.id)).chars;
    return { ...this.#overhead(), transcript };
  }

  #overhead(): Omit<ContextSize, "transcript"> {
    const { gate, system } = this.#ports;
    const tools = gate.offered(this.id)
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return { system: system().length, tools: JSON.stringify(tools).length };
  }

  #context(limits: RunLimits): RunContext | undefined {
    const { store, connection: { provider, model }, compaction, compactionHooks } = this.#ports;
    if (compaction === undefined) return undefined;
    const { maxContextChars, maxOutputTokens } = limits;
    this.#meter.bounds = { ...this.#meter.bounds, maxContextChars, maxOutputTokens };
    return {
      meter: this.#meter,
      settings: compaction,
      ...(compactionHooks === undefined ? {} : { hooks: compactionHooks }),
      learn: (lesson) => rememberWindow(store, { provider: provider.id, model }, lesson),
    };
  }

  async #runAndSettle(prompt: string, options: PromptOptions): Promise<RunResult> {
    const { beforeRun, afterRun, onStop } = this.#ports;
    await beforeRun?.(options.signal);
    let end: "cancelled" | "ended" = "ended";
    const stop = () => onStop?.(this.id);
    options.signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#runAsTurn(prompt, options);
    } catch (error) {
      if (error instanceof RunCancelledError) end = "cancelled";
      throw error;
    } finally {
      options.signal.removeEventListener("abort", stop);
      afterRun?.(this.id, end);
    }
  }

  async #runAsTurn(prompt: string, options: PromptOptions): Promise<RunResult> {
    const { asTurn, connection } = this.#ports;
    if (asTurn === undefined) return await this.#run(prompt, options);
    this.#activeMs = () => 0;
    return await asTurn({
      prompt: options,
      limits: connection.limits,
      contextTokens: () => this.contextUsage().usedTokens,
      activeMs: () => this.#activeMs(),
    }, (narrowed) => this.#run(prompt, narrowed));
  }

  async #run(prompt: string, options: PromptOptions): Promise<RunResult> {
    const { store, gate, connection, cost, redact, secrets, receipts } = this.#ports;
    const { observe, hookFailures, startTexts, agentPath, pauseAbove } = this.#ports;
    const { attachments = [] } = options;
    const { messages, uncertain } = recoverSession(store, this.id, Date.now());
    assertRecovered(this.id, uncertain);
    const adapt = await this.#imageFilter(messages, attachments);
    const signal = AbortSignal.any([options.signal, this.#stop.signal]);
    const before = messages.length === 0 ? await startTexts?.(signal) ?? [] : [];
    const previous = store.session(this.id)?.model;
    const hasChanged = previous !== undefined && previous !== connection.reference;
    if (hasChanged) {
      const { reference: model, provider } = connection;
      store.updateSession(this.id, { model, provider: provider.id });
    }
    const limits: RunLimits = {
      ...connection.limits,
      ...options.limits,
      ...(options.limits?.maxOutputTokens === undefined ? {} : { maxOutputTokensSource: "user" }),
    };
    const context = this.#context(limits);
    const effort = this.#ports.effort?.();
    const serverTools = this.#ports.serverTools?.();
    const answer = this.#askedAnswer();
    return await runSession({
      store,
      gate,
      system: this.#ports.system(),
      ...(effort === undefined ? {} : { effort }),
      ...(serverTools === undefined ? {} : { serverTools }),
      ...(answer === undefined ? {} : { answer }),
      redact,
      secrets,
      ...(receipts === undefined ? {} : { receipts }),
      ...(hookFailures === undefined ? {} : { hookFailures }),
      onClock: (pauseWhile, activeMs) => {
        this.#pauseWhile = pauseWhile;
        this.#activeMs = activeMs;
      },
      provider: connection.provider,
      limits,
      ...(context === undefined ? {} : { context }),
      observers: observe === undefined ? options.observers : [...options.observers, observe],
      ...(cost === undefined ? {} : { cost }),
      ...(options.drained === undefined ? {} : { drained: options.drained }),
      ...(agentPath === undefined ? {} : { agentPath }),
      ...(pauseAbove === undefined ? {} : { pauseAbove }),
    }, {
      runId: crypto.randomUUID(),
      sessionId: this.id,
      model: connection.model,
      prompt: promptMessage({
        prompt: redact(prompt),
        before: before.map(redact),
        display: redact(options.display ?? prompt),
        attachments,
      }),
      history: adapt(messages),
      adapt,
      signal,
      ...(hasChanged ? { modelChange: { model: connection.reference, previous } } : {}),
      ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
    });
  }

  /** What the server refused once is not asked of it again. */
  #askedAnswer(): AskedAnswer | undefined {
    const style = this.#ports.answer?.();
    if (style === undefined) return undefined;
    const key = JSON.stringify(style);
    if (key === this.#refusedAnswer) return undefined;
    return { style, onRefused: () => void (this.#refusedAnswer = key) };
  }

  /**
   * Makes what goes before the prompt fit for the model, once it is certain that it takes what comes
   * with the prompt.
   */
  async #imageFilter(
    messages: readonly StoredMessage[],
    attachments: readonly ImagePart[],
  ): Promise<NonNullable<RunRequest["adapt"]>> {
    const asTheyAre = (stored: readonly StoredMessage[]) => stored;
    if (attachments.length === 0 && !messages.some(hasImage)) return asTheyAre;
    const { assertAttachments, withoutImages } = await import("./attachments.ts");
    const { reference: name, info } = this.#ports.connection;
    assertAttachments(attachments, { name, ...(info === undefined ? {} : { info }) });
    return info?.inputModalities?.includes("image") === false ? withoutImages : asTheyAre;
  }
}

function hasImage(message: StoredMessage): boolean {
  return message.role === "user" && message.content.some((part) => part.type === "image");
}

/** Only the bar of a session that is never made shorter shows it. */
const DEFAULT_THRESHOLD = 0.85;

/** What was typed is told apart from what stands before it, so that lists show it. */
function promptMessage({ prompt, before, display, attachments }: {
  readonly prompt: string;
  readonly before: readonly string[];
  readonly display: string;
  readonly attachments: readonly ImagePart[];
}): StoredUserMessage {
  const texts = [...before, prompt].map((text) => ({ type: "text" as const, text }));
  return {
    role: "user",
    content: [...texts, ...attachments],
    ...(texts.length === 1 && display === prompt ? {} : { display }),
  };
}
