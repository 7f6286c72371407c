import type { BackgroundTask } from "./background_task.ts";
import type { BackgroundTasks } from "./background_tasks.ts";
import { formatTaskNotice, type TaskNotice } from "./task_notice.ts";

/** When sessions may be woken. */
export interface WakeLimits {
  /** Tasks that end within this time share one notice. */
  readonly gatherMs: number;
  /** When a session that is busy is tried again. */
  readonly retryMs: number;
  /** The shortest time between two wake-ups of a session. */
  readonly gapMs: number;
  /** How many there may be within `windowMs`. */
  readonly maxWakes: number;
  readonly windowMs: number;
}

/** The limits that are in force. */
export const WAKE_LIMITS: WakeLimits = {
  gatherMs: 2_000,
  retryMs: 2_000,
  gapMs: 10_000,
  maxWakes: 6,
  windowMs: 600_000,
};

/** Who is woken. */
export interface TaskNoticesPorts {
  readonly tasks: BackgroundTasks;
  /** The session that can be woken now; undefined while none is open, or it is busy. */
  readonly idleSession: () => string | undefined;
  /**
   * Runs a notice in that session, to its end.
   *
   * @returns Whether the run started.
   */
  readonly wake: (notice: TaskNotice) => Promise<boolean>;
  /** @default WAKE_LIMITS */
  readonly limits?: WakeLimits;
}

/**
 * When a session may be woken again. Pure.
 *
 * @param wakes When it was woken, oldest first.
 * @param limits The limits.
 * @returns A time on the same clock; 0 for at once.
 */
export function nextWakeAt(wakes: readonly number[], limits: WakeLimits): number {
  const last = wakes.at(-1);
  if (last === undefined) return 0;
  const oldest = wakes.at(-limits.maxWakes);
  return Math.max(last + limits.gapMs, oldest === undefined ? 0 : oldest + limits.windowMs);
}

/**
 * Wakes the session whose tasks ended by themselves, with few notices for many ends. What may not
 * be told now waits, and nothing is told twice.
 */
export class TaskNotices {
  readonly #ports: TaskNoticesPorts;
  readonly #limits: WakeLimits;
  readonly #waiting = new Map<string, Set<string>>();
  readonly #wakes = new Map<string, readonly number[]>();
  readonly #leave: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWaking = false;

  /** @param ports Who is woken. */
  constructor(ports: TaskNoticesPorts) {
    this.#ports = ports;
    this.#limits = ports.limits ?? WAKE_LIMITS;
    this.#leave = ports.tasks.subscribe((task) => this.note(task));
  }

  /** Looks for what waits, because the session has become idle, or is another one. */
  noteIdle(): void {
    // Tasks that ended together gather even then.
    if (this.#waiting.size > 0 && this.#timer === undefined) this.#plan(0);
  }

  /** Tells nothing any more. */
  close(): void {
    this.#leave();
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  /**
   * Learns of a task, such as one that ended before anybody listened.
   *
   * @param task The task, as it is now.
   */
  note(task: BackgroundTask): void {
    if (!this.#ports.tasks.isAnnounced(task)) return;
    const ids = this.#waiting.get(task.rootSessionId) ?? new Set();
    this.#waiting.set(task.rootSessionId, ids.add(task.id));
    if (this.#timer === undefined) this.#plan(this.#limits.gatherMs);
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, delayMs);
  }

  async #look(): Promise<void> {
    const session = this.#ports.idleSession();
    const ids = session === undefined ? undefined : this.#waiting.get(session);
    const { retryMs, maxWakes } = this.#limits;
    if (session === undefined || ids === undefined || this.#isWaking) return this.#goOn(retryMs);
    const wakes = this.#wakes.get(session) ?? [];
    const waitMs = nextWakeAt(wakes, this.#limits) - performance.now();
    if (waitMs > 0) return this.#goOn(waitMs);
    this.#waiting.delete(session);
    this.#isWaking = true;
    try {
      if (await this.#wake([...ids])) return;
      for (const id of ids) this.#waiting.set(session, (this.#waiting.get(session) ?? ids).add(id));
    } finally {
      this.#isWaking = false;
      this.#wakes.set(session, [...wakes, performance.now()].slice(-maxWakes));
      this.#goOn(retryMs);
    }
  }

  /** Whether nothing is left to tell of them. */
  async #wake(ids: readonly string[]): Promise<boolean> {
    let release = () => {};
    try {
      const claim = this.#ports.tasks.claim(ids);
      release = claim.release;
      if (claim.tasks.length === 0) return true;
      if (await this.#ports.wake(formatTaskNotice(claim.tasks))) return true;
      release();
    } catch {
      // The record is lost, or the session cannot run; whoever meets that says so.
      try {
        release();
      } catch {
        return true;
      }
    }
    return false;
  }

  #goOn(delayMs: number): void {
    if (this.#waiting.size > 0 && this.#timer === undefined) this.#plan(delayMs);
  }
}
