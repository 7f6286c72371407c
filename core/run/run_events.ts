import type { KnownRunEventType, RunEvent, RunEventData } from "@alisio/sdk";
import type { SessionStore } from "../session/session_store.ts";

/** Receives every event of a run, in order. What it throws is ignored. */
export type RunObserver = (event: RunEvent) => void;

/** Events that are shown while they happen and never stored. */
const EPHEMERAL: ReadonlySet<string> = new Set<KnownRunEventType>([
  "text_delta",
  "reasoning_delta",
  "tool_progress",
]);

/**
 * Emits the events of one run. A durable event is in the database before anyone sees it; events
 * of one {@linkcode RunEvents.batch} are committed together and seen after that.
 */
export class RunEvents {
  readonly #run: {
    readonly runId: string;
    readonly sessionId: string;
    readonly correlationId?: string;
  };
  readonly #store: SessionStore;
  readonly #observers: readonly RunObserver[];
  #seq = 0;
  #held: RunEvent[] | null = null;
  #isClosed = false;

  /** @param options The run, where events are stored, and who sees them. */
  constructor(
    options: {
      readonly runId: string;
      readonly sessionId: string;
      readonly correlationId?: string;
      readonly store: SessionStore;
      readonly observers: readonly RunObserver[];
    },
  ) {
    const { store, observers, ...run } = options;
    this.#run = run;
    this.#store = store;
    this.#observers = observers;
  }

  /**
   * Emits one event.
   *
   * @throws {AlisioError} If a durable event cannot be stored; nobody sees it then.
   */
  emit<T extends KnownRunEventType>(type: T, data: RunEventData[T]): void {
    if (this.#isClosed) return;
    const event = this.#next(type, data);
    if (EPHEMERAL.has(type)) {
      this.#seq = event.seq;
      this.#deliver(event);
      return;
    }
    const eventId = String(this.#store.appendEvent(event));
    this.#seq = event.seq;
    this.#deliver({ ...event, eventId });
  }

  /**
   * Emits the last event of the run, together with what `write` stores. Nothing is emitted
   * afterwards.
   *
   * @param type The terminal event.
   * @param data Its data.
   * @param write Stores the end of the run; synchronous.
   * @throws {AlisioError} If it cannot be stored; the run has no last event yet, then.
   */
  emitLast<T extends KnownRunEventType>(
    type: T,
    data: RunEventData[T],
    write: () => void,
  ): void {
    this.batch(() => {
      write();
      this.emit(type, data);
    });
    this.#isClosed = true;
  }

  /**
   * Like {@linkcode RunEvents.emitLast}, but the event is seen even when it cannot be stored: the
   * database itself may be what failed.
   *
   * @param type The terminal event.
   * @param data Its data.
   * @param write Stores the end of the run; synchronous.
   * @param unstored Its data if it cannot be stored, for the reason that is passed.
   * @returns Whether it was stored, and the reason if it was not.
   */
  emitLastAnyway<T extends KnownRunEventType>(
    type: T,
    data: RunEventData[T],
    write: () => void,
    unstored: (reason: unknown) => RunEventData[T] = () => data,
  ): { readonly isStored: true } | { readonly isStored: false; readonly reason: unknown } {
    try {
      this.emitLast(type, data, write);
      return { isStored: true };
    } catch (reason) {
      const event = this.#next(type, unstored(reason));
      this.#seq = event.seq;
      this.#isClosed = true;
      this.#deliver(event);
      return { isStored: false, reason };
    }
  }

  /**
   * Commits everything that `write` stores in one transaction, events included.
   *
   * @param write Stores messages and emits events; synchronous.
   */
  batch(write: () => void): void {
    if (this.#held !== null) return write();
    const held: RunEvent[] = [];
    const seqBefore = this.#seq;
    this.#held = held;
    try {
      this.#store.transaction(write);
    } catch (error) {
      this.#seq = seqBefore;
      throw error;
    } finally {
      this.#held = null;
    }
    for (const event of held) this.#deliver(event);
  }

  #next<T extends KnownRunEventType>(
    type: T,
    data: RunEventData[T],
  ): RunEvent & { readonly type: T; readonly data: RunEventData[T] } {
    return {
      schemaVersion: 1,
      ...this.#run,
      seq: this.#seq + 1,
      type,
      timestamp: new Date().toISOString(),
      data,
    };
  }

  #deliver(event: RunEvent): void {
    if (this.#held !== null) {
      this.#held.push(event);
      return;
    }
    for (const observe of this.#observers) {
      try {
        const answer: unknown = observe(event);
        if (answer instanceof Promise) answer.catch(() => {});
      } catch {
        // A front end that fails must not end the run.
      }
    }
  }
}
