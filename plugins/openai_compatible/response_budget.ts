import { type ExchangeContext, tooLargeFailure } from "./failures.ts";
import type { ResponseLimits } from "./limits.ts";

/** Counts what one response holds and ends it where it passes a bound. */
export class ResponseBudget {
  readonly #context: ExchangeContext;
  readonly #limits: ResponseLimits;
  #textChars = 0;
  #argumentsChars = 0;

  /**
   * Starts at zero.
   *
   * @param context Names the exchange in messages.
   * @param limits The bounds.
   */
  constructor(context: ExchangeContext, limits: ResponseLimits) {
    this.#context = context;
    this.#limits = limits;
  }

  /**
   * Counts text or reasoning.
   *
   * @param chars How much more there is.
   * @throws {ProviderError} If it is too much.
   */
  addText(chars: number): void {
    this.#textChars += chars;
    this.#assert(this.#textChars, this.#limits.maxTextChars, "characters of text");
  }

  /**
   * Counts arguments, names and ids of calls.
   *
   * @param chars How much more there is.
   * @throws {ProviderError} If it is too much.
   */
  addArguments(chars: number): void {
    this.#argumentsChars += chars;
    this.#assert(
      this.#argumentsChars,
      this.#limits.maxArgumentsChars,
      "characters of tool arguments",
    );
  }

  /**
   * Checks the number of calls.
   *
   * @param count How many there are.
   * @throws {ProviderError} If they are too many.
   */
  assertCalls(count: number): void {
    this.#assert(count, this.#limits.maxCalls, "tool calls");
  }

  /**
   * Checks the number of parts.
   *
   * @param count How many there are.
   * @throws {ProviderError} If they are too many.
   */
  assertItems(count: number): void {
    this.#assert(count, this.#limits.maxItems, "parts");
  }

  #assert(amount: number, limit: number, what: string): void {
    if (amount > limit) throw tooLargeFailure(this.#context, `it holds more than ${limit} ${what}`);
  }
}
