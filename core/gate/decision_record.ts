import type { Effect } from "@alisio/sdk";

/**
 * What became of a call at one step of its way through the gate.
 *
 * - `allowed`: a rule permits it; nobody was asked
 * - `requested`: a person is asked; what follows says what came of it
 * - `granted`: they permit it
 * - `denied`: they refuse it, or could not be reached; `source` says which
 * - `replaced`: they refuse it and answer the model themselves
 * - `timed_out`: they did not answer in time
 * - `blocked`: a rule refuses it, or nobody can be asked
 */
export type DecisionOutcome =
  | "allowed"
  | "requested"
  | "granted"
  | "denied"
  | "replaced"
  | "timed_out"
  | "blocked";

/**
 * Who decided: a rule, a person, or nobody (`unavailable`: there is no approver, or the run was
 * stopped before they answered; `unreachable`: it failed; `timed_out`: it was silent). The last
 * three never permit anything.
 */
export type DecisionSource = "policy" | "operator" | "unavailable" | "unreachable" | "timed_out";

/** One decision about one call, for the audit. Append-only; plain data. */
export interface DecisionRecord {
  /** Id of the call. */
  readonly callId: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Its effect. */
  readonly effect: Effect;
  /** JSON text of the input as it would run. Whoever stores or shows it takes secrets out first. */
  readonly arguments: string;
  /** What became of the call. */
  readonly outcome: DecisionOutcome;
  /** The rule that decided or asked, as `policy:rule`. */
  readonly rule: string;
  /** Why, in the words that the model gets. */
  readonly reason: string;
  /** Who decided. */
  readonly source: DecisionSource;
  /** Where a person was asked or would have been: `headless`, `terminal`, the key of a channel. */
  readonly channel: string;
  /** Who answered, where the channel knows. */
  readonly user?: string;
  /** How far a grant reaches. */
  readonly scope?: "once" | "session";
}
