import type { Effect, ModelToolCall, RunEventData, ToolResultPart } from "@alisio/sdk";
import { errorMessage } from "../errors.ts";
import { nearestName } from "../config/nearest_name.ts";
import type { FileChange, RecordedChange } from "../files/file_change.ts";
import type { JudgedPath } from "../paths/judged_path.ts";
import { dirname } from "../paths/path.ts";
import { boundText, MAX_RESULT_CHARS, previewText } from "../text/bound_text.ts";
import type { HostToolContext } from "../tools/host_tool.ts";
import type { InputValidator } from "../tools/input_validator.ts";
import { parseArguments } from "../tools/parse_arguments.ts";
import type { ToolRun } from "../tools/host_tool.ts";
import { checkedResult } from "../tools/result_text.ts";
import type { RegisteredTool, ToolDescriptor, ToolRegistry } from "../tools/tool_registry.ts";
import { type ApprovalPlan, HEADLESS } from "./approval/approval_plan.ts";
import { type CallInQuestion, CallPermits, type CallPermitsPorts } from "./call_permits.ts";
import type { Decision, PathFacts } from "./decide.ts";
import type { DecisionRecord } from "./decision_record.ts";
import type { GateProfile } from "./gate_profile.ts";
import type { SessionGrant } from "./grants.ts";
import type { Policy } from "./policy.ts";
import type { ProfileInputFacts } from "./profile/profile_facts.ts";

/** What the gate needs from around it. */
export interface GatePorts extends Pick<CallPermitsPorts, "policies" | "unusualPrograms"> {
  readonly tools: ToolRegistry;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real paths that tools may touch; the workspace is the first. */
  readonly roots: readonly string[];
  /** Resolves a path of an input. Throws with a clear message when it cannot be resolved. */
  readonly judgePath: (requested: string) => Promise<JudgedPath>;
  /** Whether a real path is one of the files that decide what Alisio may do. */
  readonly isProtected: (real: string) => boolean;
  /** Whether a real path is a file of stored keys. */
  readonly isSecret: (real: string) => boolean;
  /** Loads the schema validator; the first call that needs it waits for it. */
  readonly loadValidator: () => Promise<InputValidator>;
  /** Who is asked; absent when nobody is there. */
  readonly approvals?: ApprovalPlan;
  /** Whether a front end can put a model's own questions to the person. */
  readonly canAskQuestions?: boolean;
  /** Takes configured secrets out of a text before it is stored or sent. */
  readonly redact: (text: string) => string;
  /**
   * Takes every known secret out of a text that a person is shown.
   *
   * @default redact
   */
  readonly redactShown?: (text: string) => string;
  /**
   * Instructions that apply to paths of a call and that the model has not seen. They are attached
   * to the result of a read; a call with an effect is returned with them instead of run.
   */
  readonly nestedInstructions?: (
    paths: readonly JudgedPath[],
    sessionId: string,
  ) => Promise<string | null>;
  /** The risk profile that is in force, beside its policy. */
  readonly profile?: GateProfile;
  /**
   * How long a tool may take to stop once its run has; then it is left behind.
   *
   * @default 7_000, more than it takes to end a process group by force
   */
  readonly stopGraceMs?: number;
}

/** What a call that is let through is recorded as, before it runs. */
export interface CallRecord {
  readonly callId: string;
  readonly name: string;
  readonly effect: Effect;
  readonly arguments: string;
}

/** How a call ended. */
export interface CallOutcome {
  readonly callId: string;
  readonly name: string;
  readonly effect: Effect;
  readonly content: readonly ToolResultPart[];
  readonly isError: boolean;
  /** Milliseconds that it took; waiting for a person does not count. */
  readonly durationMs: number;
  /** The decision that refused it. */
  readonly refused?: Decision;
  /** A person answered in its place: it was not run, and the content is theirs. */
  readonly replaced?: true;
  /** It never started, because the run was over. */
  readonly skipped?: true;
  /** Instructions that the last part of the content holds, and nothing else. */
  readonly instructions?: string;
  /**
   * It has an effect and was left behind, still running: nobody knows how it ends, so it has no
   * result.
   */
  readonly unfinished?: true;
}

/** The run that a call belongs to. */
export interface CallContext {
  readonly sessionId: string;
  /** Agents from the main one down to the one that calls; absent for the main agent. */
  readonly agentPath?: readonly string[];
  /** Stops the run, which is known by it. */
  readonly signal: AbortSignal;
  /**
   * Tools that a server may change, as the model was shown them; absent where it does not matter.
   * One that is not what it was then is not run.
   */
  readonly revisions?: ReadonlyMap<string, string>;
  /**
   * Counts the responses of the run, so that a person is not asked the same twice; absent where
   * nobody counts.
   */
  readonly turn?: number;
  /** Emits an event of the run. */
  emit<T extends keyof RunEventData>(type: T, data: RunEventData[T]): void;
  /**
   * Writes the call into the journal. Called before every execution; when it throws, the call does
   * not run.
   */
  recordStart(record: CallRecord): void;
  /**
   * Records one decision about the call, for the audit.
   *
   * @throws If it cannot be recorded; the call does not run then.
   */
  recordDecision(record: DecisionRecord): void;
  /**
   * Records a change of a file before a call makes it; absent where nothing is recorded.
   *
   * @throws If it cannot be recorded; the call must not make the change then.
   */
  recordChange?(callId: string, change: FileChange): Promise<RecordedChange>;
  /** Stands the clock of the run still while a person is asked. */
  pauseWhile<T>(wait: () => Promise<T>): Promise<T>;
  /** Id of the call that makes this one; absent for a call of the model. */
  readonly parentId?: string;
  /**
   * Stores how a call ended that another one made, and emits its end. Absent where no call makes
   * others.
   *
   * @throws If it cannot be stored.
   */
  recordNestedEnd?(outcome: CallOutcome, parentId: string): void;
}

/** A tool and what the policies say of its effect. */
export interface ToolStatus {
  readonly tool: ToolDescriptor;
  readonly decision: Decision;
}

const NOT_RUN = "Not run: the run was stopped before this call";

/**
 * The one door to every tool: classify, decide, ask, record, execute, report. Nothing else calls
 * `execute`, whoever makes the call.
 */
export class Gate {
  readonly #ports: GatePorts;
  readonly #permits: CallPermits;
  #validator: Promise<InputValidator> | undefined;

  /**
   * Opens the door with nothing granted.
   *
   * @param ports What the gate needs from around it.
   */
  constructor(ports: GatePorts) {
    this.#ports = ports;
    this.#permits = new CallPermits({
      ...ports,
      approvals: ports.approvals ?? HEADLESS,
      redact: ports.redactShown ?? ports.redact,
    });
  }

  /**
   * Every tool with the decision about its effect: one truth for menus, `doctor` and refusals.
   *
   * @param sessionId Whose grants count.
   */
  status(sessionId: string): readonly ToolStatus[] {
    return this.#ports.tools.list().map((tool) => ({
      tool: describe(tool),
      decision: this.#permits.ofTool(tool, sessionId),
    }));
  }

  /**
   * Whether a tool may be used where nobody can be asked about its calls, because the server of the
   * model carries them out: only if it runs unasked by flags or by the mode. What was granted in a
   * session was granted for calls that are seen, and does not count.
   *
   * @param tool Name and effect of the tool that does the same here.
   */
  permitsUnseen(tool: Pick<ToolDescriptor, "name" | "effect">): boolean {
    return this.#permits.isUnasked(tool);
  }

  /**
   * The tools that a model is offered: everything that is not denied out of hand.
   *
   * @param sessionId Whose grants count.
   */
  offered(sessionId: string): readonly ToolDescriptor[] {
    return this.status(sessionId)
      .filter(({ tool, decision }) =>
        decision.decision !== "deny" &&
        this.#ports.tools.get(tool.name)?.isOffered(sessionId) !== false &&
        (!tool.interactiveOnly || this.#ports.canAskQuestions === true)
      )
      .map(({ tool }) => ({
        ...tool,
        inputSchema: this.#ports.tools.get(tool.name)?.offeredSchema() ?? tool.inputSchema,
      }));
  }

  /**
   * Decides by other rules from now on, and forgets what was granted under the old ones. Never
   * called while a call is decided about.
   *
   * @param policies The rules.
   */
  replacePolicies(policies: readonly Policy[]): void {
    this.#permits.replacePolicies(policies);
  }

  /**
   * What a person granted for the rest of a session.
   *
   * @param sessionId The session.
   */
  sessionGrants(sessionId: string): readonly SessionGrant[] {
    return this.#permits.sessionGrants(sessionId);
  }

  /**
   * Takes a grant back, from the next call on.
   *
   * @param sessionId The session.
   * @param grant The grant.
   */
  revoke(sessionId: string, grant: SessionGrant): void {
    this.#permits.revoke(sessionId, grant);
  }

  /**
   * What tools that describe themselves anew say at this moment, by name. Never throws: a tool that
   * cannot say it stays as it was described.
   *
   * @param sessionId The session whose model is asked next.
   * @param names Tools that it is shown.
   */
  async descriptions(
    sessionId: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const described = names.map(async (name) => {
      const describe = this.#ports.tools.get(name)?.describe;
      if (describe === undefined) return [];
      try {
        return [[name, await describe({ session: sessionId })] as const];
      } catch {
        return [];
      }
    });
    return new Map((await Promise.all(described)).flat());
  }

  /** Another number whenever other tools are offered than before. */
  get toolsVersion(): number {
    return this.#ports.tools.version;
  }

  /** Whether a call may overlap its neighbours in the same turn; one with an effect never does. */
  mayOverlap(name: string): boolean {
    const tool = this.#ports.tools.get(name);
    if (tool === undefined || tool.effect === "read") return true;
    return tool.effect === "internal" && tool.concurrent;
  }

  /** Whether a tool says itself how many of its calls may run side by side. */
  hasOwnLimits(name: string): boolean {
    const tool = this.#ports.tools.get(name);
    return tool !== undefined && tool.effect === "internal" && tool.concurrent;
  }

  /** Whether equal calls of that tool are polling and no loop. */
  isPolling(name: string): boolean {
    return this.#ports.tools.get(name)?.polling ?? false;
  }

  /**
   * Takes one call through the gate. Failures of any kind become results that the model reads.
   *
   * @param call The call, with its final id.
   * @param context The run it belongs to.
   * @throws Whatever `recordDecision` or `recordStart` throws: a call that cannot be recorded does
   * not run.
   */
  async call(call: ModelToolCall, context: CallContext): Promise<CallOutcome> {
    const startedAt = performance.now();
    let waitedMs = 0;
    const effect = this.#start(call, context);
    const result = await this.#run(call, {
      ...context,
      pauseWhile: async (wait) => {
        const pausedAt = performance.now();
        try {
          return await context.pauseWhile(wait);
        } finally {
          waitedMs += performance.now() - pausedAt;
        }
      },
    });
    return {
      callId: call.id,
      name: call.name,
      effect,
      durationMs: Math.round(performance.now() - startedAt - waitedMs),
      ...result,
    };
  }

  /**
   * Answers a call that is not to be made any more.
   *
   * @param call The call, with its final id.
   * @param context The run it belongs to.
   */
  skip(call: ModelToolCall, context: CallContext): CallOutcome {
    const effect = this.#start(call, context);
    const { id: callId, name } = call;
    return { callId, name, effect, durationMs: 0, ...failure(NOT_RUN), skipped: true };
  }

  #start(call: ModelToolCall, context: CallContext): Effect {
    const effect = this.#ports.tools.get(call.name)?.effect ?? "external";
    const { id, name, arguments: text } = call;
    const { parentId } = context;
    const parent = parentId === undefined ? {} : { parentId };
    context.emit("tool_started", { id, name, arguments: text, effect, ...parent });
    return effect;
  }

  async #run(call: ModelToolCall, context: CallContext): Promise<Result> {
    const tool = this.#ports.tools.get(call.name);
    if (tool === undefined) return failure(await this.#unknownTool(call.name, context));
    if (context.parentId !== undefined && !await this.#isNestable(tool, context)) {
      return failure(`Tool "${tool.name}" cannot be called by another call: call it directly`);
    }
    const shown = context.revisions?.get(call.name);
    if (context.revisions !== undefined && tool.revision !== shown) {
      tool.onUnseen?.(context.sessionId);
      return failure(unseenTool(call.name));
    }
    const parsed = parseArguments(call.arguments);
    if (!parsed.ok) return failure(parsed.reason);
    let paths: readonly PathFacts[];
    let profileInput: ProfileInputFacts | undefined;
    try {
      const problem = await this.#problemOf(tool, parsed.input);
      if (problem !== null) return failure(problem);
      paths = await this.#judge(tool.paths(parsed.input), tool.effect);
      const { input } = parsed;
      const { name, effect } = tool;
      profileInput = await this.#ports.profile?.input({ tool: name, effect, input, paths });
    } catch (error) {
      return failure(errorMessage(error));
    }
    const hasEffect = tool.effect !== "read" && tool.effect !== "internal";
    const facts: CallInQuestion = {
      callId: call.id,
      tool,
      input: parsed.input,
      paths,
      context,
      ...(profileInput === undefined ? {} : { profileInput }),
    };
    const permission = await this.#permits.permit(facts, async () => {
      // Whatever the model had not seen comes before anybody is asked about the call.
      const unseen = hasEffect ? await this.#unseenInstructions(paths, context) : null;
      return unseen === null ? null : failure(
        "Not run yet: instructions apply to this path that you had not seen. Consider them, then " +
          `call again if it still fits.\n\n${unseen}`,
      );
    });
    if (permission.kind === "answered") return permission.result;
    if (permission.kind === "refused") return refusal(permission.decision);
    if (permission.kind === "replaced") return replacement(permission.text);
    if (permission.kind === "stopped" || context.signal.aborted) {
      return { ...failure(NOT_RUN), skipped: true };
    }
    if (this.#ports.tools.get(call.name)?.revision !== tool.revision) {
      return failure(unseenTool(call.name));
    }
    // Calls side by side were promised the same last action; only here is it given away.
    const action = this.#ports.profile?.reserve(tool.name, tool.effect);
    if (action === null) return refusal(this.#permits.refuseWithoutAction(facts));
    try {
      // What a person granted was recorded with their answer.
      if (permission.unasked !== null) this.#permits.recordAllowed(facts, permission.unasked);
      context.recordStart({
        callId: call.id,
        name: tool.name,
        effect: tool.effect,
        arguments: parsed.text,
      });
      action?.commit();
    } finally {
      action?.release();
    }
    const result = await this.#execute(tool, parsed.input, { callId: call.id, paths, context });
    const attached = hasEffect ? null : await this.#unseenInstructions(paths, context);
    if (attached === null) return result;
    const content = [...result.content, { type: "text", text: attached } as const];
    return { ...result, content, instructions: attached };
  }

  async #isNestable(tool: RegisteredTool, { sessionId }: CallContext): Promise<boolean> {
    return (await import("./nested_calls.ts")).isNestable(tool, sessionId);
  }

  /** What a tool that calls others makes its calls with. */
  async #nestedCalls(
    tool: RegisteredTool,
    { callId, context, isOpen }: {
      readonly callId: string;
      readonly context: CallContext;
      readonly isOpen: () => boolean;
    },
  ): Promise<Pick<HostToolContext, "calls">> {
    const recordEnd = context.recordNestedEnd?.bind(context);
    if (!tool.callsTools || recordEnd === undefined || context.parentId !== undefined) return {};
    const { createNestedCalls } = await import("./nested_calls.ts");
    const calls = createNestedCalls({
      call: (call, nested) => this.call(call, nested),
      mayOverlap: (name) => this.mayOverlap(name),
      callId,
      context,
      recordEnd,
      isOpen,
    });
    return { calls };
  }

  /** Runs an allowed call. A tool that throws gives an error result. */
  async #execute(
    tool: RegisteredTool,
    input: Record<string, unknown>,
    { callId, paths, context }: {
      readonly callId: string;
      readonly paths: readonly PathFacts[];
      readonly context: CallContext;
    },
  ): Promise<Result> {
    let isOpen = true;
    const { stopGraceMs = 7_000 } = this.#ports;
    const mayHaveHappened = tool.effect !== "read" && tool.effect !== "internal";
    try {
      const nested = await this.#nestedCalls(tool, { callId, context, isOpen: () => isOpen });
      const answer: unknown = await withinGrace(
        context.signal,
        stopGraceMs,
        () =>
          tool.execute(input, {
            signal: context.signal,
            workspace: this.#ports.workspace,
            session: context.sessionId,
            callId,
            ...(context.agentPath === undefined ? {} : { agentPath: context.agentPath }),
            roots: this.#ports.roots,
            ...(tool.builtin ? { run: toolRun(context) } : {}),
            emit: (data) => {
              if (!isOpen) return;
              context.emit("tool_progress", { id: callId, data: this.#redactData(data) });
            },
            path: (requested) => {
              const judged = paths.find((path) => path.requested === requested);
              if (judged === undefined) {
                throw new TypeError(`Tool "${tool.name}" did not declare the path "${requested}"`);
              }
              return judged;
            },
            ...this.#changeRecorder(callId, context),
            ...nested,
          }),
      );
      const result = checkedResult(answer);
      if (result === null) {
        return failure(`Tool "${tool.name}" failed: it answered nothing that is a result`);
      }
      return {
        content: this.#bound(result.content, tool.maxResultChars),
        isError: result.isError ?? false,
      };
    } catch (error) {
      if (error instanceof StillRunningError && mayHaveHappened) {
        return {
          ...failure("Stopped, and still running when it was left behind"),
          unfinished: true,
        };
      }
      if (context.signal.aborted) {
        return failure(
          mayHaveHappened
            ? "Stopped while it ran: it may or may not have had its effect. Look before you repeat it"
            : "Stopped while it ran",
        );
      }
      const reason = previewText(this.#ports.redact(errorMessage(error)), 2_000);
      return failure(`Tool "${tool.name}" failed: ${reason}`);
    } finally {
      isOpen = false;
    }
  }

  #changeRecorder(
    callId: string,
    context: CallContext,
  ): Pick<HostToolContext, "recordChange"> {
    const record = context.recordChange?.bind(context);
    if (record === undefined) return {};
    return {
      recordChange: (change) =>
        record(callId, { ...change, isSecret: this.#ports.isSecret(change.path) }),
    };
  }

  async #problemOf(tool: RegisteredTool, input: Record<string, unknown>): Promise<string | null> {
    this.#validator ??= this.#ports.loadValidator();
    const validate = await this.#validator;
    const problems = validate(tool.inputSchema, input);
    if (problems.length === 0) return null;
    const { describeProblems } = await import("../tools/describe_problems.ts");
    return describeProblems(tool.name, tool.inputSchema, input, problems);
  }

  async #judge(requested: readonly string[], effect: Effect): Promise<readonly PathFacts[]> {
    const mayChange = effect !== "read" && effect !== "internal";
    return await Promise.all([...new Set(requested)].map(async (path) => {
      const judged = await this.#ports.judgePath(path);
      return {
        ...judged,
        isProtected: mayChange && this.#ports.isProtected(judged.real),
        isSecret: this.#ports.isSecret(judged.real),
        directory: judged.root === null ? await directoryOf(judged) : dirname(judged.real),
      };
    }));
  }

  async #unseenInstructions(
    paths: readonly PathFacts[],
    context: CallContext,
  ): Promise<string | null> {
    return await this.#ports.nestedInstructions?.(paths, context.sessionId) ?? null;
  }

  async #unknownTool(name: string, context: CallContext): Promise<string> {
    const offered: string[] = [];
    for (const { name: each } of this.offered(context.sessionId)) {
      const tool = this.#ports.tools.get(each);
      const isHere = context.parentId === undefined ||
        (tool !== undefined && await this.#isNestable(tool, context));
      if (isHere) offered.push(each);
    }
    const nearest = nearestName(name, offered);
    return `There is no tool "${previewText(name, 80)}"` +
      (nearest === undefined ? "." : `; did you mean "${nearest}"?`) +
      ` The tools are: ${offered.join(", ")}`;
  }

  /** Takes configured secrets out of every text in data, which becomes plain JSON by the way. */
  #redactData(data: unknown): unknown {
    return JSON.parse(
      JSON.stringify(data) ?? "null",
      (_key, value) => typeof value === "string" ? this.#ports.redact(value) : value,
    );
  }

  #bound(
    content: readonly ToolResultPart[],
    maxChars = MAX_RESULT_CHARS,
  ): readonly ToolResultPart[] {
    let left = maxChars;
    return content.map((part) => {
      if (part.type !== "text") return part;
      const { text } = boundText(this.#ports.redact(part.text), Math.max(left, 200));
      left -= text.length;
      return { type: "text", text };
    });
  }
}

type Result =
  & Pick<CallOutcome, "content" | "isError">
  & Partial<
    Pick<CallOutcome, "refused" | "replaced" | "skipped" | "unfinished" | "instructions">
  >;

/** A tool that goes on although its run is over. */
class StillRunningError extends Error {}

/**
 * Waits for a tool, but not for ever once the run has stopped: a tool has time to end what it
 * started, and is then left behind.
 */
async function withinGrace<T>(
  signal: AbortSignal,
  graceMs: number,
  start: () => Promise<T>,
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = () => {
    timer = setTimeout(() => reject(new StillRunningError("It did not stop")), graceMs);
  };
  signal.addEventListener("abort", arm, { once: true });
  try {
    const running = start();
    if (signal.aborted) arm();
    return await Promise.race([running, expired]);
  } finally {
    signal.removeEventListener("abort", arm);
    clearTimeout(timer);
  }
}

function toolRun(context: CallContext): ToolRun {
  return {
    record: (type, data) => context.emit(type, data),
    pauseWhile: (wait) => context.pauseWhile(wait),
  };
}

async function directoryOf({ real, exists }: JudgedPath): Promise<string> {
  try {
    return exists && (await Deno.stat(real)).isDirectory ? real : dirname(real);
  } catch {
    // What cannot be looked at is judged by where it lies.
    return dirname(real);
  }
}

function describe(tool: RegisteredTool): ToolDescriptor {
  const {
    execute: _,
    paths: __,
    isOffered: ___,
    offeredSchema: ____,
    onUnseen: _____,
    describe: ______,
    maxResultChars: _______,
    ...descriptor
  } = tool;
  return descriptor;
}

function unseenTool(name: string): string {
  return `Not run: "${
    previewText(name, 80)
  }" is not what you were shown, or was not shown to you: ` +
    "read what it is now, and call it again if that still fits";
}

function failure(text: string): Result {
  return { content: [{ type: "text", text }], isError: true };
}

function replacement(text: string): Result {
  return { content: [{ type: "text", text }], isError: false, replaced: true };
}

function refusal(decision: Decision): Result {
  return { ...failure(`Refused: ${decision.reason}`), refused: decision };
}
