import type { JsonValue } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { SessionStore } from "../session/session_store.ts";

/** After so many failures in a row only the person's own wish is tried. */
export const MAX_FAILURES = 3;

/** How much a conversation grows before it is tried again. */
const GROWTH = 0.1;
const MIN_GROWTH_CHARS = 2_000;

const OPTION = "compaction";

interface Pace {
  /** In a row. */
  readonly failures: number;
  /** The model that failed. */
  readonly model: string;
  /** Nothing is tried by itself before the conversation has so many characters. */
  readonly fromChars: number;
  /** When that was noted, in epoch milliseconds. */
  readonly at: number;
}

/** A server that failed may be there again. */
const KEPT_MS = 60 * 60 * 1_000;

/**
 * Keeps a conversation from being summarised again and again when that does not help. It is kept
 * with the session, so that a restart does not begin anew; another model does, and so does an hour.
 */
export class CompactionPace {
  readonly #store: Pick<SessionStore, "session" | "updateSession">;
  readonly #sessionId: string;
  readonly #model: string;
  readonly #now: () => number;

  /**
   * Reads what is kept, whenever it is asked.
   *
   * @param store The store.
   * @param sessionId The session.
   * @param model The model that summarises.
   * @param now The time.
   */
  constructor(
    store: Pick<SessionStore, "session" | "updateSession">,
    sessionId: string,
    model: string,
    now: () => number = Date.now,
  ) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#model = model;
    this.#now = now;
  }

  /** Whether it failed too often in a row. */
  get isGivenUp(): boolean {
    return this.#read().failures >= MAX_FAILURES;
  }

  /**
   * Whether the conversation has grown enough since the last time that did not help.
   *
   * @param chars Characters of the conversation.
   */
  isDue(chars: number): boolean {
    return chars >= this.#read().fromChars;
  }

  /**
   * Notes that there is no summary.
   *
   * @param chars Characters of the conversation.
   */
  failed(chars: number): void {
    const failures = this.#read().failures + 1;
    this.#write(failures, grown(chars, failures));
  }

  /**
   * Notes that there was nothing to summarise, or that what is left is still too long.
   *
   * @param chars Characters of the conversation.
   */
  didNotHelp(chars: number): void {
    this.#write(0, grown(chars, 1));
  }

  /**
   * Notes that messages were cut: what is waited for is what is added.
   *
   * @param chars How many characters are gone.
   */
  reduced(chars: number): void {
    const { failures, fromChars } = this.#read();
    if (fromChars > 0) this.#write(failures, Math.max(0, fromChars - chars));
  }

  /** Notes that it helped. */
  helped(): void {
    if (this.#stored() !== undefined) {
      this.#store.updateSession(this.#sessionId, { options: { [OPTION]: null } });
    }
  }

  #read(): Pick<Pace, "failures" | "fromChars"> {
    const value = this.#stored();
    const none = { failures: 0, fromChars: 0 };
    if (!isObject(value) || value.model !== this.#model) return none;
    const { failures, fromChars, at } = value;
    const isPace = [failures, fromChars, at].every((each) => typeof each === "number");
    const ageMs = this.#now() - Number(at);
    if (!isPace || ageMs < 0 || ageMs >= KEPT_MS) return none;
    return { failures: Number(failures), fromChars: Number(fromChars) };
  }

  #write(failures: number, fromChars: number): void {
    const pace: Pace = { failures, fromChars, model: this.#model, at: this.#now() };
    this.#store.updateSession(this.#sessionId, { options: { [OPTION]: { ...pace } } });
  }

  #stored(): JsonValue | undefined {
    return this.#store.session(this.#sessionId)?.options[OPTION];
  }
}

function grown(chars: number, times: number): number {
  return Math.ceil(chars + Math.max(MIN_GROWTH_CHARS, chars * GROWTH) * times);
}
