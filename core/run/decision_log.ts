import type { AutonomyEventData } from "@alisio/sdk";
import type { DecisionOutcome, DecisionRecord } from "../gate/decision_record.ts";
import { redactSecrets } from "../redact.ts";
import { summarizeInput } from "../redact_input.ts";
import type { NewDecision } from "../session/session_records.ts";
import type { SessionStore } from "../session/session_store.ts";
import { previewText } from "../text/bound_text.ts";
import type { RunEvents } from "./run_events.ts";

const MAX_REASON_CHARS = 500;
const MAX_NAME_CHARS = 200;

/** How each decision is announced; what a rule allows is not. */
const EVENTS: Readonly<
  Record<
    DecisionOutcome,
    { readonly type: AutonomyEventType; readonly level: AutonomyEventData["level"] } | null
  >
> = {
  allowed: null,
  requested: { type: "autonomy:approval_requested", level: "INFO" },
  granted: { type: "autonomy:approval_granted", level: "INFO" },
  denied: { type: "autonomy:approval_denied", level: "WARN" },
  replaced: { type: "autonomy:approval_denied", level: "WARN" },
  timed_out: { type: "autonomy:approval_timeout", level: "WARN" },
  blocked: { type: "autonomy:blocked", level: "WARN" },
};

type AutonomyEventType =
  | "autonomy:approval_requested"
  | "autonomy:approval_granted"
  | "autonomy:approval_denied"
  | "autonomy:approval_timeout"
  | "autonomy:blocked";

/** What the log of a run works with. */
export interface DecisionLogPorts {
  readonly runId: string;
  readonly sessionId: string;
  readonly store: SessionStore;
  readonly events: RunEvents;
  /** Values that nothing is shown of. */
  readonly secrets: () => readonly string[];
}

/**
 * Writes the decisions about the calls of one run into the audit, and emits the events about them.
 *
 * A decision is in the database, together with its event, before anything follows from it. What a
 * rule allows is held until its call is recorded, and stored in the same transaction: nothing of
 * the call runs before that.
 */
export class DecisionLog {
  readonly #ports: DecisionLogPorts;
  readonly #held = new Map<string, NewDecision>();

  /**
   * Starts empty.
   *
   * @param ports What it works with.
   */
  constructor(ports: DecisionLogPorts) {
    this.#ports = ports;
  }

  /**
   * Records a decision.
   *
   * @param record The decision, secrets included.
   * @throws {AlisioError} If it cannot be stored; its event is not seen then.
   */
  record(record: DecisionRecord): void {
    const { runId, sessionId, store, events, secrets } = this.#ports;
    const { arguments: input, ...rest } = record;
    const hidden = secrets();
    const { summary, path, command } = summarizeInput(input, hidden);
    const reason = previewText(redactSecrets(record.reason, hidden), MAX_REASON_CHARS);
    const decision = { ...rest, sessionId, runId, summary, reason, decidedAt: Date.now() };
    const event = EVENTS[record.outcome];
    if (event === null) {
      this.#held.set(record.callId, decision);
      return;
    }
    const name = (text: string) => previewText(text, MAX_NAME_CHARS);
    events.batch(() => {
      store.appendDecision(decision);
      events.emit(event.type, {
        level: event.level,
        id: record.callId,
        tool: name(record.tool),
        ...(path === undefined ? {} : { path }),
        ...(command === undefined ? {} : { command }),
        channel: name(record.channel),
        ...(record.user === undefined ? {} : { user: name(record.user) }),
        reason,
        rule: name(record.rule),
      });
    });
  }

  /**
   * Stores what `write` stores together with what is held about a call, or nothing.
   *
   * @param callId Id of the call.
   * @param write Stores the start of the call; synchronous.
   * @throws {AlisioError} If it cannot be stored.
   */
  storeWith(callId: string, write: () => void): void {
    const decision = this.#held.get(callId);
    if (decision === undefined) return write();
    this.#held.delete(callId);
    this.#ports.store.transaction(() => {
      this.#ports.store.appendDecision(decision);
      write();
    });
  }
}
