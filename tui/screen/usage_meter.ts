import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import type { UsageFacts } from "./status_facts.ts";

const NOTHING: UsageFacts = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, turns: 0 };

/** Adds up what the turns of a session used, since it was opened here. */
export class UsageMeter {
  #usage = NOTHING;

  /** What was used so far. */
  get usage(): UsageFacts {
    return this.#usage;
  }

  /**
   * Takes in what happened.
   *
   * @param event An event of a run.
   */
  observe(event: RunEvent): void {
    const known = event as KnownRunEvent;
    if (known.type !== "turn_completed") return;
    const { usage } = known.data;
    const { inputTokens, outputTokens, cachedTokens, turns } = this.#usage;
    this.#usage = {
      inputTokens: inputTokens + (usage?.input ?? 0),
      outputTokens: outputTokens + (usage?.output ?? 0),
      cachedTokens: cachedTokens + (usage?.cachedInput ?? 0),
      turns: turns + 1,
    };
  }

  /** Begins anew, for another session. */
  reset(): void {
    this.#usage = NOTHING;
  }
}
