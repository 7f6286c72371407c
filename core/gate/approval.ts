import type { Effect } from "@alisio/sdk";
import type { DecisionSubject } from "./decide.ts";

/** What a person may choose. `edit` refuses the call and answers the model in its place. */
export type ApprovalChoice = "once" | "session" | "deny" | "edit";

/** What a person answers. */
export type ApprovalAnswer = Exclude<ApprovalChoice, "edit"> | ApprovalReplacement;

/** A refusal with an answer of the person, which the model receives instead of a result. */
export interface ApprovalReplacement {
  /** Control characters are taken out of it, and it is cut to 64 KiB. */
  readonly replacement: string;
}

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
  /** Choices that are on offer; any other answer counts as `deny`. */
  readonly choices: readonly ApprovalChoice[];
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

/** What became of a question; `withdrawn` when the run stopped before it was answered. */
export type ApprovalOutcome = Exclude<ApprovalChoice, "edit"> | "withdrawn";

/** Puts questions one after the other, first in, first out. */
export class ApprovalQueue {
  readonly #approver: Approver;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Starts without a question.
   *
   * @param approver Asks the person.
   */
  constructor(approver: Approver) {
    this.#approver = approver;
  }

  /**
   * Runs `ask` when every earlier turn is over. Until then nothing is decided: an earlier answer
   * may have settled the matter.
   *
   * @param signal Gives the place up.
   * @param ask Decides, and asks if there is still something to ask.
   * @returns What `ask` answered, or null when the signal aborted first.
   */
  async inTurn<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | null> {
    const turn = this.#last.then(() => signal.aborted ? null : ask());
    this.#last = turn.catch(() => {});
    return await untilAborted(turn, signal, null);
  }

  /**
   * Puts one question. Called inside {@linkcode inTurn}.
   *
   * @param question The question.
   * @param signal Takes the question back.
   */
  async ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalOutcome> {
    const answer = await this.#answerTo(question, signal);
    // An approver that gives up together with the run has answered nothing.
    if (signal.aborted) return "withdrawn";
    return typeof answer === "string" && question.choices.includes(answer) ? answer : "deny";
  }

  async #answerTo(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    try {
      return await untilAborted(this.#approver(question, signal), signal, "deny");
    } catch {
      // Nobody could be asked: the safe answer is no.
      return "deny";
    }
  }
}

async function untilAborted<T, F>(
  promise: Promise<T>,
  signal: AbortSignal,
  fallback: F,
): Promise<T | F> {
  if (signal.aborted) {
    promise.catch(() => {});
    return fallback;
  }
  const { promise: aborted, resolve } = Promise.withResolvers<F>();
  const stop = () => resolve(fallback);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    promise.catch(() => {});
  }
}
