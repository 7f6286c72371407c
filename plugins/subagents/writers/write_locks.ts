interface Holder {
  readonly id: string;
  /** Waits that it is in; its descendants may write meanwhile. */
  waits: number;
}

interface Waiting {
  readonly id: string;
  readonly folder: string;
  readonly ancestors: readonly string[];
  /** Whether it held the folder already. */
  readonly isBack: boolean;
  readonly start: () => void;
}

/**
 * Who may write in a folder: one after another, in the order in which they came. Whoever waits for
 * tasks of its own lends the folder to them, and to nobody else, so that nobody changes its files
 * behind its back and nobody waits for itself.
 */
export class WriteLocks {
  /** Each lends the folder to the next. */
  readonly #chains = new Map<string, Holder[]>();
  #waiting: Waiting[] = [];

  /**
   * Whether a writer would have to wait.
   *
   * @param folder Where it writes.
   * @param ancestors Sessions above it.
   */
  isTaken(folder: string, ancestors: readonly string[]): boolean {
    return !this.#isFree(folder, ancestors);
  }

  /**
   * Waits for a folder.
   *
   * @param writer Who writes, and where.
   * @param signal Gives up.
   * @throws The reason of the signal.
   */
  async acquire(
    writer: { readonly id: string; readonly folder: string; readonly ancestors: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const entry = { ...writer, isBack: false, start };
    const giveUp = () => {
      this.#forget(entry);
      reject(signal.reason);
    };
    this.#waiting.push(entry);
    signal.addEventListener("abort", giveUp, { once: true });
    this.#startNext();
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /**
   * Gives a folder back. Safe to call for one that holds none.
   *
   * @param id The writer.
   */
  release(id: string): void {
    for (const [folder, chain] of this.#chains) {
      const rest = chain.filter((holder) => holder.id !== id);
      if (rest.length === 0) this.#chains.delete(folder);
      else this.#chains.set(folder, rest);
    }
    this.#startNext();
  }

  /**
   * A writer waits for tasks of its own.
   *
   * @param id The writer.
   */
  pause(id: string): void {
    const holder = this.#holder(id)?.holder;
    if (holder === undefined) return;
    holder.waits += 1;
    this.#startNext();
  }

  /**
   * A wait of a writer is over.
   *
   * @param id The writer.
   * @param signal Gives up: it is about to end.
   * @returns Resolves when the folder is its own again.
   */
  async resume(id: string, signal: AbortSignal): Promise<void> {
    const held = this.#holder(id);
    if (held === undefined || held.holder.waits === 0) return;
    if (held.holder.waits > 1) return void (held.holder.waits -= 1);
    const { promise, resolve: start } = Promise.withResolvers<void>();
    const entry = { id, folder: held.folder, ancestors: [], isBack: true, start };
    const giveUp = () => {
      this.#forget(entry);
      held.holder.waits = 0;
      start();
    };
    this.#waiting.unshift(entry);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    this.#startNext();
    await promise;
    signal.removeEventListener("abort", giveUp);
  }

  #startNext(): void {
    for (const entry of [...this.#waiting]) {
      const { id, folder, ancestors, isBack, start } = entry;
      const chain = this.#chains.get(folder) ?? [];
      const last = chain.at(-1);
      if (isBack ? last !== undefined && last.id !== id : !this.#isFree(folder, ancestors)) {
        continue;
      }
      this.#forget(entry);
      if (!isBack) this.#chains.set(folder, [...chain, { id, waits: 0 }]);
      else if (last !== undefined) last.waits = 0;
      start();
    }
  }

  #isFree(folder: string, ancestors: readonly string[]): boolean {
    const chain = this.#chains.get(folder) ?? [];
    return chain.every(({ id }) => ancestors.includes(id)) && (chain.at(-1)?.waits ?? 1) > 0;
  }

  #forget(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((each) => each !== entry);
  }

  #holder(id: string): { readonly folder: string; readonly holder: Holder } | undefined {
    for (const [folder, chain] of this.#chains) {
      const holder = chain.find((each) => each.id === id);
      if (holder !== undefined) return { folder, holder };
    }
    return undefined;
  }
}
