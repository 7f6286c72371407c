/** The window that actions are counted over. */
export const HOUR_MS = 3_600_000;

/** A place in a budget that one call holds until it has run or was given up. */
export interface ActionReservation {
  /** The call runs: it counts for one hour from now. */
  commit(): void;
  /** The call was refused or dropped: it costs nothing. Without effect once it is committed. */
  release(): void;
}

/** Options of {@linkcode ActionBudget}. */
export interface ActionBudgetOptions {
  /** Actions of any hour; 0 is none at all. */
  readonly maxActionsPerHour: number;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  /**
   * How long ago earlier runs of the same sender acted, in milliseconds.
   *
   * @default none
   */
  readonly earlierMs?: readonly number[];
}

/**
 * Counts the acting calls of one sender over a window that slides with the clock. Children of a
 * session use the budget of their parent.
 *
 * Whether a place is left is looked at before anybody is asked; the place is taken when the call
 * is let through, so that calls side by side cannot share the last one.
 */
export class ActionBudget {
  readonly #max: number;
  readonly #now: () => number;
  /** Times of what ran, the oldest first. */
  #ran: number[] = [];
  #reserved = 0;

  /**
   * Starts with what earlier runs did.
   *
   * @param options The limit and the clock.
   */
  constructor(options: ActionBudgetOptions) {
    this.#max = options.maxActionsPerHour;
    this.#now = options.now;
    const now = options.now();
    // A clock that was put back makes no call one of the future.
    this.#ran = (options.earlierMs ?? []).map((ms) => now - Math.max(ms, 0))
      .sort((first, second) => first - second);
  }

  /** How many more calls may be let through now. */
  left(): number {
    const since = this.#now() - HOUR_MS;
    const fresh = this.#ran.findIndex((time) => time > since);
    if (fresh !== 0) this.#ran = fresh === -1 ? [] : this.#ran.slice(fresh);
    return Math.max(0, this.#max - this.#ran.length - this.#reserved);
  }

  /**
   * Takes a place.
   *
   * @returns `null` if none is left.
   */
  reserve(): ActionReservation | null {
    if (this.left() === 0) return null;
    this.#reserved++;
    let isOpen = true;
    const close = (): boolean => {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) this.#reserved--;
      return wasOpen;
    };
    return {
      commit: () => {
        if (close()) this.#ran.push(this.#now());
      },
      release: () => {
        close();
      },
    };
  }
}
