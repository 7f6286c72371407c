import { Countdown } from "../countdown.ts";

/**
 * Measures the active time of a run: a stopwatch that stands still while a person is asked.
 *
 * Waits may overlap; the clock goes on when the last one ends.
 */
export class ActiveClock {
  readonly #now: () => number;
  readonly #limitMs: number;
  readonly #countdown: Countdown;
  #elapsedMs = 0;
  #startedAt: number | null;
  #waits = 0;

  /**
   * Starts the clock.
   *
   * @param options The limit in milliseconds, what to call once when it is reached, and the time
   * source (milliseconds, monotonic).
   */
  constructor(
    options: {
      readonly limitMs: number;
      readonly onExpired: () => void;
      readonly now?: () => number;
    },
  ) {
    this.#now = options.now ?? (() => performance.now());
    this.#limitMs = options.limitMs;
    this.#countdown = new Countdown(() => {
      if (this.remainingMs() <= 0) options.onExpired();
      else this.#countdown.start(this.remainingMs());
    });
    this.#startedAt = this.#now();
    this.#countdown.start(this.remainingMs());
  }

  /** Active milliseconds so far. */
  activeMs(): number {
    return this.#elapsedMs + (this.#startedAt === null ? 0 : this.#now() - this.#startedAt);
  }

  /** Milliseconds that are left, never below zero. */
  remainingMs(): number {
    return Math.max(0, this.#limitMs - this.activeMs());
  }

  /**
   * Stands still while `wait` is pending.
   *
   * @param wait Waits for a person.
   */
  async pauseWhile<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#stop();
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) {
        this.#startedAt = this.#now();
        this.#countdown.start(this.remainingMs());
      }
    }
  }

  /** Ends the clock; it never fires afterwards. */
  close(): void {
    this.#stop();
    this.#waits = Number.POSITIVE_INFINITY;
  }

  #stop(): void {
    this.#countdown.stop();
    this.#elapsedMs = this.activeMs();
    this.#startedAt = null;
  }
}
