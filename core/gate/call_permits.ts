import type { Effect } from "@alisio/sdk";
import { previewText } from "../text/bound_text.ts";
import type { RegisteredTool } from "../tools/tool_registry.ts";
import type { ApprovalProgram, ApprovalQuestion } from "./approval.ts";
import { approvalQuestion } from "./approval/approval_question.ts";
import type { ApprovalPlan } from "./approval/approval_plan.ts";
import { ApprovalQueue } from "./approval/approval_queue.ts";
import type { ApprovalResolution } from "./approval/ask_in_order.ts";
import { notAskedAgain, refusedByNobody, refusedByPerson } from "./approval/refusal_reason.ts";
import { decide, type Decision, type Grants, type PathFacts } from "./decide.ts";
import type { DecisionOutcome, DecisionRecord, DecisionSource } from "./decision_record.ts";
import type { CallContext } from "./gate.ts";
import type { Policy } from "./policy.ts";
import type { ProfileInputFacts } from "./profile/profile_facts.ts";

/** What deciding about calls needs from around it. */
export interface CallPermitsPorts {
  readonly policies: readonly Policy[];
  /** Who is asked. */
  readonly approvals: ApprovalPlan;
  /** Takes known secrets out of a text that a person is shown. */
  readonly redact: (text: string) => string;
  /** Finds the programs of a command whose name does not say what runs. */
  readonly unusualPrograms?: (
    tool: string,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<readonly ApprovalProgram[]>;
}

/** A call that is being decided about. */
export interface CallInQuestion {
  readonly callId: string;
  readonly tool: RegisteredTool;
  /** Its checked input. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly paths: readonly PathFacts[];
  readonly context: CallContext;
  /** What a risk profile has to know of it; absent where none is in force. */
  readonly profileInput?: ProfileInputFacts;
}

/** What is to be done with a call. */
export type Permission<T> =
  /** `unasked` is the rule, where no person was asked. */
  | { readonly kind: "allowed"; readonly unasked: Decision | null }
  | { readonly kind: "refused"; readonly decision: Decision }
  /** The person answered the model in its place. */
  | { readonly kind: "replaced"; readonly text: string }
  /** It was answered before anybody was asked. */
  | { readonly kind: "answered"; readonly result: T }
  /** The run stopped while the person was asked. */
  | { readonly kind: "stopped" };

/** How much of a command or a path an event names. */
const MAX_LABEL_CHARS = 80;

const NO_GRANTS: Grants = { effects: [], directories: [], protectedPaths: [] };

/** Decides about calls, asks the person, records what came of it, and keeps what they granted. */
export class CallPermits {
  readonly #ports: CallPermitsPorts;
  readonly #queue: ApprovalQueue;
  readonly #sessionGrants = new Map<string, Grants>();
  #policies: readonly Policy[];

  /**
   * Starts with nothing granted.
   *
   * @param ports What it needs from around it.
   */
  constructor(ports: CallPermitsPorts) {
    this.#ports = ports;
    this.#policies = ports.policies;
    this.#queue = new ApprovalQueue(ports.approvals);
  }

  /**
   * Decides by other rules from now on, and forgets what was granted under the old ones.
   *
   * @param policies The rules.
   */
  replacePolicies(policies: readonly Policy[]): void {
    this.#policies = policies;
    this.#sessionGrants.clear();
  }

  /**
   * Decides about a tool in general, for menus and listings.
   *
   * @param tool The tool.
   * @param sessionId Whose grants count.
   */
  ofTool(
    tool: { readonly name: string; readonly effect: Effect },
    sessionId: string,
  ): Decision {
    const grants = this.#grantsOf(sessionId);
    return decide(
      { tool: tool.name, effect: tool.effect, paths: [], grants, profileInput: null },
      this.#policies,
    );
  }

  /**
   * Decides about a call, and asks as often as there is something to ask. Whatever does not let it
   * through is recorded; what does is recorded here only where a person said so.
   *
   * @param call The call.
   * @param beforeAsking May answer the call instead, once it is clear that it is not refused out of
   * hand.
   */
  async permit<T>(
    call: CallInQuestion,
    beforeAsking: () => Promise<T | null>,
  ): Promise<Permission<T>> {
    const first = this.#decide(call, NO_GRANTS);
    if (first.decision === "deny") return this.#refuse(call, first);
    const result = await beforeAsking();
    if (result !== null) return { kind: "answered", result };
    if (first.decision === "allow") return { kind: "allowed", unasked: first };
    if (!this.#queue.isOpen) return this.#refuse(call, unanswerable(call, first), "unavailable");
    const permission = await call.context.pauseWhile(() =>
      this.#queue.inTurn(call.context.signal, () => this.#askUntilDecided(call))
    );
    return permission ?? { kind: "stopped" };
  }

  /**
   * Records that a rule lets a call run.
   *
   * @param call The call.
   * @param decision The rule.
   * @throws If it cannot be recorded.
   */
  recordAllowed(call: CallInQuestion, decision: Decision): void {
    this.#record(call, decision, { outcome: "allowed", source: "policy" });
  }

  /**
   * Refuses a call whose place in the budget went to another one meanwhile, and records it.
   *
   * @param call The call.
   */
  refuseWithoutAction(call: CallInQuestion): Decision {
    const { profileInput } = call;
    const spent: CallInQuestion = profileInput === undefined
      ? call
      : { ...call, profileInput: { ...profileInput, actionsLeft: 0 } };
    const decision = this.#decide(spent, { ...NO_GRANTS, call: true });
    const refused = decision.decision === "deny" ? decision : unanswerable(call, decision);
    this.#record(call, refused, { outcome: "blocked", source: "policy" });
    return refused;
  }

  async #askUntilDecided(call: CallInQuestion): Promise<Permission<never>> {
    let callGrants = NO_GRANTS;
    let asked: Decision | null = null;
    while (true) {
      const decision = this.#decide(call, callGrants);
      if (decision.decision === "allow") {
        return { kind: "allowed", unasked: asked === null ? decision : null };
      }
      if (decision.decision === "deny") return this.#refuse(call, decision);
      // A grant that settles nothing must not be asked for again and again.
      if (asked !== null && isSameQuestion(asked, decision)) {
        return this.#refuse(call, unanswerable(call, decision), "unavailable");
      }
      const nagging = asked === null ? this.#nagging(call) : null;
      if (nagging !== null) return this.#refuse(call, nagging);
      asked = decision;
      const answer = await this.#ask(call, decision);
      if (answer.kind !== "granted") return answer.permission;
      const grant = grantOf(decision, call.tool.effect);
      callGrants = mergeGrants(callGrants, grant);
      if (answer.scope === "session") {
        const { sessionId } = call.context;
        const standing = { ...grant, call: false };
        this.#sessionGrants.set(sessionId, mergeGrants(this.#grantsOf(sessionId), standing));
      }
    }
  }

  /** Refuses what the person was asked about before and said no to. */
  #nagging({ tool, input, context }: CallInQuestion): Decision | null {
    const before = context.asked?.look(tool.name, input) ?? "new";
    if (before === "new") return null;
    return {
      decision: "deny",
      reason: notAskedAgain(tool.name, before),
      matched: before === "duplicate" ? "builtin:duplicate" : "builtin:asked-before",
      subject: { kind: "effect" },
    };
  }

  async #ask(call: CallInQuestion, decision: Decision): Promise<Answer> {
    const { context } = call;
    const question = await this.#question(call, decision);
    const facts = { id: call.callId, name: call.tool.name, effect: call.tool.effect };
    this.#record(call, decision, { outcome: "requested", source: "policy" });
    const { summary: { command, paths: [path] } } = question;
    const label = command ?? path;
    context.emit("approval_requested", {
      ...facts,
      channel: this.#queue.channel,
      ...(label === undefined ? {} : { label: previewText(label, MAX_LABEL_CHARS) }),
    });
    const resolution = await this.#queue.ask(question, context.signal);
    const answer = this.#take(call, decision, resolution);
    if (resolution.kind !== "withdrawn") {
      context.emit("approval_resolved", { ...facts, ...resolvedData(resolution) });
    }
    return answer;
  }

  /** Records an answer, before it counts: what cannot be recorded is not granted. */
  #take(call: CallInQuestion, decision: Decision, resolution: ApprovalResolution): Answer {
    const { tool, input, context } = call;
    const { channel } = resolution;
    const { user = undefined } = "user" in resolution ? resolution : {};
    const by = { channel, ...(user === undefined ? {} : { user }) };
    if (resolution.kind === "withdrawn") {
      const reason = "the run was stopped before anybody decided";
      this.#record(call, { ...decision, reason }, {
        outcome: "denied",
        source: "unavailable",
        ...by,
      });
      return { kind: "other", permission: { kind: "stopped" } };
    }
    if (resolution.kind === "undecided") {
      const { source } = resolution;
      const outcome = source === "timed_out" ? "timed_out" : "denied";
      const refused = denial(decision, refusedByNobody(tool.name, source));
      this.#record(call, refused, { outcome, source, ...by });
      return { kind: "other", permission: { kind: "refused", decision: refused } };
    }
    if (resolution.kind === "replaced") {
      this.#record(call, decision, { outcome: "replaced", source: "operator", ...by });
      context.asked?.settle(tool.name, input, "answered");
      return { kind: "other", permission: { kind: "replaced", text: resolution.text } };
    }
    if (resolution.answer === "deny") {
      const refused = denial(decision, refusedByPerson(tool.name));
      this.#record(call, refused, { outcome: "denied", source: "operator", ...by });
      context.asked?.settle(tool.name, input, "refused");
      return { kind: "other", permission: { kind: "refused", decision: refused } };
    }
    const scope = resolution.answer;
    this.#record(call, decision, { outcome: "granted", source: "operator", scope, ...by });
    return { kind: "granted", scope };
  }

  async #question(call: CallInQuestion, decision: Decision): Promise<ApprovalQuestion> {
    const { callId, tool, input, paths, context } = call;
    const programs = await this.#ports.unusualPrograms?.(tool.name, input) ?? [];
    return approvalQuestion(
      {
        sessionId: context.sessionId,
        agentPath: context.agentPath ?? [],
        callId,
        tool: tool.name,
        effect: tool.effect,
        input,
        paths: paths.map(({ real }) => real),
        programs,
      },
      decision,
      this.#ports.redact,
    );
  }

  /** Records that a call is not let through. */
  #refuse(
    call: CallInQuestion,
    decision: Decision,
    source: DecisionSource = decision.nobodyThere === true ? "unavailable" : "policy",
  ): Permission<never> {
    this.#record(call, decision, { outcome: "blocked", source });
    return { kind: "refused", decision };
  }

  #record(
    { callId, tool, input, context }: CallInQuestion,
    decision: Decision,
    answer:
      & Omit<
        DecisionRecord,
        "callId" | "tool" | "effect" | "arguments" | "rule" | "reason" | "channel"
      >
      & {
        readonly outcome: DecisionOutcome;
        readonly channel?: string;
      },
  ): void {
    context.recordDecision({
      callId,
      tool: tool.name,
      effect: tool.effect,
      arguments: JSON.stringify(input),
      rule: decision.matched,
      reason: decision.reason,
      channel: this.#queue.channel,
      ...answer,
    });
  }

  #decide({ tool, paths, context, profileInput }: CallInQuestion, callGrants: Grants): Decision {
    return decide({
      ...(profileInput === undefined ? {} : { profileInput }),
      tool: tool.name,
      effect: tool.effect,
      paths,
      grants: mergeGrants(this.#grantsOf(context.sessionId), callGrants),
    }, this.#policies);
  }

  #grantsOf(sessionId: string): Grants {
    return this.#sessionGrants.get(sessionId) ?? NO_GRANTS;
  }
}

/** What an answer means for its call. */
type Answer =
  | { readonly kind: "granted"; readonly scope: "once" | "session" }
  | { readonly kind: "other"; readonly permission: Permission<never> };

function resolvedData(resolution: Exclude<ApprovalResolution, { kind: "withdrawn" }>): {
  readonly decision: "once" | "session" | "deny" | "edit";
  readonly source: "operator" | "unavailable" | "unreachable" | "timed_out";
  readonly channel: string;
  readonly user?: string;
} {
  const { kind, channel } = resolution;
  if (kind === "undecided") return { decision: "deny", source: resolution.source, channel };
  const decision = kind === "replaced" ? "edit" : resolution.answer;
  const { user } = resolution;
  return { decision, source: "operator", channel, ...(user === undefined ? {} : { user }) };
}

function denial(decision: Decision, reason: string): Decision {
  return { ...decision, decision: "deny", reason };
}

function unanswerable({ tool }: CallInQuestion, decision: Decision): Decision {
  return denial(decision, refusedByNobody(tool.name, "unavailable"));
}

function isSameQuestion(first: Decision, second: Decision): boolean {
  return first.matched === second.matched &&
    JSON.stringify(first.subject) === JSON.stringify(second.subject);
}

function grantOf({ subject }: Decision, effect: Effect): Grants {
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
