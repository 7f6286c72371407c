import type { Effect } from "@alisio/sdk";
import { summarizeInput } from "../../redact_input.ts";
import { previewText } from "../../text/bound_text.ts";
import type { ApprovalProgram, ApprovalQuestion } from "../approval.ts";
import type { CallInQuestion, DecidedBy, Permission } from "../call_permits.ts";
import type { Decision, Grants } from "../decide.ts";
import { mergeGrants, NO_GRANTS } from "../grants.ts";
import type { ApprovalPlan } from "./approval_plan.ts";
import { approvalQuestion } from "./approval_question.ts";
import { ApprovalQueue } from "./approval_queue.ts";
import type { ApprovalResolution } from "./ask_in_order.ts";
import { AskedCalls } from "./asked_calls.ts";
import { notAskedAgain, refusedByNobody, refusedByPerson } from "./refusal_reason.ts";
import { replacementText } from "./replacement_text.ts";

/** What asking about calls needs from around it. */
export interface ApprovalDeskPorts {
  /** Who is asked. */
  readonly plan: ApprovalPlan;
  /** Takes known secrets out of a text that a person is shown or has written. */
  readonly redact: (text: string) => string;
  /** Finds the programs of a command whose name does not say what runs. */
  readonly unusualPrograms?: (
    tool: string,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<readonly ApprovalProgram[]>;
  /** Decides about a call with what was granted for it beside the grants of its session. */
  readonly decide: (call: CallInQuestion, callGrants: Grants) => Decision;
  /** Records a decision about a call. Throws when it cannot. */
  readonly record: (call: CallInQuestion, decision: Decision, by: DecidedBy) => void;
  /** Lets grants stand for the rest of the session of the call that they were asked for. */
  readonly grant: (call: CallInQuestion, grants: Grants) => void;
}

/** How much of a command or a path an event names. */
const MAX_LABEL_CHARS = 80;

/** Asks a person about calls, one after the other, and records what came of it. */
export class ApprovalDesk {
  readonly #ports: ApprovalDeskPorts;
  readonly #queue: ApprovalQueue;
  /** What was asked in each run that goes on; a run is known by its signal. */
  readonly #asked = new WeakMap<AbortSignal, AskedCalls>();

  /**
   * Opens the desk.
   *
   * @param ports What it needs from around it.
   */
  constructor(ports: ApprovalDeskPorts) {
    this.#ports = ports;
    this.#queue = new ApprovalQueue(ports.plan);
  }

  /**
   * Asks as often as there is something to ask about a call, once it is its turn.
   *
   * @param call The call.
   * @throws Whatever recording throws: what cannot be recorded is not granted.
   */
  async permit(call: CallInQuestion): Promise<Permission<never>> {
    const { signal } = call.context;
    const permission = await this.#queue.inTurn(signal, () => this.#askUntilDecided(call));
    return permission ?? { kind: "stopped" };
  }

  async #askUntilDecided(call: CallInQuestion): Promise<Permission<never>> {
    let callGrants = NO_GRANTS;
    let asked: Decision | null = null;
    while (true) {
      const decision = this.#ports.decide(call, callGrants);
      if (decision.decision === "allow") {
        return { kind: "allowed", unasked: asked === null ? decision : null };
      }
      if (decision.decision === "deny") return this.#block(call, decision, "policy");
      // A grant that settles nothing must not be asked for again and again.
      if (asked !== null && isSameQuestion(asked, decision)) {
        const reason = refusedByNobody(call.tool.name, "unavailable");
        return this.#block(call, denial(decision, reason), "unavailable");
      }
      const nagging = asked === null ? this.#nagging(call) : null;
      if (nagging !== null) return this.#block(call, nagging, "policy");
      asked = decision;
      const answer = await this.#ask(call, decision);
      if (answer.kind !== "granted") return answer.permission;
      const grant = grantOf(decision, call.tool.effect);
      callGrants = mergeGrants(callGrants, grant);
      if (answer.scope === "session") {
        this.#ports.grant(call, { ...grant, call: false });
      }
    }
  }

  /** Refuses what the person was asked about before and said no to. */
  #nagging({ tool, input, context }: CallInQuestion): Decision | null {
    if (context.turn === undefined) return null;
    const before = this.#askedIn(context.signal).look(tool.name, input, context.turn);
    if (before === "new") return null;
    return {
      decision: "deny",
      reason: notAskedAgain(tool.name, before),
      matched: before === "duplicate" ? "builtin:duplicate" : "builtin:asked-before",
      subject: { kind: "effect" },
    };
  }

  #askedIn(signal: AbortSignal): AskedCalls {
    const asked = this.#asked.get(signal) ?? new AskedCalls();
    this.#asked.set(signal, asked);
    return asked;
  }

  async #ask(call: CallInQuestion, decision: Decision): Promise<Answer> {
    const { context } = call;
    const question = await this.#question(call, decision);
    const facts = { id: call.callId, name: call.tool.name, effect: call.tool.effect };
    const { summary: { command, paths: [path] } } = question;
    // Whoever is asked sees every word that could act; a record does without secrets.
    const label = command === undefined
      ? path
      : summarizeInput(JSON.stringify({ command }), []).command;
    this.#ports.record(call, decision, { outcome: "requested", source: "policy" });
    context.emit("approval_requested", {
      ...facts,
      channel: this.#ports.plan.channel,
      ...(label === undefined ? {} : { label: previewText(label, MAX_LABEL_CHARS) }),
    });
    const resolution = await this.#queue.ask(question, context.signal);
    const answer = this.#take(call, decision, resolution);
    if (resolution.kind !== "withdrawn") {
      context.emit("approval_resolved", { ...facts, ...resolvedData(resolution) });
    }
    return answer;
  }

  /** Records an answer, before it counts. */
  #take(call: CallInQuestion, decision: Decision, resolution: ApprovalResolution): Answer {
    const { tool, input, context } = call;
    const { channel } = resolution;
    const { user = undefined } = "user" in resolution ? resolution : {};
    const by = { channel, ...(user === undefined ? {} : { user }) };
    if (resolution.kind === "withdrawn") {
      const reason = "the run was stopped before anybody decided";
      const taken = { outcome: "denied", source: "unavailable", ...by } as const;
      this.#ports.record(call, { ...decision, reason }, taken);
      return { kind: "other", permission: { kind: "stopped" } };
    }
    if (resolution.kind === "undecided") {
      const { source } = resolution;
      const outcome = source === "timed_out" ? "timed_out" : "denied";
      const refused = denial(decision, refusedByNobody(tool.name, source));
      this.#ports.record(call, refused, { outcome, source, ...by });
      return { kind: "other", permission: { kind: "refused", decision: refused } };
    }
    if (resolution.kind === "replaced") {
      this.#ports.record(call, decision, { outcome: "replaced", source: "operator", ...by });
      this.#askedIn(context.signal).settle(tool.name, input, "answered");
      const text = replacementText(this.#ports.redact(resolution.text));
      return { kind: "other", permission: { kind: "replaced", text } };
    }
    if (resolution.answer === "deny") {
      // Whoever said no needs no advice about what would permit it.
      const { remedy: _, ...refused } = denial(decision, refusedByPerson(tool.name));
      this.#ports.record(call, refused, { outcome: "denied", source: "operator", ...by });
      this.#askedIn(context.signal).settle(tool.name, input, "refused");
      return { kind: "other", permission: { kind: "refused", decision: refused } };
    }
    const scope = resolution.answer;
    this.#ports.record(call, decision, { outcome: "granted", source: "operator", scope, ...by });
    return { kind: "granted", scope };
  }

  #block(call: CallInQuestion, decision: Decision, source: "policy" | "unavailable"): {
    readonly kind: "refused";
    readonly decision: Decision;
  } {
    this.#ports.record(call, decision, { outcome: "blocked", source });
    return { kind: "refused", decision };
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
