import type { Effect, ModelToolCall, RunEventData, ToolResultPart } from "@alisio/sdk";
import { errorMessage } from "../errors.ts";
import { nearestName } from "../config/nearest_name.ts";
import type { JudgedPath } from "../paths/judged_path.ts";
import { boundText, MAX_RESULT_CHARS, previewText } from "../run/bound_text.ts";
import { describeProblems } from "../tools/describe_problems.ts";
import type { InputValidator } from "../tools/input_validator.ts";
import { parseArguments } from "../tools/parse_arguments.ts";
import type { RegisteredTool, ToolRegistry } from "../tools/tool_registry.ts";
import { type ApprovalAnswer, ApprovalQueue, type Approver } from "./approval.ts";
import { decide, type Decision, type Grants, type PathFacts } from "./decide.ts";
import type { Policy } from "./policy.ts";

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
  /** Stands the clock of the run still while a person is asked. */
  pauseWhile<T>(wait: () => Promise<T>): Promise<T>;
}

/** A tool and what the policies say of its effect. */
export interface ToolStatus {
  readonly tool: RegisteredTool;
  readonly decision: Decision;
}

const NO_GRANTS: Grants = { effects: [], directories: [], protectedPaths: [] };
const PREVIEW_CHARS = 400;

/** How long a tool may take to stop; more than it takes to end a process group by force. */
const STOP_GRACE_MS = 7_000;

/**
 * The one door to every tool: classify, decide, ask, record, execute, report. Nothing else calls
 * `execute`, whoever makes the call.
 */
export class Gate {
  readonly #ports: GatePorts;
  readonly #queue: ApprovalQueue | null;
  #sessionGrants: Grants = NO_GRANTS;

  /** @param ports What the gate needs from around it. */
  constructor(ports: GatePorts) {
    this.#ports = ports;
    this.#queue = ports.approver === undefined ? null : new ApprovalQueue(ports.approver);
  }

  /** Every tool with the decision about its effect: one truth for menus, `doctor` and refusals. */
  status(): readonly ToolStatus[] {
    return this.#ports.tools.list().map((tool) => ({
      tool,
      decision: decide(
        { tool: tool.name, effect: tool.effect, paths: [], grants: this.#sessionGrants },
        this.#ports.policies,
      ),
    }));
  }

  /** The tools that a model is offered: everything that is not denied out of hand. */
  offered(): readonly RegisteredTool[] {
    return this.status()
      .filter(({ tool, decision }) =>
        decision.decision !== "deny" &&
        (!tool.interactiveOnly || this.#ports.canAskQuestions === true)
      )
      .map(({ tool }) => tool);
  }

  /** Whether a call may overlap its neighbours in the same turn. */
  mayOverlap(name: string): boolean {
    const tool = this.#ports.tools.get(name);
    return tool === undefined || tool.effect === "read" || tool.concurrent;
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
   * @throws Whatever `recordStart` throws: a call that cannot be recorded does not run.
   */
  async call(call: ModelToolCall, context: CallContext): Promise<CallOutcome> {
    const startedAt = performance.now();
    const tool = this.#ports.tools.get(call.name);
    const effect = tool?.effect ?? "external";
    context.emit("tool_started", {
      id: call.id,
      name: call.name,
      arguments: call.arguments,
      effect,
    });
    const result = await this.#run(call, tool, context);
    return {
      callId: call.id,
      name: call.name,
      effect,
      content: this.#bound(result.content),
      isError: result.isError ?? false,
      durationMs: Math.round(performance.now() - startedAt),
      ...(result.refused === undefined ? {} : { refused: result.refused }),
    };
  }

  async #run(
    call: ModelToolCall,
    tool: RegisteredTool | undefined,
    context: CallContext,
  ): Promise<PartialOutcome> {
    if (context.signal.aborted) return failure("Not run: the run was stopped first");
    if (tool === undefined) return failure(this.#unknownTool(call.name));
    const parsed = parseArguments(call.arguments);
    if (!parsed.ok) return failure(parsed.reason);
    const validate = await this.#ports.loadValidator();
    const problems = validate(tool.inputSchema, parsed.input);
    if (problems.length > 0) {
      return failure(describeProblems(tool.name, tool.inputSchema, parsed.input, problems));
    }
    let paths: readonly PathFacts[];
    try {
      paths = await this.#judge(tool.paths(parsed.input));
    } catch (error) {
      return failure(errorMessage(error));
    }
    const refused = await this.#permit(call, tool, paths, context);
    if (refused !== null) {
      return { ...failure(refusalText(refused)), refused };
    }
    const instructions = await this.#ports.nestedInstructions?.(paths, context.sessionId) ?? null;
    if (instructions !== null && tool.effect !== "read") {
      return failure(
        `Not run yet: instructions apply to this path that you had not seen. Consider them, then ` +
          `call again if it still fits.\n\n${instructions}`,
      );
    }
    context.recordStart({
      callId: call.id,
      name: tool.name,
      effect: tool.effect,
      arguments: parsed.text,
    });
    const result = await this.#execute(tool, parsed.input, call.id, paths, context);
    if (instructions === null) return result;
    return { ...result, content: [...result.content, { type: "text", text: instructions }] };
  }

  /** Runs an allowed call. A tool that throws gives an error result. */
  async #execute(
    tool: RegisteredTool,
    input: Record<string, unknown>,
    callId: string,
    paths: readonly PathFacts[],
    context: CallContext,
  ): Promise<PartialOutcome> {
    try {
      const result = await withinGrace(context.signal, () =>
        tool.execute(input, {
          signal: context.signal,
          workspace: this.#ports.workspace,
          session: context.sessionId,
          callId,
          roots: this.#ports.roots,
          emit: (data) => context.emit("tool_progress", { id: callId, data }),
          path: (requested) => {
            const judged = paths.find((path) => path.requested === requested);
            if (judged === undefined) {
              throw new TypeError(`Tool "${tool.name}" did not declare the path "${requested}"`);
            }
            return judged;
          },
        }));
      return isResult(result)
        ? result
        : failure(`Tool "${tool.name}" failed: it answered nothing that is a result`);
    } catch (error) {
      if (context.signal.aborted) return failure("Stopped: the run ended while this call ran");
      return failure(`Tool "${tool.name}" failed: ${previewText(errorMessage(error), 2_000)}`);
    }
  }

  async #judge(requested: readonly string[]): Promise<readonly PathFacts[]> {
    const judged = await Promise.all(
      [...new Set(requested)].map((path) => this.#ports.judgePath(path)),
    );
    return judged.map((path) => ({ ...path, isProtected: this.#ports.isProtected(path.real) }));
  }

  /** Decides, asks as often as there is something to ask, and answers the refusal if there is one. */
  async #permit(
    call: ModelToolCall,
    tool: RegisteredTool,
    paths: readonly PathFacts[],
    context: CallContext,
  ): Promise<Decision | null> {
    let callGrants = NO_GRANTS;
    while (true) {
      const decision = decide({
        tool: tool.name,
        effect: tool.effect,
        paths,
        grants: mergeGrants(this.#sessionGrants, callGrants),
      }, this.#ports.policies);
      if (decision.decision === "allow") return null;
      if (decision.decision === "deny" || this.#queue === null) return decision;
      const answer = await this.#ask(this.#queue, call, tool, decision, context);
      if (answer === "deny") {
        return { ...decision, decision: "deny", reason: `the person refused "${tool.name}"` };
      }
      const grant = grantOf(decision, tool.effect);
      callGrants = mergeGrants(callGrants, grant);
      if (answer === "session") this.#sessionGrants = mergeGrants(this.#sessionGrants, grant);
    }
  }

  async #ask(
    queue: ApprovalQueue,
    call: ModelToolCall,
    tool: RegisteredTool,
    decision: Decision,
    context: CallContext,
  ): Promise<ApprovalAnswer> {
    const facts = { id: call.id, name: tool.name, effect: tool.effect };
    context.emit("approval_requested", facts);
    const answer = await context.pauseWhile(() =>
      queue.ask({
        sessionId: context.sessionId,
        callId: call.id,
        tool: tool.name,
        effect: tool.effect,
        arguments: call.arguments,
        subject: decision.subject,
        reason: decision.reason,
        choices: decision.subject.kind === "protected"
          ? ["once", "deny"]
          : ["once", "session", "deny"],
      }, context.signal)
    );
    context.emit("approval_resolved", { ...facts, decision: answer });
    return answer;
  }

  #unknownTool(name: string): string {
    const offered = this.offered().map((tool) => tool.name);
    const nearest = nearestName(name, offered);
    return `There is no tool "${previewText(name, 80)}"` +
      (nearest === undefined ? "." : `; did you mean "${nearest}"?`) +
      ` The tools are: ${offered.join(", ")}`;
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

/**
 * The start of a result's text, for events and progress lines.
 *
 * @param content Parts of a result.
 */
export function resultPreview(content: readonly ToolResultPart[]): string {
  return previewText(resultText(content), PREVIEW_CHARS);
}

/**
 * The text projection of a result: all that a model is sent.
 *
 * @param content Parts of a result.
 */
export function resultText(content: readonly ToolResultPart[]): string {
  const texts = content.filter((part) => part.type === "text").map((part) => part.text);
  return texts.join("\n");
}

/**
 * Waits for a tool, but not for ever once the run has stopped: a tool has time to end what it
 * started, and is then left behind.
 */
async function withinGrace<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = () => {
    timer = setTimeout(() => reject(new Error("it did not stop in time")), STOP_GRACE_MS);
  };
  signal.addEventListener("abort", arm, { once: true });
  try {
    return await Promise.race([start(), expired]);
  } finally {
    signal.removeEventListener("abort", arm);
    clearTimeout(timer);
  }
}

type PartialOutcome =
  & Pick<CallOutcome, "content">
  & Partial<Pick<CallOutcome, "isError" | "refused">>;

function failure(text: string): PartialOutcome {
  return { content: [{ type: "text", text }], isError: true };
}

function refusalText(decision: Decision): string {
  return `Refused: ${decision.reason}`;
}

function grantOf(decision: Decision, effect: Effect): Grants {
  const { subject } = decision;
  if (subject.kind === "directory") return { ...NO_GRANTS, directories: [subject.path] };
  if (subject.kind === "protected") return { ...NO_GRANTS, protectedPaths: [subject.path] };
  return { ...NO_GRANTS, effects: [effect] };
}

function mergeGrants(first: Grants, second: Grants): Grants {
  return {
    effects: [...first.effects, ...second.effects],
    directories: [...first.directories, ...second.directories],
    protectedPaths: [...first.protectedPaths, ...second.protectedPaths],
  };
}

function isResult(value: unknown): value is { content: readonly ToolResultPart[] } {
  return typeof value === "object" && value !== null && "content" in value &&
    Array.isArray(value.content);
}
