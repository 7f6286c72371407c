/** What the guard thinks of a call that has just ended. */
export type RepetitionVerdict = "fine" | "warn" | "stop";

/** Equal calls with equal results after which the model is told. */
export const REPETITION_WARN_AT = 3;

/** Equal calls with equal results after which the run stops. */
export const REPETITION_STOP_AT = 6;

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

  /**
   * Counts a call that ended.
   *
   * @param call What was called, what came back, and how long it took.
   */
  observe(
    call: {
      readonly name: string;
      readonly arguments: string;
      readonly result: string;
      readonly durationMs: number;
      readonly polling: boolean;
    },
  ): RepetitionVerdict {
    const key = `${call.name}\0${call.arguments}\0${call.result}`;
    if (call.polling || call.durationMs >= WAITING_MS || key !== this.#key) {
      this.#key = call.polling ? "" : key;
      this.#count = 1;
      return "fine";
    }
    this.#count += 1;
    if (this.#count >= REPETITION_STOP_AT) return "stop";
    return this.#count >= REPETITION_WARN_AT ? "warn" : "fine";
  }
}
