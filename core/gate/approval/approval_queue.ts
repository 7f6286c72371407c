import { untilAborted } from "../../until_aborted.ts";
import type { ApprovalQuestion } from "../approval.ts";
import type { ApprovalPlan } from "./approval_plan.ts";
import { type ApprovalResolution, askInOrder } from "./ask_in_order.ts";

/** Puts questions one after the other, first in, first out. */
export class ApprovalQueue {
  readonly #plan: ApprovalPlan;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Starts without a question.
   *
   * @param plan Who is asked.
   */
  constructor(plan: ApprovalPlan) {
    this.#plan = plan;
  }

  /**
   * Runs `ask` when every earlier turn is over. Until then nothing is decided: an earlier answer
   * may have settled the matter.
   *
   * @param signal Gives the place up.
   * @param ask Decides, and asks if there is still something to ask.
   * @returns What `ask` answered, or null when the signal aborted before its turn.
   */
  async inTurn<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | null> {
    const place = this.#last.then(() => signal.aborted ? null : { turn: ask() });
    this.#last = place.then((begun) => begun?.turn).catch(() => {});
    const begun = await untilAborted(place, signal).catch(() => null);
    // A turn that has begun is waited for: it sees the signal itself, and may have to record.
    return begun === null ? null : await begun.turn;
  }

  /**
   * Puts one question. Called inside {@linkcode inTurn}.
   *
   * @param question The question.
   * @param signal Takes the question back.
   */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalResolution> {
    return askInOrder(this.#plan, question, signal);
  }
}
