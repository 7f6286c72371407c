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
    this.#seq += 1;
    const event = {
      schemaVersion: 1 as const,
      ...this.#run,
      seq: this.#seq,
      type,
      timestamp: new Date().toISOString(),
      data,
    };
    if (EPHEMERAL.has(type)) this.#deliver(event);
    else this.#deliver({ ...event, eventId: String(this.#store.appendEvent(event)) });
  }

  /**
   * Emits a last event even when it cannot be stored any more, so that a failure of the database
   * itself is still seen.
   */
  emitAnyway<T extends KnownRunEventType>(type: T, data: RunEventData[T]): void {
    try {
      this.emit(type, data);
    } catch {
      this.#deliver({
        schemaVersion: 1,
        ...this.#run,
        seq: this.#seq,
        type,
        timestamp: new Date().toISOString(),
        data,
      });
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

  #deliver(event: RunEvent): void {
    if (this.#held !== null) {
      this.#held.push(event);
      return;
    }
    for (const observe of this.#observers) {
      try {
        observe(event);
      } catch {
        // A front end that fails must not end the run.
      }
    }
  }
}
