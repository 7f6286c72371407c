import type { Effect } from "@alisio/sdk";
import type { DecisionSubject } from "./decide.ts";

/** What a person may answer. */
export type ApprovalAnswer = "once" | "session" | "deny";

/** A question about one call. Plain data, so that it can cross to another process. */
export interface ApprovalQuestion {
  /** The session that the call belongs to. */
  readonly sessionId: string;
  /** Id of the call. */
  readonly callId: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Effect of the tool. */
  readonly effect: Effect;
  /** JSON text of the input, exactly what will run. */
  readonly arguments: string;
  /** What is asked about. */
  readonly subject: DecisionSubject;
  /** Why it is asked. */
  readonly reason: string;
  /** Answers that are on offer; any other answer counts as `deny`. */
  readonly choices: readonly ApprovalAnswer[];
}

/**
 * Asks a person.
 *
 * Contract: called for one question at a time, in order; may take as long as the person does; an
 * exception or an answer that was not offered denies the call; when the signal aborts, the
 * question is taken back and the answer no longer matters.
 */
export type Approver = (
  question: ApprovalQuestion,
  signal: AbortSignal,
) => Promise<ApprovalAnswer>;

/** Puts questions one after the other, first in, first out. */
export class ApprovalQueue {
  readonly #approver: Approver;
  #last: Promise<unknown> = Promise.resolve();

  /** @param approver Asks the person. */
  constructor(approver: Approver) {
    this.#approver = approver;
  }

  /**
   * Asks when every earlier question is answered.
   *
   * @param question The question.
   * @param signal Takes the question back.
   */
  async ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    const turn = this.#last.then(() => this.#answer(question, signal));
    this.#last = turn;
    return await turn;
  }

  async #answer(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    if (signal.aborted) return "deny";
    const aborted = new Promise<ApprovalAnswer>((resolve) => {
      signal.addEventListener("abort", () => resolve("deny"), { once: true });
    });
    try {
      const answer = await Promise.race([this.#approver(question, signal), aborted]);
      return question.choices.includes(answer) ? answer : "deny";
    } catch {
      // Nobody could be asked: the safe answer is no.
      return "deny";
    }
  }
}
