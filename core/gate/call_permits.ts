import type { RegisteredTool, ToolDescriptor } from "../tools/tool_registry.ts";
import type { ApprovalDesk, ApprovalDeskPorts } from "./approval/approval_desk.ts";
import type { ApprovalPlan } from "./approval/approval_plan.ts";
import { refusedByNobody, refusedWithin } from "./approval/refusal_reason.ts";
import { decide, type Decision, type Grants, type PathFacts } from "./decide.ts";
import type { DecisionRecord } from "./decision_record.ts";
import type { CallContext } from "./gate.ts";
import { listGrants, mergeGrants, NO_GRANTS, type SessionGrant, withoutGrant } from "./grants.ts";
import type { Policy } from "./policy.ts";
import type { ProfileInputFacts } from "./profile/profile_facts.ts";

/** What deciding about calls needs from around it. */
export interface CallPermitsPorts extends Pick<ApprovalDeskPorts, "redact" | "unusualPrograms"> {
  readonly policies: readonly Policy[];
  /** Who is asked. */
  readonly approvals: ApprovalPlan;
}

/** What became of a call, and who decided it where. */
export interface DecidedBy extends Pick<DecisionRecord, "outcome" | "source" | "scope" | "user"> {
  /**
   * Where it was decided.
   *
   * @default the first channel that would be asked
   */
  readonly channel?: string;
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

/** Decides about calls, asks the person, records what came of it, and keeps what they granted. */
export class CallPermits {
  readonly #ports: CallPermitsPorts;
  #desk: Promise<ApprovalDesk> | undefined;
  readonly #sessionGrants = new Map<string, Grants>();
  #policies: readonly Policy[];
  /** What a tool that a server may change was when it was granted, by session and name. */
  readonly #grantedRevisions = new Map<string, string>();

  /**
   * Starts with nothing granted.
   *
   * @param ports What it needs from around it.
   */
  constructor(ports: CallPermitsPorts) {
    this.#ports = ports;
    this.#policies = ports.policies;
  }

  /**
   * Decides by other rules from now on, and forgets what was granted under the old ones.
   *
   * @param policies The rules.
   */
  replacePolicies(policies: readonly Policy[]): void {
    this.#policies = policies;
    this.#sessionGrants.clear();
    this.#grantedRevisions.clear();
  }

  /**
   * What a person granted for the rest of a session, in the order of their answers.
   *
   * @param sessionId The session.
   */
  sessionGrants(sessionId: string): readonly SessionGrant[] {
    return listGrants(this.#grantsOf(sessionId));
  }

  /**
   * Takes a grant back, from the next call on.
   *
   * @param sessionId The session.
   * @param grant The grant.
   */
  revoke(sessionId: string, grant: SessionGrant): void {
    if (grant.kind === "tool") this.#grantedRevisions.delete(`${sessionId}\0${grant.tool}`);
    this.#sessionGrants.set(sessionId, withoutGrant(this.#grantsOf(sessionId), grant));
  }

  /**
   * Decides about a tool in general, for menus and listings.
   *
   * @param tool The tool.
   * @param sessionId Whose grants count.
   */
  ofTool(
    tool: Pick<ToolDescriptor, "name" | "effect" | "approvedOnce" | "mcp" | "revision">,
    sessionId: string,
  ): Decision {
    const { name, effect, approvedOnce, mcp } = tool;
    const { grants } = this.#grantsFor(tool, sessionId);
    return decide(
      {
        tool: name,
        effect,
        approvedOnce,
        paths: [],
        grants,
        profileInput: null,
        ...(mcp === undefined ? {} : { mcp }),
      },
      this.#policies,
    );
  }

  /**
   * Whether a tool runs unasked whatever anybody grants in a session.
   *
   * @param tool The tool.
   */
  isUnasked({ name, effect }: Pick<ToolDescriptor, "name" | "effect">): boolean {
    const call = { tool: name, effect, paths: [], grants: NO_GRANTS, profileInput: null };
    return decide(call, this.#policies).decision === "allow";
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
    if (call.context.parentId !== undefined) return this.#refuse(call, unasked(call, first));
    if (this.#ports.approvals.hops.length === 0) {
      return this.#refuse(call, unanswerable(call, first), "unavailable");
    }
    return await call.context.pauseWhile(async () => (await this.#openDesk()).permit(call));
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

  /** Only a run in which somebody is asked loads what asking takes. */
  #openDesk(): Promise<ApprovalDesk> {
    this.#desk ??= import("./approval/approval_desk.ts").then(({ ApprovalDesk }) =>
      new ApprovalDesk({
        ...this.#ports,
        plan: this.#ports.approvals,
        decide: (call, callGrants) => this.#decide(call, callGrants),
        record: (call, decision, by) => this.#record(call, decision, by),
        grant: ({ tool: { name, revision }, context: { sessionId } }, grants) => {
          if (revision !== undefined) {
            this.#grantedRevisions.set(`${sessionId}\0${name}`, revision);
          }
          this.#sessionGrants.set(sessionId, mergeGrants(this.#grantsOf(sessionId), grants));
        },
      })
    );
    return this.#desk;
  }

  /** Records that a call is not let through. */
  #refuse(
    call: CallInQuestion,
    decision: Decision,
    source: DecisionRecord["source"] = decision.nobodyThere === true ? "unavailable" : "policy",
  ): Permission<never> {
    this.#record(call, decision, { outcome: "blocked", source });
    return { kind: "refused", decision };
  }

  #record(
    { callId, tool, input, context }: CallInQuestion,
    decision: Decision,
    by: DecidedBy,
  ): void {
    context.recordDecision({
      callId,
      tool: tool.name,
      effect: tool.effect,
      arguments: JSON.stringify(input),
      rule: decision.matched,
      reason: decision.reason,
      channel: this.#ports.approvals.channel,
      ...by,
    });
  }

  #decide({ tool, paths, context, profileInput }: CallInQuestion, callGrants: Grants): Decision {
    const { grants, hasChanged } = this.#grantsFor(tool, context.sessionId);
    return decide({
      ...(profileInput === undefined ? {} : { profileInput }),
      tool: tool.name,
      effect: tool.effect,
      approvedOnce: tool.approvedOnce,
      ...(tool.mcp === undefined ? {} : { mcp: tool.mcp }),
      ...(hasChanged ? { hasChanged } : {}),
      paths,
      grants: mergeGrants(grants, callGrants),
    }, this.#policies);
  }

  /** A tool that its server changed is another one than the one that was granted. */
  #grantsFor(
    { name, revision }: Pick<ToolDescriptor, "name" | "revision">,
    sessionId: string,
  ): { readonly grants: Grants; readonly hasChanged: boolean } {
    const grants = this.#grantsOf(sessionId);
    const granted = this.#grantedRevisions.get(`${sessionId}\0${name}`);
    if (granted === undefined || granted === revision) return { grants, hasChanged: false };
    return { grants: withoutGrant(grants, { kind: "tool", tool: name }), hasChanged: true };
  }

  #grantsOf(sessionId: string): Grants {
    return this.#sessionGrants.get(sessionId) ?? NO_GRANTS;
  }
}

/** A question in the middle of a call would be one that nobody expects and that may wait for itself. */
function unasked({ tool }: CallInQuestion, decision: Decision): Decision {
  return { ...decision, decision: "deny", reason: refusedWithin(tool.name, decision.reason) };
}

function unanswerable({ tool }: CallInQuestion, decision: Decision): Decision {
  return { ...decision, decision: "deny", reason: refusedByNobody(tool.name, "unavailable") };
}
