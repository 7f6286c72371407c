/** How many tasks may run and wait. */
export interface QueueLimits {
  readonly maxConcurrentPerParent: number;
  readonly maxConcurrentTotal: number;
  readonly maxQueued: number;
}

interface Waiting {
  readonly id: string;
  readonly parentId: string;
  /** Whether it ran already and only waited for its own tasks. */
  readonly isBack: boolean;
  readonly start: () => void;
}

interface Running {
  readonly parentId: string;
  /** Tasks that it waits for, one for each wait. */
  readonly waits: string[];
  /** Whether it gave its place in the total away. */
  isOut: boolean;
  /** Resolves when it has its place back, once it asked for it. */
  back: PromiseWithResolvers<void> | undefined;
}

/**
 * Who may run now. First come, first served, except that nobody waits behind a task that only its
 * own parent holds up.
 *
 * A task that waits for tasks of its own gives its place in the total away meanwhile and gets the
 * next free one back, so a tree of tasks never waits for itself, however small the total is.
 */
export class TaskQueue {
  readonly #limits: QueueLimits;
  readonly #running = new Map<string, Running>();
  #waiting: Waiting[] = [];

  /** @param limits How many may run and wait. */
  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** How many have not begun. */
  get queued(): number {
    return this.#waiting.filter(({ isBack }) => !isBack).length;
  }

  /**
   * Whether one more task would have to be turned away.
   *
   * @param parentId The session that it works for.
   * @param options Whether that waits for it, and so gives its place to one of those who wait.
   */
  isFull(parentId: string, options: { readonly isAwaited: boolean }): boolean {
    if (this.#fits(parentId)) return false;
    const caller = this.#running.get(parentId);
    const isGiven = options.isAwaited && caller !== undefined && !caller.isOut;
    return this.queued - (isGiven ? 1 : 0) >= this.#limits.maxQueued;
  }

  /**
   * Lines a task up.
   *
   * @param task The task.
   * @returns What resolves when it may run, and whether it has to wait at all.
   */
  enter(
    { id, parentId }: { readonly id: string; readonly parentId: string },
  ): { readonly started: Promise<void>; readonly waits: boolean } {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    this.#waiting.push({ id, parentId, isBack: false, start });
    this.#startNext();
    return { started, waits: !this.#running.has(id) };
  }

  /**
   * Takes a task out, whether it runs or waits. Whoever waited for nothing else comes next.
   *
   * @param id The task.
   */
  leave(id: string): void {
    this.#running.delete(id);
    this.#waiting = this.#waiting.filter((each) => each.id !== id);
    for (const [session, running] of this.#running) {
      const isNext = running.waits.length > 0 && running.waits.every((task) => task === id);
      if (isNext) this.#comeBack(session, running);
    }
    this.#startNext();
  }

  /**
   * A session begins to wait for a task: others may run in its place. One that runs no task itself
   * may say it too.
   *
   * @param session The session that waits.
   * @param task What it waits for.
   */
  pause(session: string, task: string): void {
    const running = this.#running.get(session);
    if (running === undefined) return;
    running.waits.push(task);
    running.isOut = true;
    running.back?.resolve();
    running.back = undefined;
    this.#waiting = this.#waiting.filter(({ id, isBack }) => !isBack || id !== session);
    this.#startNext();
  }

  /**
   * A wait is over.
   *
   * @param session The session that waited.
   * @param task What it waited for.
   * @param signal Gives up: the session is about to end, and goes on without its place.
   * @returns Resolves when it has its place back, or still waits for something else.
   */
  async resume(session: string, task: string, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(session);
    if (running === undefined) return;
    const index = running.waits.indexOf(task);
    if (index >= 0) running.waits.splice(index, 1);
    if (running.waits.length > 0 || !running.isOut) return;
    const { promise, resolve } = running.back ?? this.#comeBack(session, running);
    this.#startNext();
    const giveUp = () => resolve();
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    await promise;
    signal.removeEventListener("abort", giveUp);
  }

  /** It comes before all that have not begun. */
  #comeBack(id: string, running: Running): PromiseWithResolvers<void> {
    if (running.back !== undefined) return running.back;
    const back = Promise.withResolvers<void>();
    running.back = back;
    const start = () => {
      running.isOut = false;
      running.back = undefined;
      back.resolve();
    };
    const others = this.#waiting.findIndex(({ isBack }) => !isBack);
    this.#waiting.splice(others < 0 ? this.#waiting.length : others, 0, {
      id,
      parentId: running.parentId,
      isBack: true,
      start,
    });
    return back;
  }

  #startNext(): void {
    for (const entry of [...this.#waiting]) {
      const { id, parentId, isBack } = entry;
      if (isBack ? !this.#hasRoom() : !this.#fits(parentId)) continue;
      this.#waiting = this.#waiting.filter((each) => each !== entry);
      if (!isBack) this.#running.set(id, { parentId, waits: [], isOut: false, back: undefined });
      entry.start();
    }
  }

  #fits(parentId: string): boolean {
    const running = [...this.#running.values()];
    const siblings = running.filter((each) => each.parentId === parentId).length;
    return siblings < this.#limits.maxConcurrentPerParent && this.#hasRoom();
  }

  #hasRoom(): boolean {
    const working = [...this.#running.values()].filter(({ isOut }) => !isOut).length;
    return working < this.#limits.maxConcurrentTotal;
  }
}
