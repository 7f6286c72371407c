/** What the guard thinks of a call that has just ended. */
export type RepetitionVerdict = "fine" | "warn" | "stop";

/** Equal calls with equal results after which the model is told. */
export const REPETITION_WARN_AT = 3;

/** Equal calls with equal results after which the run stops. */
export const REPETITION_STOP_AT = 6;

/** What the model reads behind the result of a call that it repeats. */
export const REPETITION_NOTICE =
  "[You have made this very call before and the result was the same. Do not repeat it: " +
  "use the result, try something else, or finish.]";

/** A call that took this long was waiting for something, which is not a loop. */
const WAITING_MS = 1_000;

/**
 * Notices a model that repeats one call for ever: the same name and arguments with the same
 * result, again and again without any other call in between. A call that waits, and a tool that
 * is made for polling, never count.
 */
export class RepetitionGuard {
  #key = "";
  #count = 0;
  #warnedInTurn: number | null = null;

  /**
   * Counts a call that ended. A model is stopped only if it had the chance to heed a warning, which
   * it reads with the results of an earlier turn.
   *
   * @param call What was called, what came back, how long it took, and in which turn.
   */
  observe(
    call: {
      readonly name: string;
      readonly arguments: string;
      readonly result: string;
      readonly durationMs: number;
      readonly polling: boolean;
      readonly turn: number;
    },
  ): RepetitionVerdict {
    const key = `${call.name}\0${call.arguments}\0${call.result}`;
    if (call.polling || call.durationMs >= WAITING_MS || key !== this.#key) {
      this.#key = call.polling ? "" : key;
      this.#count = 1;
      this.#warnedInTurn = null;
      return "fine";
    }
    this.#count += 1;
    if (this.#count < REPETITION_WARN_AT) return "fine";
    this.#warnedInTurn ??= call.turn;
    const wasWarned = this.#warnedInTurn < call.turn;
    return wasWarned && this.#count >= REPETITION_STOP_AT ? "stop" : "warn";
  }
}
