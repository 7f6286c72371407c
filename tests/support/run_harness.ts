import {
  type ModelEvent,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  type ProviderError,
  type RunEvent,
  textResult,
  type ToolResult,
} from "@alisio/sdk";
import { DatabaseSync } from "node:sqlite";
import type { Approver } from "../../core/gate/approval.ts";
import { askHere, channelsOf } from "../../core/gate/approval/approval_plan.ts";
import { Gate, type GatePorts } from "../../core/gate/gate.ts";
import { policiesFromFlags } from "../../core/gate/policy.ts";
import type { BoundProfile } from "../../core/gate/profile/bind_profile.ts";
import { judgePath } from "../../core/paths/judge_path.ts";
import type { CompactionHookPort } from "../../core/compaction/compactor.ts";
import type { CompactionSettings } from "../../core/config/configuration.ts";
import { ContextMeter } from "../../core/run/context_meter.ts";
import type { CostMeter } from "../../core/run/cost_meter.ts";
import { OpenSession } from "../../core/run/open_session.ts";
import type { RunObserver } from "../../core/run/run_events.ts";
import { DEFAULT_RUN_LIMITS, type RunLimits } from "../../core/run/run_limits.ts";
import type { RunReceipts, RunResult } from "../../core/run/run_ports.ts";
import { runSession } from "../../core/run/run_session.ts";
import { acquireLease } from "../../core/session/lease.ts";
import { openSessionStore, type SessionStore } from "../../core/session/session_store.ts";
import type { StoredMessage } from "../../core/session/stored_message.ts";
import type { HostTool } from "../../core/tools/host_tool.ts";
import { ToolRegistry } from "../../core/tools/tool_registry.ts";
import { createSchemaValidator } from "../../tools/schema_validator.ts";

/** One answer of the played model: events to yield, or a failure. */
export type PlayedTurn = (request: ModelRequest) => AsyncIterable<ModelEvent>;

/** A provider that plays turns in order and keeps what it was asked. */
export class PlayedProvider implements ModelProvider {
  readonly id = "played";
  readonly requests: ModelRequest[] = [];
  readonly #turns: readonly PlayedTurn[];

  constructor(turns: readonly PlayedTurn[]) {
    this.#turns = turns;
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const turn = this.#turns[this.requests.length] ?? this.#turns.at(-1);
    this.requests.push({ ...request, messages: [...request.messages] });
    if (turn === undefined) throw new TypeError("Nothing to play");
    return turn(request);
  }
}

/** A turn that says something. */
export function says(
  text: string,
  rest: Partial<Extract<ModelEvent, { type: "completed" }>> = {},
): PlayedTurn {
  return async function* () {
    if (text !== "") yield { type: "text_delta", delta: text };
    yield { type: "completed", message: { role: "assistant", text, calls: [] }, ...rest };
  };
}

/** A turn that calls tools: name, arguments, id. */
export function calls(
  list: readonly (readonly [string, unknown, string?])[],
  rest: Partial<Extract<ModelEvent, { type: "completed" }>> & { readonly text?: string } = {},
): PlayedTurn {
  const { text = "", ...completed } = rest;
  return async function* () {
    yield { type: "tool_delta" };
    yield {
      type: "completed",
      message: {
        role: "assistant",
        text,
        calls: list.map(([name, args, id]) => ({
          id: id ?? "",
          name,
          arguments: typeof args === "string" ? args : JSON.stringify(args),
        })),
      },
      ...completed,
    };
  };
}

/** A turn that fails, after some text if given. */
export function fails(error: ProviderError, text = ""): PlayedTurn {
  return async function* () {
    if (text !== "") yield { type: "text_delta", delta: text };
    throw error;
  };
}

/** A turn that stays silent until it is aborted. */
export function hangs(first?: ModelEvent): PlayedTurn {
  return async function* (request) {
    if (first !== undefined) yield first;
    const { promise, reject } = Promise.withResolvers<never>();
    if (request.signal.aborted) throw request.signal.reason;
    request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
    yield await promise;
  };
}

/** What a gate is told beyond the flags of a headless run. */
export interface GateOptions extends
  Partial<
    Pick<
      GatePorts,
      | "approvals"
      | "canAskQuestions"
      | "judgePath"
      | "loadValidator"
      | "nestedInstructions"
      | "redact"
      | "redactShown"
      | "stopGraceMs"
    >
  > {
  readonly tools?: readonly HostTool[];
  /** Asks the person; absent when nobody is there. */
  readonly approver?: Approver;
  readonly allowWrite?: boolean;
  readonly allowProcess?: boolean;
  /** The risk profile that is in force. */
  readonly bound?: BoundProfile;
  readonly readOnly?: boolean;
}

/** Calls of the default tools: name and input. */
export type CalledTools = [string, Record<string, unknown>][];

/**
 * Builds a gate over the default tools and those of the options, with real paths.
 *
 * @param workspace Real path of the workspace.
 * @param called Receives what each default tool was called with.
 * @param options What differs from a headless run without flags.
 */
export function createTestGate(
  workspace: string,
  called: CalledTools,
  options: GateOptions,
): Gate {
  const { tools = [], readOnly = false, bound, ...rest } = options;
  const { allowWrite = false, allowProcess = false, approver, ...ports } = rest;
  const approvals = ports.approvals ?? askHere(channelsOf(approver));
  const roots = [workspace, ...bound?.roots ?? []];
  const isProtected = (real: string) => real.startsWith(`${workspace}/.alisio`);
  const registry = new ToolRegistry();
  for (const tool of [...defaultTools(called), ...tools]) registry.registerBuiltin(tool);
  const validator = createSchemaValidator();
  return new Gate({
    tools: registry,
    policies: [
      ...policiesFromFlags({
        readOnly,
        allowWrite,
        allowProcess,
        allowExternal: false,
        interactive: approvals.hops.length > 0,
      }),
      ...(bound === undefined ? [] : [bound.policy]),
    ],
    workspace,
    roots,
    judgePath: (path) => judgePath(path, { workspace, roots }),
    isProtected,
    isSecret: (real) => real === `${workspace}/.alisio/credentials.json`,
    loadValidator: () => Promise.resolve(validator),
    redact: (text) => text,
    ...(bound === undefined ? {} : { profile: bound.gate({ roots, isOwnFile: isProtected }) }),
    ...ports,
    approvals,
  });
}

/** Runs prompts in one session of a database of its own. */
export interface RunHarness {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly events: RunEvent[];
  /** What each tool was called with. */
  readonly called: CalledTools;
  readonly workspace: string;
  /** Runs one prompt. */
  run(prompt: string, turns: readonly PlayedTurn[] | ModelProvider): Promise<RunResult>;
  /** Opens the session as a caller holds it. */
  open(
    turns: readonly PlayedTurn[] | ModelProvider,
    options?: {
      readonly reference?: string;
      readonly info?: ModelInfo;
      readonly onClosed?: () => void;
    },
  ): Promise<OpenSession>;
  /** Runs SQL on the database file behind the store's back. */
  sql(text: string): void;
  types(): readonly string[];
  messages(): readonly StoredMessage[];
}

/** What a harness can be told. */
export interface HarnessOptions extends GateOptions {
  readonly limits?: Partial<RunLimits>;
  readonly signal?: AbortSignal;
  /** Who sees the events beside the harness. */
  readonly observers?: readonly RunObserver[];
  /** Values that events and the audit show nothing of. */
  readonly secrets?: readonly string[];
  /** What results are given as proof. */
  readonly receipts?: RunReceipts;
  /** Counts what responses cost. */
  readonly cost?: (store: SessionStore) => CostMeter;
  /** How a long conversation is made shorter; without it, a full one ends a run. */
  readonly compaction?: Partial<CompactionSettings>;
  /** Tokens that the model is known to hold. */
  readonly contextWindow?: number;
  /** What plugins are asked and told of a compaction. */
  readonly compactionHooks?: CompactionHookPort;
}

/** The defaults of the configuration. */
export const COMPACTION: CompactionSettings = {
  auto: true,
  threshold: 0.85,
  keepTurns: 2,
  maxOutputTokens: 16_000,
};

/**
 * Runs `body` with a harness in a temporary folder.
 *
 * @param options What differs from a headless run without flags.
 * @param body The test.
 */
export async function withRun(
  options: HarnessOptions,
  body: (harness: RunHarness) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "alisio-run-" }));
  const workspace = `${folder}/ws`;
  await Deno.mkdir(workspace);
  const store = openSessionStore(`${folder}/state/sessions.sqlite`);
  const { limits: changedLimits, signal, observers: others = [], cost, ...rest } = options;
  const { secrets: hidden = [], receipts, ...remaining } = rest;
  const { compaction, contextWindow, compactionHooks, ...gateOptions } = remaining;
  const settings = compaction === undefined ? undefined : { ...COMPACTION, ...compaction };
  const proof = receipts === undefined ? {} : { receipts };
  const secrets = () => hidden;
  const called: CalledTools = [];
  const gate = createTestGate(workspace, called, gateOptions);
  const sessionId = crypto.randomUUID();
  store.createSession({
    id: sessionId,
    workspace,
    model: "m",
    provider: "played",
    createdAt: Date.now(),
  });
  const events: RunEvent[] = [];
  const observers = [(event: RunEvent) => void events.push(event), ...others];
  const limits = { ...DEFAULT_RUN_LIMITS, ...changedLimits };
  const redact = options.redact ?? ((text) => text);
  const meter = new ContextMeter({
    windowTokens: contextWindow,
    threshold: settings?.threshold ?? COMPACTION.threshold,
    maxContextChars: limits.maxContextChars,
    maxOutputTokens: limits.maxOutputTokens,
  });
  const hooks = compactionHooks === undefined ? {} : { hooks: async () => await compactionHooks };
  const context = settings === undefined
    ? {}
    : { context: { meter, settings, ...hooks, learn: () => {} } };
  const harness: RunHarness = {
    store,
    sessionId,
    events,
    called,
    workspace,
    types: () => events.map((event) => event.type),
    messages: () => store.loadMessages(sessionId),
    run: (prompt, turns) =>
      runSession({
        store,
        provider: providerOf(turns),
        gate,
        system: "system",
        limits,
        observers,
        redact,
        secrets,
        ...proof,
        ...(cost === undefined ? {} : { cost: cost(store) }),
        ...context,
        retryBaseMs: 1,
      }, {
        runId: crypto.randomUUID(),
        sessionId,
        model: "m",
        prompt: { role: "user", content: [{ type: "text", text: prompt }] },
        history: store.loadMessages(sessionId),
        signal: signal ?? new AbortController().signal,
      }),
    open: async (turns, { reference = "m", info, onClosed = () => {} } = {}) =>
      new OpenSession({
        store,
        gate,
        lease: await acquireLease(store, sessionId),
        connection: {
          provider: providerOf(turns),
          model: "m",
          reference,
          ...(info === undefined ? {} : { info }),
          limits,
          ...(contextWindow === undefined
            ? {}
            : { contextWindow: { tokens: contextWindow, source: "configuration" } }),
        },
        ...(settings === undefined ? {} : { compaction: settings }),
        ...(compactionHooks === undefined
          ? {}
          : { compactionHooks: async () => await compactionHooks }),
        system: () => "system",
        redact,
        secrets,
        ...proof,
        onClosed,
      }),
    sql(text) {
      const connection = new DatabaseSync(store.path);
      try {
        connection.exec(text);
      } finally {
        connection.close();
      }
    },
  };
  try {
    await body(harness);
  } finally {
    store.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Counts the abort listeners that are added to a signal from now on and not removed again.
 *
 * @param signal The signal; its own methods are wrapped.
 * @returns How many there are at the moment.
 */
export function countListeners(signal: AbortSignal): () => number {
  const listeners: unknown[] = [];
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener(...args: Parameters<typeof add>) {
      listeners.push(args[1]);
      add(...args);
    },
    removeEventListener(...args: Parameters<typeof remove>) {
      const index = listeners.indexOf(args[1]);
      if (index >= 0) listeners.splice(index, 1);
      remove(...args);
    },
  });
  return () => listeners.length;
}

function providerOf(turns: readonly PlayedTurn[] | ModelProvider): ModelProvider {
  return "stream" in turns ? turns : new PlayedProvider(turns);
}

function defaultTools(called: CalledTools): readonly HostTool[] {
  const schema = {
    type: "object",
    properties: { path: { type: "string" } },
    additionalProperties: false,
  } as const;
  const tool = (
    name: string,
    effect: HostTool["effect"],
    result: (input: Record<string, unknown>) => ToolResult,
  ): HostTool => ({
    name,
    description: name,
    effect,
    inputSchema: schema,
    paths: (input) => typeof input.path === "string" ? [input.path] : [],
    execute: (input) => {
      called.push([name, input]);
      return Promise.resolve(result(input));
    },
  });
  return [
    tool("look", "read", (input) => textResult(`looked at ${input.path ?? "all"}`)),
    tool("change", "write", () => textResult("changed")),
    tool("throws", "read", () => {
      throw new Error("the tool broke");
    }),
  ];
}
