import type { ModelPrice, Usage } from "@alisio/sdk";
import { responseCostUsd } from "../provider/model_price.ts";
import type { SessionStore } from "../session/session_store.ts";

/** Most that the responses of a day may cost. */
export interface CostLimit {
  /** US cents; 0 permits no request at all. */
  readonly maxCentsPerDay: number;
  /** The key of the configuration that sets it. */
  readonly key: string;
}

/** What a meter counts with. */
export interface CostMeterOptions {
  /** Keeps the sum of each day, for all sessions of the database. */
  readonly store: Pick<SessionStore, "pluginState" | "setPluginState" | "transaction">;
  /** The price of the model; without one nothing is counted. */
  readonly price?: ModelPrice | undefined;
  /** Absent where nothing limits the costs. */
  readonly limit?: CostLimit | undefined;
  /**
   * The time, whose day in the local calendar counts.
   *
   * @default Date.now
   */
  readonly now?: () => number;
}

const STATE_OWNER = "core:cost";

/** Most models pack more into a token, so an estimate is rather too high. */
const CHARS_PER_TOKEN = 3;

/**
 * Counts what the responses of a model cost, over all sessions and processes that use one database.
 * Sums are kept by day apart from sessions, so deleting one gives nothing back.
 */
export class CostMeter {
  readonly #options: CostMeterOptions;

  /**
   * Starts with what was counted before.
   *
   * @param options What it counts with.
   */
  constructor(options: CostMeterOptions) {
    this.#options = options;
  }

  /** Whether anything is counted. */
  get isCounting(): boolean {
    return this.#options.price !== undefined;
  }

  /**
   * Counts one response whose server does not count its tokens: a limit must hold for it too.
   *
   * @param chars Characters of the request and of what came back.
   * @throws {AlisioError} With a `database_*` code.
   */
  countEstimate(chars: { readonly request: number; readonly response: number }): void {
    this.count({
      input: Math.ceil(chars.request / CHARS_PER_TOKEN),
      output: Math.ceil(chars.response / CHARS_PER_TOKEN),
    });
  }

  /**
   * Counts one response.
   *
   * @param usage Its tokens.
   * @throws {AlisioError} With a `database_*` code.
   */
  count(usage: Usage): void {
    const { store, price } = this.#options;
    if (price === undefined) return;
    const costUsd = responseCostUsd(price, usage);
    if (costUsd === 0) return;
    store.transaction(() => {
      store.setPluginState(STATE_OWNER, this.#today(), this.spentUsd() + costUsd);
    });
  }

  /** What the day has cost so far, in US dollars. */
  spentUsd(): number {
    const spent = this.#options.store.pluginState(STATE_OWNER, this.#today());
    return typeof spent === "number" && spent > 0 ? spent : 0;
  }

  /** Why nothing may be sent, for the person; `null` where something may. */
  refusal(): string | null {
    const { limit } = this.#options;
    if (limit === undefined) return null;
    const { maxCentsPerDay, key } = limit;
    if (maxCentsPerDay === 0) return `"${key}" is 0, so no request is sent to a model: raise it`;
    const spentCents = this.spentUsd() * 100;
    if (spentCents < maxCentsPerDay) return null;
    return `The limit of costs for a day is reached, so nothing more is sent to the model: ` +
      `${spentCents.toFixed(1)} cents are spent today, "${key}" is ${maxCentsPerDay}: go on ` +
      "tomorrow, or raise it";
  }

  /** The day in the local calendar, for example `2026-03-09`. */
  #today(): string {
    const date = new Date((this.#options.now ?? Date.now)());
    const parts = [date.getMonth() + 1, date.getDate()].map((part) => `${part}`.padStart(2, "0"));
    return [date.getFullYear(), ...parts].join("-");
  }
}
