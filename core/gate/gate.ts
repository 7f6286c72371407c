import type { Effect, ModelToolCall, RunEventData, ToolResultPart } from "@alisio/sdk";
import { errorMessage } from "../errors.ts";
import { nearestName } from "../config/nearest_name.ts";
import type { JudgedPath } from "../paths/judged_path.ts";
import { dirname } from "../paths/path.ts";
import { boundText, MAX_RESULT_CHARS, previewText } from "../text/bound_text.ts";
import { describeProblems } from "../tools/describe_problems.ts";
import type { InputValidator } from "../tools/input_validator.ts";
import { parseArguments } from "../tools/parse_arguments.ts";
import { checkedResult } from "../tools/result_text.ts";
import type { RegisteredTool, ToolDescriptor, ToolRegistry } from "../tools/tool_registry.ts";
import { type ApprovalOutcome, ApprovalQueue, type Approver } from "./approval.ts";
import { decide, type Decision, type Grants, type PathFacts } from "./decide.ts";
import type { DecisionOutcome, DecisionRecord, DecisionSource } from "./decision_record.ts";
import type { GateProfile } from "./gate_profile.ts";
import type { Policy } from "./policy.ts";
import type { ProfileInputFacts } from "./profile/profile_facts.ts";

/** What the gate needs from around it. */
export interface GatePorts {
  readonly tools: ToolRegistry;
  readonly policies: readonly Policy[];
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
  /** Asks the person; absent when nobody is there. */
  readonly approver?: Approver;
  /** Whether a front end can put a model's own questions to the person. */
  readonly canAskQuestions?: boolean;
  /** Takes configured secrets out of a text before it is stored or sent. */
  readonly redact: (text: string) => string;
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
  readonly durationMs: number;
  /** The decision that refused it. */
  readonly refused?: Decision;
  /** It never started, because the run was over. */
  readonly skipped?: true;
  /**
   * It has an effect and was left behind, still running: nobody knows how it ends, so it has no
   * result.
   */
  readonly unfinished?: true;
}

/** The run that a call belongs to. */
export interface CallContext {
  readonly sessionId: string;
  readonly signal: AbortSignal;
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
  /** Stands the clock of the run still while a person is asked. */
  pauseWhile<T>(wait: () => Promise<T>): Promise<T>;
}

/** A tool and what the policies say of its effect. */
export interface ToolStatus {
  readonly tool: ToolDescriptor;
  readonly decision: Decision;
}

const NO_GRANTS: Grants = { effects: [], directories: [], protectedPaths: [] };

const NOT_RUN = "Not run: the run was stopped before this call";

/**
 * The one door to every tool: classify, decide, ask, record, execute, report. Nothing else calls
 * `execute`, whoever makes the call.
 */
export class Gate {
  readonly #ports: GatePorts;
  readonly #queue: ApprovalQueue | null;
  readonly #sessionGrants = new Map<string, Grants>();
  #validator: Promise<InputValidator> | undefined;

  /**
   * Opens the door with nothing granted.
   *
   * @param ports What the gate needs from around it.
   */
  constructor(ports: GatePorts) {
    this.#ports = ports;
    this.#queue = ports.approver === undefined ? null : new ApprovalQueue(ports.approver);
  }

  /**
   * Every tool with the decision about its effect: one truth for menus, `doctor` and refusals.
   *
   * @param sessionId Whose grants count.
   */
  status(sessionId: string): readonly ToolStatus[] {
    const grants = this.#grantsOf(sessionId);
    return this.#ports.tools.list().map((tool) => ({
      tool: describe(tool),
      decision: decide(
        { tool: tool.name, effect: tool.effect, paths: [], grants, profileInput: null },
        this.#ports.policies,
      ),
    }));
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
        (!tool.interactiveOnly || this.#ports.canAskQuestions === true)
      )
      .map(({ tool }) => tool);
  }

  /** Whether a call may overlap its neighbours in the same turn; one with an effect never does. */
  mayOverlap(name: string): boolean {
    const tool = this.#ports.tools.get(name);
    if (tool === undefined || tool.effect === "read") return true;
    return tool.effect === "internal" && tool.concurrent;
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
    const effect = this.#start(call, context);
    const result = await this.#run(call, context);
    return {
      callId: call.id,
      name: call.name,
      effect,
      durationMs: Math.round(performance.now() - startedAt),
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
    context.emit("tool_started", { id, name, arguments: text, effect });
    return effect;
  }

  async #run(call: ModelToolCall, context: CallContext): Promise<Result> {
    const tool = this.#ports.tools.get(call.name);
    if (tool === undefined) return failure(this.#unknownTool(call.name, context.sessionId));
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
      call,
      tool,
      shown: JSON.stringify(parsed.input),
      paths,
      context,
      ...(profileInput === undefined ? {} : { profileInput }),
    };
    const permission = await this.#permit(facts, async () => {
      // Whatever the model had not seen comes before anybody is asked about the call.
      const unseen = hasEffect ? await this.#unseenInstructions(paths, context) : null;
      return unseen === null ? null : failure(
        "Not run yet: instructions apply to this path that you had not seen. Consider them, then " +
          `call again if it still fits.\n\n${unseen}`,
      );
    });
    if (permission.kind === "answered") return permission.result;
    if (permission.kind === "refused") return refusal(permission.decision);
    if (permission.kind === "stopped" || context.signal.aborted) {
      return { ...failure(NOT_RUN), skipped: true };
    }
    // Calls side by side were promised the same last action; only here is it given away.
    const action = this.#ports.profile?.reserve(tool.name, tool.effect);
    if (action === null) return refusal(this.#block(facts, this.#withoutAction(facts)));
    try {
      // What a person granted was recorded with their answer.
      if (permission.unasked !== null) this.#record(facts, permission.unasked, "allowed", "policy");
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
    return { ...result, content: [...result.content, { type: "text", text: attached }] };
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
      const answer: unknown = await withinGrace(
        context.signal,
        stopGraceMs,
        () =>
          tool.execute(input, {
            signal: context.signal,
            workspace: this.#ports.workspace,
            session: context.sessionId,
            callId,
            roots: this.#ports.roots,
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
          }),
      );
      const result = checkedResult(answer);
      if (result === null) {
        return failure(`Tool "${tool.name}" failed: it answered nothing that is a result`);
      }
      return { content: this.#bound(result.content), isError: result.isError ?? false };
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

  async #problemOf(tool: RegisteredTool, input: Record<string, unknown>): Promise<string | null> {
    this.#validator ??= this.#ports.loadValidator();
    const validate = await this.#validator;
    const problems = validate(tool.inputSchema, input);
    return problems.length === 0
      ? null
      : describeProblems(tool.name, tool.inputSchema, input, problems);
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

  /**
   * Decides, and asks as often as there is something to ask. `beforeAsking` may answer the call
   * instead, once it is clear that it is not refused out of hand.
   */
  async #permit(
    facts: CallInQuestion,
    beforeAsking: () => Promise<Result | null>,
  ): Promise<Permission> {
    const first = this.#decide(facts, NO_GRANTS);
    if (first.decision === "deny") {
      return { kind: "refused", decision: this.#block(facts, first) };
    }
    const result = await beforeAsking();
    if (result !== null) return { kind: "answered", result };
    if (first.decision === "allow") return { kind: "allowed", unasked: first };
    const queue = this.#queue;
    if (queue === null) {
      const decision = this.#block(facts, unanswerable(first), "unavailable");
      return { kind: "refused", decision };
    }
    const { signal } = facts.context;
    const permission = await facts.context.pauseWhile(() =>
      queue.inTurn(signal, () => this.#askUntilDecided(queue, facts))
    );
    return permission ?? { kind: "stopped" };
  }

  async #askUntilDecided(queue: ApprovalQueue, facts: CallInQuestion): Promise<Permission> {
    let callGrants = NO_GRANTS;
    let asked: Decision | null = null;
    while (true) {
      const decision = this.#decide(facts, callGrants);
      if (decision.decision === "allow") {
        return { kind: "allowed", unasked: asked === null ? decision : null };
      }
      if (decision.decision === "deny") {
        return { kind: "refused", decision: this.#block(facts, decision) };
      }
      // A grant that settles nothing must not be asked for again and again.
      if (asked !== null && isSameQuestion(asked, decision)) {
        const refused = this.#block(facts, unanswerable(decision), "unavailable");
        return { kind: "refused", decision: refused };
      }
      asked = decision;
      const answer = await this.#ask(queue, facts, decision);
      if (answer === "withdrawn") {
        const reason = "the run was stopped before anybody decided";
        this.#record(facts, { ...decision, reason }, "denied", "unavailable");
        return { kind: "stopped" };
      }
      if (answer === "deny") {
        const reason = `the person refused "${facts.tool.name}"`;
        const refused: Decision = { ...decision, decision: "deny", reason };
        this.#record(facts, refused, "denied", "operator");
        return { kind: "refused", decision: refused };
      }
      // Before it counts: what cannot be recorded is not granted.
      this.#record(facts, decision, "granted", "operator", { scope: answer });
      const grant = grantOf(decision, facts.tool.effect);
      callGrants = mergeGrants(callGrants, grant);
      if (answer === "session") {
        const { sessionId } = facts.context;
        const standing = { ...grant, call: false };
        this.#sessionGrants.set(sessionId, mergeGrants(this.#grantsOf(sessionId), standing));
      }
    }
  }

  /** Records that a call is not let through, and gives the decision back. */
  #block(
    facts: CallInQuestion,
    decision: Decision,
    source: DecisionSource = "policy",
  ): Decision {
    this.#record(facts, decision, "blocked", source);
    return decision;
  }

  #record(
    { call, tool, shown, context }: CallInQuestion,
    decision: Decision,
    outcome: DecisionOutcome,
    source: DecisionSource,
    answer: Pick<DecisionRecord, "user" | "scope"> = {},
  ): void {
    context.recordDecision({
      callId: call.id,
      tool: tool.name,
      effect: tool.effect,
      arguments: shown,
      outcome,
      rule: decision.matched,
      reason: decision.reason,
      source,
      channel: this.#queue === null ? "headless" : "host",
      ...answer,
    });
  }

  /** What is said of a call when the last action went to another one meanwhile. */
  #withoutAction(facts: CallInQuestion): Decision {
    const { profileInput } = facts;
    const decision = this.#decide(
      profileInput === undefined
        ? facts
        : { ...facts, profileInput: { ...profileInput, actionsLeft: 0 } },
      { ...NO_GRANTS, call: true },
    );
    return decision.decision === "deny" ? decision : unanswerable(decision);
  }

  #decide(
    { tool, paths, context, profileInput }: CallInQuestion,
    callGrants: Grants,
  ): Decision {
    return decide({
      ...(profileInput === undefined ? {} : { profileInput }),
      tool: tool.name,
      effect: tool.effect,
      paths,
      grants: mergeGrants(this.#grantsOf(context.sessionId), callGrants),
    }, this.#ports.policies);
  }

  async #ask(
    queue: ApprovalQueue,
    asking: CallInQuestion,
    decision: Decision,
  ): Promise<ApprovalOutcome> {
    const { call, tool, context } = asking;
    this.#record(asking, decision, "requested", "policy");
    const facts = { id: call.id, name: tool.name, effect: tool.effect };
    context.emit("approval_requested", facts);
    const answer = await queue.ask({
      sessionId: context.sessionId,
      callId: call.id,
      tool: tool.name,
      effect: tool.effect,
      arguments: asking.shown,
      subject: decision.subject,
      reason: decision.reason,
      choices: decision.subject.kind === "protected" || decision.onceOnly === true
        ? ["once", "deny"]
        : ["once", "session", "deny"],
    }, context.signal);
    if (answer !== "withdrawn") context.emit("approval_resolved", { ...facts, decision: answer });
    return answer;
  }

  #grantsOf(sessionId: string): Grants {
    return this.#sessionGrants.get(sessionId) ?? NO_GRANTS;
  }

  #unknownTool(name: string, sessionId: string): string {
    const offered = this.offered(sessionId).map((tool) => tool.name);
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

  #bound(content: readonly ToolResultPart[]): readonly ToolResultPart[] {
    let left = MAX_RESULT_CHARS;
    return content.map((part) => {
      if (part.type !== "text") return part;
      const { text } = boundText(this.#ports.redact(part.text), Math.max(left, 200));
      left -= text.length;
      return { type: "text", text };
    });
  }
}

/** A call that is being decided about. */
interface CallInQuestion {
  readonly call: ModelToolCall;
  readonly tool: RegisteredTool;
  /** JSON text of the input as it will run, which the model may have written in two ways. */
  readonly shown: string;
  readonly paths: readonly PathFacts[];
  readonly context: CallContext;
  /** What a risk profile has to know of it; absent where none is in force. */
  readonly profileInput?: ProfileInputFacts;
}

type Permission =
  /** `unasked` is the rule, where no person was asked. */
  | { readonly kind: "allowed"; readonly unasked: Decision | null }
  | { readonly kind: "refused"; readonly decision: Decision }
  | { readonly kind: "answered"; readonly result: Result }
  /** The run stopped while the person was asked. */
  | { readonly kind: "stopped" };

type Result =
  & Pick<CallOutcome, "content" | "isError">
  & Partial<Pick<CallOutcome, "refused" | "skipped" | "unfinished">>;

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

async function directoryOf({ real, exists }: JudgedPath): Promise<string> {
  try {
    return exists && (await Deno.stat(real)).isDirectory ? real : dirname(real);
  } catch {
    // What cannot be looked at is judged by where it lies.
    return dirname(real);
  }
}

function describe(tool: RegisteredTool): ToolDescriptor {
  const { execute: _, paths: __, ...descriptor } = tool;
  return descriptor;
}

function failure(text: string): Result {
  return { content: [{ type: "text", text }], isError: true };
}

function refusal(decision: Decision): Result {
  return { ...failure(`Refused: ${decision.reason}`), refused: decision };
}

function unanswerable(decision: Decision): Decision {
  const reason = `${decision.reason}, and nobody can permit it`;
  return { ...decision, decision: "deny", reason };
}

function isSameQuestion(first: Decision, second: Decision): boolean {
  return first.matched === second.matched &&
    JSON.stringify(first.subject) === JSON.stringify(second.subject);
}

function grantOf(decision: Decision, effect: Effect): Grants {
  const { subject } = decision;
  if (subject.kind === "directory") return { ...NO_GRANTS, directories: [subject.path] };
  if (subject.kind === "protected") return { ...NO_GRANTS, protectedPaths: [subject.path] };
  if (subject.kind === "tool") return { ...NO_GRANTS, tools: [subject.tool], call: true };
  return { ...NO_GRANTS, effects: [effect] };
}

function mergeGrants(first: Grants, second: Grants): Grants {
  return {
    effects: [...first.effects, ...second.effects],
    directories: [...first.directories, ...second.directories],
    protectedPaths: [...first.protectedPaths, ...second.protectedPaths],
    tools: [...first.tools ?? [], ...second.tools ?? []],
    call: first.call === true || second.call === true,
  };
}
