/** A timer beyond this fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A time limit that may be put off again and again, such as by everything that a server sends.
 * However often that happens, one timer is pending. While it runs, it keeps the process alive.
 *
 * It is made of an abort signal because the first `setTimeout` of a process loads a lot of code:
 * that takes as long as thirty modules, and a run would wait for it before its first request.
 */
export class Countdown {
  readonly #onExpired: () => void;
  #timer: AbortSignal | undefined;
  /** When the timer fires, and when the time is really over, as `performance.now()`. */
  #firesAt = Infinity;
  #endsAt = Infinity;
  readonly #onFired = () => this.#look();

  /**
   * Does nothing before {@linkcode start}.
   *
   * @param onExpired Called when the time is over, once for each start.
   */
  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /**
   * Counts from the beginning, in the place of what it counted before.
   *
   * @param ms Milliseconds until the time is over.
   */
  start(ms: number): void {
    this.#endsAt = performance.now() + ms;
    const timer = this.#timer;
    // One that fired after a stop never fires again.
    if (timer === undefined || timer.aborted || this.#firesAt > this.#endsAt) this.#arm();
    else timer.addEventListener("abort", this.#onFired, { once: true });
  }

  /** Ends it without a call. It may be started again. */
  stop(): void {
    this.#endsAt = Infinity;
    this.#timer?.removeEventListener("abort", this.#onFired);
  }

  #arm(): void {
    this.#timer?.removeEventListener("abort", this.#onFired);
    const leftMs = Math.max(0, this.#endsAt - performance.now());
    const delayMs = Math.min(Math.ceil(leftMs), MAX_TIMER_MS);
    this.#firesAt = performance.now() + delayMs;
    this.#timer = AbortSignal.timeout(delayMs);
    this.#timer.addEventListener("abort", this.#onFired, { once: true });
  }

  #look(): void {
    this.#timer = undefined;
    if (performance.now() < this.#endsAt) return this.#arm();
    this.#endsAt = Infinity;
    this.#onExpired();
  }
}
