import {
  type ModelMessage,
  type ModelTool,
  ProviderError,
  type RunEventData,
  type Usage,
} from "@alisio/sdk";
import type { RoomMaker, RoomReport } from "../compaction/room_maker.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import type { CallContext, CallOutcome } from "../gate/gate.ts";
import { repairHistory } from "../session/repair_history.ts";
import type { StoredMessage } from "../session/stored_message.ts";
import { resultPreview, resultText } from "../tools/result_text.ts";
import { redactSecrets } from "../redact.ts";
import { redactInput } from "../redact_input.ts";
import { untilAborted } from "../until_aborted.ts";
import { ActiveClock } from "./active_clock.ts";
import {
  type BoundedResponse,
  boundResponse,
  cutText,
  responseShare,
  ResultBudget,
} from "./bound_response.ts";
import type { ContextSize } from "./context_meter.ts";
import { DecisionLog } from "./decision_log.ts";
import { FirstTokenTimeoutError, type ModelOutcome, requestModel } from "./model_request.ts";
import { REPETITION_NOTICE, RepetitionGuard } from "./repetition_guard.ts";
import {
  cutFailure,
  fullFailure,
  isKept,
  loopFailure,
  promptOverLimit,
  promptOverWindow,
  RunCancelledError,
  RunFailedError,
  runFailure,
  type RunPlace,
  silenceFailure,
  thrownFailure,
  timeFailure,
} from "./run_error.ts";
import { RunEvents } from "./run_events.ts";
import type {
  AskedAnswer,
  RunContext,
  RunPorts,
  RunReceipts,
  RunRequest,
  RunResult,
} from "./run_ports.ts";
import { runToolCalls } from "./tool_calls.ts";
import type { ToolDescriptor } from "../tools/tool_registry.ts";
import { messageChars, toModelMessage, Transcript } from "./transcript.ts";

/**
 * Runs one prompt to its terminal event: asks the model, takes its calls through the gate, stores
 * everything, and repeats within the limits. Exactly one terminal event is emitted.
 *
 * @param ports What the run works with.
 * @param request The prompt.
 * @throws {RunFailedError} After `run_failed`.
 * @throws {RunCancelledError} After `run_cancelled`.
 */
export async function runSession(ports: RunPorts, request: RunRequest): Promise<RunResult> {
  return await new Run(ports, request).run();
}

/** The reason of a run's signal when its time is over. */
class RunTimeout extends Error {}

/** The reason of a run's signal once there is nothing left to stop. */
class RunEnded extends Error {}

/** A cut or broken response that is asked for again. */
interface Recovery {
  readonly reason: RunEventData["truncation_recovery"]["reason"];
  readonly notice: string;
}

const NOTICES: Readonly<Record<Recovery["reason"], string>> = {
  tool_call_cut:
    "[Your last reply was cut off by the output limit before its tool calls were complete, so " +
    "none of them was run. Do not repeat what you already said. Take smaller steps: write large " +
    "content in several calls, and keep reasoning short.]",
  empty_response:
    "[Your last reply held no text and no tool call. Go on with the task in smaller steps and " +
    "with shorter reasoning, or give your final answer.]",
  stream_interrupted:
    "[The connection broke while you replied, so the reply above is incomplete and none of its " +
    "tool calls was run. Go on from where it stops, without repeating it.]",
};

class Run {
  readonly #ports: RunPorts;
  readonly #request: RunRequest;
  readonly #events: RunEvents;
  readonly #decisions: DecisionLog;
  readonly #transcript: Transcript;
  readonly #serverTools: NonNullable<RunPorts["serverTools"]>;
  #tools: readonly ModelTool[] = [];
  /** Tools of servers as the model was shown them last. */
  #revisions: ReadonlyMap<string, string> = new Map();
  #toolsVersion = -1;
  #ownTools: readonly ToolDescriptor[] | undefined;
  readonly #controller = new AbortController();
  readonly #clock: ActiveClock;
  readonly #repetition = new RepetitionGuard();
  #turn = 0;
  #usage: Usage = { input: 0, output: 0 };
  #toolCalls = 0;
  /** Those of the run, for the final answer. */
  readonly #shownReceipts: string[] = [];
  /** Whether the last answer has been seen while it arrived. */
  #hasStreamed = false;
  #refusedCalls = 0;
  #text = "";
  #stage: { readonly stage: "model" | "tool"; readonly tool?: string } = { stage: "model" };
  #attempts = 1;
  #recoveries = 0;
  /** The tool that the model calls again and again, once it was warned in vain. */
  #looping: string | null = null;
  #toldInTurn: number | null = null;
  /** Characters of the catalog of tools. */
  #toolChars = 0;
  #roomMaker: RoomMaker | undefined;
  #answer: AskedAnswer | undefined;
  /** Tokens that the last answer could have. */
  #askedTokens: number;
  /** Whether the server has refused this very request already. */
  #isRefused = false;

  constructor(ports: RunPorts, request: RunRequest) {
    this.#ports = ports;
    this.#request = request;
    this.#answer = ports.answer;
    this.#askedTokens = ports.limits.maxOutputTokens;
    this.#events = new RunEvents({
      runId: request.runId,
      sessionId: request.sessionId,
      ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      store: ports.store,
      observers: ports.observers,
    });
    this.#decisions = new DecisionLog({
      runId: request.runId,
      sessionId: request.sessionId,
      store: ports.store,
      events: this.#events,
      secrets: ports.secrets,
    });
    this.#transcript = new Transcript(request.history, ports.store.callIds(request.sessionId));
    this.#serverTools = ports.serverTools ?? [];
    this.#offerTools();
    this.#clock = new ActiveClock({
      limitMs: ports.limits.timeoutMs,
      onExpired: () => this.#controller.abort(new RunTimeout()),
    });
    ports.onClock?.((wait) => this.#pauseWhile(wait), () => this.#clock.activeMs());
  }

  async run(): Promise<RunResult> {
    const { signal } = this.#request;
    const stop = () => this.#controller.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const promptChars = this.#begin();
      if (promptChars !== null) throw await this.#promptTooLarge(promptChars);
      return await this.#turns();
    } catch (error) {
      throw this.#end(error);
    } finally {
      signal.removeEventListener("abort", stop);
      this.#clock.close();
      // Whatever still runs, for example beside a call that could not be recorded, ends here.
      this.#controller.abort(new RunEnded());
    }
  }

  /** Tools of MCP servers come, go and change while a run goes on; all others stay as they were. */
  #offerTools(): void {
    const { gate } = this.#ports;
    if (gate.toolsVersion === this.#toolsVersion) return;
    this.#toolsVersion = gate.toolsVersion;
    const offered = gate.offered(this.#request.sessionId);
    this.#ownTools ??= offered.filter(({ mcp }) => mcp === undefined);
    const tools = [...this.#ownTools, ...offered.filter(({ mcp }) => mcp !== undefined)];
    this.#revisions = new Map(
      tools.flatMap(({ name, revision }) => revision === undefined ? [] : [[name, revision]]),
    );
    this.#setTools(tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })));
  }

  /** Some tools say what there is at the moment of each request. */
  async #describeTools(): Promise<void> {
    const names = this.#tools.map(({ name }) => name);
    const described = await untilAborted(
      this.#ports.gate.descriptions(this.#request.sessionId, names),
      this.#controller.signal,
    );
    const isNew = ({ name, description }: ModelTool) =>
      description !== (described.get(name) ?? description);
    if (!this.#tools.some(isNew)) return;
    this.#setTools(this.#tools.map((tool) => ({
      ...tool,
      description: described.get(tool.name) ?? tool.description,
    })));
  }

  #setTools(tools: readonly ModelTool[]): void {
    this.#tools = tools;
    this.#toolChars = this.#ports.context === undefined ? 0 : JSON.stringify(tools).length;
    this.#roomMaker = undefined;
  }

  /** Answers how long the prompt is if it is too long to be kept. */
  #begin(): number | null {
    const { runId, sessionId, model, requestId, correlationId, prompt } = this.#request;
    const { modelChange } = this.#request;
    const message = toModelMessage(prompt);
    const promptChars = message === null ? 0 : messageChars(message);
    const fits = promptChars <= this.#promptRoom();
    this.#events.batch(() => {
      const { id } = this.#ports.store.beginRun({
        id: runId,
        sessionId,
        model,
        startedAt: Date.now(),
        ownerPid: Deno.pid,
        ...(requestId === undefined ? {} : { requestId }),
        ...(correlationId === undefined ? {} : { correlationId }),
      });
      if (id !== runId) {
        throw new AlisioError("usage", "Cannot begin the run: its request was run before");
      }
      // A prompt that no request can hold would fail every later one too.
      if (fits) {
        this.#takeMail();
        this.#append(prompt);
      }
      this.#events.emit("run_started", { model });
      if (modelChange !== undefined) this.#events.emit("model_changed", modelChange);
      this.#reportHooks();
    });
    return fits ? null : promptChars;
  }

  /** What waited for the session goes before what the person asks for. */
  #takeMail(): boolean {
    const mail = this.#ports.store.takeMail(this.#request.sessionId);
    for (const text of mail) this.#append({ role: "user", content: [{ type: "text", text }] });
    return mail.length > 0;
  }

  #receiveMail(): boolean {
    let isAny = false;
    this.#events.batch(() => {
      isAny = this.#takeMail();
    });
    return isAny;
  }

  async #pauseWhile<T>(wait: () => Promise<T>): Promise<T> {
    const { pauseAbove } = this.#ports;
    const standStill = () => this.#clock.pauseWhile(wait);
    return pauseAbove === undefined ? await standStill() : await pauseAbove(standStill);
  }

  /** Characters that a prompt may have: what is there can make room for it. */
  #promptRoom(): number {
    const { context } = this.#ports;
    if (context === undefined) return this.#room();
    return Math.floor(context.meter.transcriptChars(this.#size()) * MAX_PROMPT_SHARE);
  }

  #reportHooks(): void {
    for (const failure of this.#ports.hookFailures?.() ?? []) {
      this.#events.emit("plugin_hook_failed", failure);
    }
  }

  async #turns(): Promise<RunResult> {
    const { maxTurns } = this.#ports.limits;
    let recovery: Recovery | null = null;
    while (true) {
      this.#reportHooks();
      if (recovery === null) {
        if (this.#turn >= maxTurns) return this.#turnsExceeded();
        this.#turn += 1;
        // The first turn has its mail before the prompt.
        if (this.#turn > 1) this.#receiveMail();
      }
      this.#offerTools();
      await this.#describeTools();
      await this.#makeRoom();
      this.#checkBudgets();
      const outcome = await this.#askModel(recovery);
      this.#isRefused = false;
      if (outcome.kind === "completed") this.#count(outcome.usage);
      this.#countCost(
        outcome.kind === "completed" ? outcome.usage : undefined,
        responseChars(outcome),
      );
      recovery = this.#recoveryFor(outcome);
      if (recovery !== null) continue;
      if (outcome.kind !== "completed") throw outcome.error;
      const { message, refusals } = this.#recordResponse(outcome);
      if (message.calls.length === 0) {
        if (outcome.message.calls.length > 0) throw this.#outOfRoom();
        // What came while the model gave its last answer would otherwise wait for another prompt.
        if (this.#turn < maxTurns && this.#receiveMail()) continue;
        return this.#completed(message.text, outcome.truncated);
      }
      await this.#runCalls(message.calls, refusals);
      this.#controller.signal.throwIfAborted();
      if (this.#looping !== null) {
        throw loopFailure(this.#request.model, this.#looping);
      }
    }
  }

  /** Makes the conversation shorter where it is nearly full, and fails where that does not help. */
  async #makeRoom(): Promise<void> {
    const { context } = this.#ports;
    if (context === undefined) return;
    const size = this.#size();
    const { maxContextChars } = context.meter.bounds;
    context.meter.observe(size);
    const isFull = size.system + size.transcript > maxContextChars * (1 - MIN_ROOM_SHARE);
    if (!isFull && !context.meter.isDue(size) && !context.meter.isOver(size)) return;
    const { problem } = await this.#useRoomMaker(context, false);
    if (problem !== null) throw runFailure("context_budget", problem);
  }

  async #useRoomMaker(context: RunContext, isRefused: boolean): Promise<RoomReport> {
    this.#stage = { stage: "model" };
    this.#roomMaker ??= await this.#openRoomMaker(context);
    const report = await this.#roomMaker.makeRoom(this.#transcript.chars, isRefused);
    if (report.hasChanged) {
      const { store } = this.#ports;
      const { messages } = repairHistory(store.loadMessages(this.#request.sessionId), []);
      this.#transcript.replace(this.#request.adapt?.(messages) ?? messages);
      context.meter.observe(this.#size());
    }
    return report;
  }

  async #openRoomMaker({ meter, settings, hooks }: RunContext): Promise<RoomMaker> {
    const { store, provider, limits, cost, redact, retryBaseMs = 500 } = this.#ports;
    const { sessionId, model } = this.#request;
    const [{ RoomMaker }, port] = await Promise.all([
      import("../compaction/room_maker.ts"),
      hooks?.(),
    ]);
    const { system, tools } = this.#size();
    return new RoomMaker({
      store,
      sessionId,
      provider,
      model,
      meter,
      settings,
      limits,
      redact,
      retryBaseMs,
      cost,
      hooks: port,
      overhead: { system, tools },
      events: this.#events,
      reportHooks: () => this.#reportHooks(),
      signal: this.#controller.signal,
      // The run goes on without a summary that does not come.
      timeoutMs: () => this.#clock.remainingMs() / 2,
    });
  }

  /** A server that refuses a conversation as too long teaches its window, and is asked once more. */
  async #askModel(recovery: Recovery | null): Promise<ModelOutcome> {
    try {
      return await this.#sendAsAsked(recovery);
    } catch (error) {
      const { context } = this.#ports;
      const isTooLong = error instanceof ProviderError && error.code === "context_overflow";
      if (!isTooLong || context === undefined || this.#isRefused) throw error;
      this.#isRefused = true;
      const { learnWindow } = await import("../compaction/learn_window.ts");
      const lesson = learnWindow(context, this.#size(), error.contextLimit);
      if (lesson !== null) this.#events.emit("run_warning", lesson);
      const { hasChanged, problem } = await this.#useRoomMaker(context, true);
      if (!hasChanged) throw error;
      if (problem !== null) {
        throw runFailure("context_budget", problem, { cause: error });
      }
      return await this.#sendAsAsked(recovery);
    }
  }

  /** What is asked of answers is left out, once and for all, for a server that answers without it. */
  async #sendAsAsked(recovery: Recovery | null): Promise<ModelOutcome> {
    const asked = this.#answer;
    try {
      return await this.#sendRequest(recovery);
    } catch (error) {
      const isRefused = error instanceof ProviderError && error.code === "invalid_request";
      if (asked === undefined || !isRefused || this.#hasStreamed) throw error;
      this.#answer = undefined;
      const outcome = await this.#sendRequest(recovery).catch((reason) => {
        // It was about something else.
        this.#answer = asked;
        throw reason;
      });
      asked.onRefused();
      this.#events.emit("run_warning", {
        code: "answer_style",
        message: "The server refuses what the agent asks of answers " +
          `(${Object.entries(asked.style).map((each) => each.join(" ")).join(", ")}), so it is ` +
          "left out",
      });
      return outcome;
    }
  }

  async #sendRequest(recovery: Recovery | null): Promise<ModelOutcome> {
    const { model } = this.#request;
    this.#stage = { stage: "model" };
    this.#hasStreamed = false;
    const messages: readonly ModelMessage[] = recovery === null
      ? this.#transcript.snapshot()
      : [...this.#transcript.snapshot(), {
        role: "user",
        content: [{ type: "text", text: recovery.notice }],
      }];
    try {
      return await requestModel(
        {
          provider: this.#ports.provider,
          signal: this.#controller.signal,
          firstTokenTimeoutMs: this.#ports.limits.firstTokenTimeoutMs,
          firstTokenRetries: this.#ports.limits.firstTokenRetries,
          remainingMs: () => this.#clock.remainingMs(),
          retryBaseMs: this.#ports.retryBaseMs ?? 500,
          maxPartialChars: responseShare(this.#shareRoom()),
          drained: () => this.#drained(),
          emit: (type, data) => {
            if (type === "text_delta") this.#hasStreamed = true;
            this.#events.emit(type, data);
          },
        },
        {
          model,
          system: this.#ports.system,
          messages,
          tools: this.#tools,
          maxOutputTokens: this.#askedTokens = this.#outputTokens(),
          ...(this.#ports.effort === undefined ? {} : { effort: this.#ports.effort }),
          ...(this.#serverTools.length === 0 ? {} : { serverTools: this.#serverTools }),
          ...(this.#answer === undefined ? {} : { answer: this.#answer.style }),
        },
        (text) => {
          this.#countCost(undefined, text.length);
          this.#keepPartial(text);
        },
      );
    } catch (error) {
      if (error instanceof ProviderError && error.code === "output_truncated") {
        return {
          kind: "completed",
          message: { role: "assistant", text: "", calls: [] },
          truncated: true,
          durationMs: 0,
        };
      }
      throw error;
    }
  }

  /**
   * Whether a response is of no use and is asked for again. Its visible text is kept; none of its
   * calls is, because what an output limit cut may still look complete.
   */
  #recoveryFor(outcome: ModelOutcome): Recovery | null {
    const reason = recoveryReason(outcome);
    if (reason === null) return null;
    const { truncationRecoveries } = this.#ports.limits;
    const text = outcome.kind === "completed" ? outcome.message.text : outcome.text;
    this.#keepPartial(text);
    if (this.#recoveries >= truncationRecoveries) {
      if (outcome.kind === "interrupted") {
        throw outcome.error.code === "output_truncated" ? this.#cutFailure() : outcome.error;
      }
      if (!outcome.truncated) return this.#acceptSilence();
      throw this.#cutFailure();
    }
    this.#recoveries += 1;
    this.#events.emit("truncation_recovery", {
      attempt: this.#recoveries,
      of: truncationRecoveries,
      reason,
      maxOutputTokens: this.#askedTokens,
    });
    return { reason, notice: NOTICES[reason] };
  }

  /** A model that says nothing after its work has ended; one that says nothing at all has failed. */
  #acceptSilence(): null {
    if (this.#toolCalls === 0) {
      throw runFailure(
        "provider_empty_response",
        `Model "${this.#request.model}" answered with neither text nor a tool call: ` +
          "try again, or choose another model",
      );
    }
    this.#events.emit("run_warning", {
      code: "empty_response",
      message: "The model ended without a final answer",
    });
    return null;
  }

  #recordResponse(outcome: Extract<ModelOutcome, { kind: "completed" }>): BoundedResponse {
    this.#recoveries = 0;
    const calls = this.#transcript.identify(outcome.message.calls);
    const response = boundResponse({ ...outcome.message, calls }, responseShare(this.#shareRoom()));
    const { message } = response;
    const requestSize = this.#size();
    if (message.text !== "") this.#text = message.text;
    this.#events.batch(() => {
      if (message.text.trim() !== "" || message.calls.length > 0) this.#append(message);
      this.#measure(requestSize, outcome.usage);
      if (response.isCut) {
        this.#events.emit("run_warning", {
          code: "response_cut",
          message: "The reply is larger than the conversation has room for: only a part of it " +
            "is kept",
        });
      }
      this.#events.emit("turn_completed", {
        turn: this.#turn,
        tokens: this.#tokens(),
        calls: message.calls.length,
        model: this.#request.model,
        ...(outcome.usage === undefined ? {} : { usage: outcome.usage }),
        durationMs: outcome.durationMs,
        ...(outcome.ttftMs === undefined ? {} : { ttftMs: outcome.ttftMs }),
      });
    });
    return response;
  }

  #measure(request: ContextSize, usage: Usage | undefined): void {
    const { context } = this.#ports;
    if (context === undefined) return;
    const size = this.#size();
    if (usage !== undefined) context.meter.take(usage, charsOf(request), charsOf(size));
    context.meter.observe(size);
  }

  async #runCalls(
    calls: ReturnType<Transcript["identify"]>,
    refusals: BoundedResponse["refusals"],
  ): Promise<void> {
    const budget = new ResultBudget(this.#shareRoom(), calls.length);
    const argumentsById = new Map(calls.map((call) => [call.id, call.arguments]));
    const startedIds = new Set<string>();
    const context: CallContext = {
      sessionId: this.#request.sessionId,
      turn: this.#turn,
      revisions: this.#revisions,
      signal: this.#controller.signal,
      emit: (type, data) => {
        if (isStart(type, data)) this.#emitStart(data);
        else this.#events.emit(type, data);
      },
      recordStart: (record) => {
        this.#decisions.storeWith(record.callId, () =>
          this.#ports.store.beginCall({
            sessionId: this.#request.sessionId,
            runId: this.#request.runId,
            startedAt: Date.now(),
            ...record,
          }));
        startedIds.add(record.callId);
      },
      recordDecision: (record) => this.#decisions.record(record),
      recordChange: async (callId, change) => {
        const { recordFileChange } = await import("../rewind/file_changes.ts");
        const { sessionId } = this.#request;
        return await recordFileChange(this.#ports.store, { sessionId, callId }, change);
      },
      ...(this.#ports.agentPath === undefined ? {} : { agentPath: this.#ports.agentPath }),
      pauseWhile: (wait) => this.#pauseWhile(wait),
      recordNestedEnd: (outcome, parentId) => this.#recordNestedEnd(outcome, parentId),
    };
    await runToolCalls(calls, {
      gate: this.#ports.gate,
      context,
      refusals,
      mayContinue: () => this.#tokens() < this.#ports.limits.maxTokens,
      onBatch: async (outcomes) => {
        this.#recordOutcomes(outcomes, { argumentsById, startedIds, budget });
        await this.#drained();
      },
    });
    if (!this.#controller.signal.aborted) this.#stage = { stage: "model" };
  }

  #emitStart(data: RunEventData["tool_started"]): void {
    this.#stage = { stage: "tool", tool: data.name };
    const args = redactInput(data.arguments, this.#ports.secrets());
    this.#events.emit("tool_started", { ...data, arguments: args });
  }

  #drained(): Promise<void> | undefined {
    const drained = this.#ports.drained?.();
    return drained === undefined ? undefined : this.#clock.pauseWhile(() => this.#wait(drained));
  }

  /** A reader that pauses must not keep the run from ending; whoever looks next sees that it has. */
  async #wait(drained: Promise<void>): Promise<void> {
    await untilAborted(drained, this.#controller.signal).catch(() => {});
  }

  #recordOutcomes(
    outcomes: readonly CallOutcome[],
    { argumentsById, startedIds, budget }: ResponseFacts,
  ): void {
    this.#events.batch(() => {
      for (const outcome of outcomes) {
        const args = argumentsById.get(outcome.callId) ?? "";
        // What was refused, left out or answered by a person never began.
        const succeeded = startedIds.has(outcome.callId) && !outcome.isError;
        const receipts = succeeded ? this.#ports.receipts : undefined;
        const reserved = receipts?.receipts.lineChars ?? 0;
        const bounded = budget.bound(this.#withLoopWarning(outcome, args), reserved);
        const content = receipts === undefined
          ? bounded
          : this.#withReceipt(receipts, { name: outcome.name, args, content: bounded });
        if (outcome.skipped !== true) this.#toolCalls += 1;
        if (outcome.refused !== undefined) this.#refusedCalls += 1;
        const { callId, name, isError } = outcome;
        this.#endCall(outcome, content);
        if (outcome.unfinished !== true) {
          this.#append({ role: "tool", callId, name, content, isError });
        }
        this.#emitEnd(outcome, content);
      }
    });
  }

  /** The model made no such call, so it is in the journal and in no message. */
  #recordNestedEnd(outcome: CallOutcome, parentId: string): void {
    this.#events.batch(() => {
      if (outcome.refused !== undefined) this.#refusedCalls += 1;
      this.#endCall(outcome, outcome.content);
      this.#emitEnd(outcome, outcome.content, { parentId });
    });
  }

  /** A call that was left behind has no result: the session asks for recovery. */
  #endCall({ callId, isError, unfinished }: CallOutcome, content: CallOutcome["content"]): void {
    if (unfinished === true) return;
    const { sessionId } = this.#request;
    this.#ports.store.endCall({ sessionId, callId, content, isError, endedAt: Date.now() });
  }

  #emitEnd(
    { callId: id, name, isError, durationMs, refused }: CallOutcome,
    content: CallOutcome["content"],
    parent: { readonly parentId?: string } = {},
  ): void {
    this.#events.emit("tool_completed", {
      id,
      name,
      isError,
      durationMs,
      preview: redactSecrets(resultPreview(content), this.#ports.secrets()),
      ...(refused === undefined ? {} : {
        refused: {
          matched: refused.matched,
          ...(refused.remedy === undefined ? {} : {
            // It may name a path of the call.
            remedy: redactSecrets(refused.remedy, this.#ports.secrets()),
          }),
        },
      }),
      ...parent,
    });
  }

  #withReceipt(
    { receipts, showInResponse }: RunReceipts,
    { name, args, content }: {
      readonly name: string;
      readonly args: string;
      readonly content: CallOutcome["content"];
    },
  ): CallOutcome["content"] {
    const subject = { name, arguments: this.#ports.redact(args), result: resultText(content) };
    const receipt = receipts.issue(subject, Date.now());
    if (showInResponse) this.#shownReceipts.push(`${name}: ${receipt}`);
    return [...content, { type: "text", text: receipts.line(receipt) }];
  }

  #withLoopWarning(outcome: CallOutcome, args: string): CallOutcome["content"] {
    if (outcome.skipped === true) return outcome.content;
    const verdict = this.#repetition.observe({
      name: outcome.name,
      arguments: args,
      result: JSON.stringify(outcome.content),
      durationMs: outcome.durationMs,
      polling: this.#ports.gate.isPolling(outcome.name),
      turn: this.#turn,
    });
    if (verdict === "fine") return outcome.content;
    if (verdict === "stop") this.#looping = outcome.name;
    // The model reads it in every result; a person needs to be told once a turn.
    if (this.#toldInTurn !== this.#turn) {
      this.#toldInTurn = this.#turn;
      this.#events.emit("run_warning", {
        code: "repeated_calls",
        message: `The model repeats the same "${outcome.name}" call with the same result`,
      });
    }
    return [...outcome.content, { type: "text", text: REPETITION_NOTICE }];
  }

  #completed(answer: string, truncated: boolean): RunResult {
    const text = this.#withReceiptList(answer);
    const { maxOutputTokensSource } = this.#ports.limits;
    if (truncated) {
      this.#events.emit("response_truncated", {
        turn: this.#turn,
        maxOutputTokens: this.#askedTokens,
        source: maxOutputTokensSource,
      });
    }
    this.#reportHooks();
    this.#events.emitLast("run_completed", {
      tokens: this.#tokens(),
      text,
      ...(truncated ? { truncated } : {}),
      ...this.#refusals(),
    }, () => this.#endRun("completed"));
    return this.#result("completed");
  }

  /** The list is for the person alone: the model's own answer is stored without it. */
  #withReceiptList(answer: string): string {
    const left = this.#shownReceipts.length - MAX_SHOWN_RECEIPTS;
    const lines = this.#shownReceipts.slice(-MAX_SHOWN_RECEIPTS);
    if (lines.length === 0) return answer;
    const list = ["Receipts:", ...left > 0 ? [`(${left} earlier ones left out)`] : [], ...lines];
    const addition = `${answer === "" ? "" : "\n\n"}${list.join("\n")}`;
    if (this.#hasStreamed) this.#events.emit("text_delta", { delta: addition });
    this.#text = answer + addition;
    return this.#text;
  }

  #turnsExceeded(): RunResult {
    const { maxTurns } = this.#ports.limits;
    this.#events.emitLast(
      "run_turns_exceeded",
      { turns: this.#turn, maxTurns, ...this.#refusals() },
      () => this.#endRun("turns_exceeded"),
    );
    return this.#result("turns-exceeded");
  }

  #refusals(): { readonly refusedCalls?: number } {
    return this.#refusedCalls === 0 ? {} : { refusedCalls: this.#refusedCalls };
  }

  #result(status: RunResult["status"]): RunResult {
    return {
      runId: this.#request.runId,
      sessionId: this.#request.sessionId,
      text: this.#text,
      status,
      usage: this.#usage,
      toolCalls: this.#toolCalls,
      refusedCalls: this.#refusedCalls,
      activeMs: Math.round(this.#clock.activeMs()),
    };
  }

  /** Ends the run for anything that was thrown, and answers what the caller is to throw. */
  #end(error: unknown): RunFailedError | RunCancelledError {
    const { reason } = this.#controller.signal;
    const stopped = this.#controller.signal.aborted && error === reason;
    if (stopped && !(reason instanceof RunTimeout)) {
      const text = errorMessage(reason);
      const end = this.#events.emitLastAnyway(
        "run_cancelled",
        { error: text },
        () => this.#endRun("cancelled", text),
        (why) => ({ error: withLostEnd(text, why) }),
      );
      return end.isStored ? new RunCancelledError(text, { cause: error }) : new RunCancelledError(
        withLostEnd(text, end.reason),
        { cause: error, isResumable: isKept(end.reason) },
      );
    }
    const { timeoutMs } = this.#ports.limits;
    const failure = stopped ? timeFailure(timeoutMs, this.#where()) : this.#failureOf(error);
    // A failure to record says so already.
    const unstored = (why: unknown): RunEventData["run_failed"] =>
      failure.code === "record_failed"
        ? failure.data
        : { ...failure.data, error: withLostEnd(failure.message, why) };
    const end = this.#events.emitLastAnyway(
      "run_failed",
      failure.data,
      () => this.#endRun("failed", failure.message),
      unstored,
    );
    return end.isStored ? failure : new RunFailedError(failure.code, unstored(end.reason), {
      cause: failure.cause,
      isResumable: failure.isResumable && isKept(end.reason),
    });
  }

  #failureOf(error: unknown): RunFailedError {
    if (error instanceof RunFailedError) return error;
    if (error instanceof FirstTokenTimeoutError) {
      this.#attempts = error.attempts;
      return silenceFailure(error.limitMs, this.#where(), error);
    }
    return thrownFailure(error, this.#ports.redact);
  }

  /** Where the run is, for a failure that names it. */
  #where(): RunPlace {
    return {
      model: this.#request.model,
      provider: this.#ports.provider.id,
      ...this.#stage,
      firstRequest: this.#turn <= 1,
      attempts: this.#attempts,
    };
  }

  #checkBudgets(): void {
    const { maxTokens, maxContextChars } = this.#ports.limits;
    const tooExpensive = this.#ports.cost?.refusal() ?? null;
    if (tooExpensive !== null) throw runFailure("cost_limit", tooExpensive);
    const room = this.#room();
    if (this.#tokens() >= maxTokens) {
      throw runFailure(
        "token_budget",
        `The run used ${this.#tokens()} tokens, the limit is ${maxTokens}: ` +
          'raise "limits.maxTokens" or give it a smaller task',
      );
    }
    // The first turn of a run may use the little that earlier runs left.
    const isWorkingOn = this.#turn > 1 && room < maxContextChars * MIN_ROOM_SHARE;
    if (room < 0 || isWorkingOn) throw this.#outOfRoom();
  }

  /** Of a small window, no answer and no batch of results takes all. */
  #shareRoom(): number {
    const { context } = this.#ports;
    const room = this.#room();
    return context === undefined
      ? room
      : Math.min(room, context.meter.transcriptChars(this.#size()));
  }

  #cutFailure(): RunFailedError {
    const limits = { ...this.#ports.limits, maxOutputTokens: this.#askedTokens };
    return cutFailure(this.#request.model, limits);
  }

  /** What a person set is sent as it is. */
  #outputTokens(): number {
    const { limits: { maxOutputTokens, maxOutputTokensSource }, context } = this.#ports;
    if (maxOutputTokensSource === "user" || context === undefined) return maxOutputTokens;
    return context.meter.answerTokens(this.#size());
  }

  #size(): ContextSize {
    return {
      system: this.#ports.system.length,
      tools: this.#toolChars,
      transcript: this.#transcript.chars,
    };
  }

  /** Characters that a request may still grow by. */
  #room(): number {
    const { system, limits } = this.#ports;
    return limits.maxContextChars - system.length - this.#transcript.chars;
  }

  #outOfRoom(): RunFailedError {
    return fullFailure(this.#ports.limits.maxContextChars, this.#room());
  }

  async #promptTooLarge(promptChars: number): Promise<RunFailedError> {
    const { limits: { maxContextChars }, context } = this.#ports;
    const room = this.#room();
    const windowTokens = context?.meter.bounds.windowTokens;
    if (windowTokens !== undefined && promptChars <= room) {
      const problem = await this.#lackBeforePrompt(promptChars);
      if (problem !== null) return runFailure("context_budget", problem);
      return promptOverWindow(promptChars, {
        ...this.#size(),
        model: this.#request.model,
        windowTokens,
      });
    }
    if (room <= 0 && context === undefined) return this.#outOfRoom();
    return promptOverLimit(promptChars, { maxContextChars, room });
  }

  /** What is wrong where instructions and tools alone leave no prompt room; null where they do. */
  async #lackBeforePrompt(promptChars: number): Promise<string | null> {
    const meter = this.#ports.context?.meter;
    if (meter === undefined) return null;
    const { describeLack, MIN_TRANSCRIPT_CHARS } = await import("../compaction/describe_lack.ts");
    const { transcript, ...overhead } = this.#size();
    const size = { ...overhead, transcript: transcript + promptChars };
    if (meter.transcriptChars(overhead) >= MIN_TRANSCRIPT_CHARS || !meter.isOver(size)) return null;
    return `${describeLack(meter, size, "")}; the prompt was not kept`;
  }

  #keepPartial(text: string): void {
    const kept = cutText(text, responseShare(this.#shareRoom()));
    if (kept.trim() === "") return;
    this.#append({ role: "assistant", text: kept, calls: [], partial: true });
  }

  #append(message: StoredMessage): void {
    this.#ports.store.appendMessage(this.#request.sessionId, message, Date.now());
    this.#transcript.append(message);
  }

  #count(usage: Usage | undefined): void {
    if (usage === undefined) return;
    const cachedInput = (this.#usage.cachedInput ?? 0) + (usage.cachedInput ?? 0);
    this.#usage = {
      input: this.#usage.input + usage.input,
      output: this.#usage.output + usage.output,
      ...(cachedInput === 0 ? {} : { cachedInput }),
    };
  }

  #countCost(usage: Usage | undefined, response: number): void {
    const { cost, system } = this.#ports;
    if (cost?.isCounting !== true) return;
    if (usage !== undefined) return cost.count(usage);
    const tools = JSON.stringify(this.#tools).length;
    cost.countEstimate({ request: system.length + this.#transcript.chars + tools, response });
  }

  #tokens(): number {
    return this.#usage.input + this.#usage.output;
  }

  #endRun(status: "completed" | "turns_exceeded" | "failed" | "cancelled", error?: string): void {
    this.#ports.store.endRun({
      id: this.#request.runId,
      status,
      endedAt: Date.now(),
      usage: this.#usage,
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** What the calls of one response share. */
interface ResponseFacts {
  readonly argumentsById: ReadonlyMap<string, string>;
  /** Calls that were let through and recorded. */
  readonly startedIds: ReadonlySet<string>;
  readonly budget: ResultBudget;
}

/** Of the receipts of a run, as many as a person may want to look at. */
const MAX_SHOWN_RECEIPTS = 50;

/** What a prompt may take of all that a conversation may have. */
const MAX_PROMPT_SHARE = 0.9;

/** With less of the context than this left, a task is not gone on with. */
const MIN_ROOM_SHARE = 0.02;

function charsOf({ system, tools, transcript }: ContextSize): number {
  return system + tools + transcript;
}

function isStart(
  type: keyof RunEventData,
  _data: RunEventData[keyof RunEventData],
): _data is RunEventData["tool_started"] {
  return type === "tool_started";
}

function withLostEnd(text: string, why: unknown): string {
  return `${text}. The end of the run could not be recorded: ${errorMessage(why)}`;
}

function responseChars(outcome: ModelOutcome): number {
  if (outcome.kind === "interrupted") return outcome.text.length;
  const { text, calls, reasoning = "" } = outcome.message;
  const written = calls.map((call) => call.name.length + call.arguments.length);
  return written.reduce((sum, length) => sum + length, text.length + reasoning.length);
}

function recoveryReason(outcome: ModelOutcome): Recovery["reason"] | null {
  if (outcome.kind === "interrupted") return "stream_interrupted";
  const { text, calls } = outcome.message;
  if (outcome.truncated && calls.length > 0) return "tool_call_cut";
  if (text.trim() === "" && calls.length === 0) return "empty_response";
  return null;
}
