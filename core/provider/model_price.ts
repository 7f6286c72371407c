import type { ModelPrice, Usage } from "@alisio/sdk";

/** What is known of the price of a model. */
export interface PriceFacts {
  /** What the model is called, the most exact name first: `profile/model`, then its id. */
  readonly names: readonly string[];
  /** `provider.prices` of the person's own file. */
  readonly configured: Readonly<Record<string, ModelPrice>>;
  /** What the server's catalog states. */
  readonly catalog: ModelPrice | undefined;
}

/** No tokens cost more; a larger number is none that can be counted with. */
const MAX_PER_MILLION = 1_000_000;

/**
 * Decides what the tokens of a model cost: what the person wrote for it, or for every other model,
 * else what the server states. Pure.
 *
 * @param facts What the sources say.
 * @returns The price, or `undefined` if nobody states one.
 */
export function resolvePrice({ names, configured, catalog }: PriceFacts): ModelPrice | undefined {
  for (const name of [...names, "*"]) {
    if (Object.hasOwn(configured, name)) return configured[name];
  }
  return catalog !== undefined && isPrice(catalog) ? catalog : undefined;
}

/**
 * What a response costs, in US dollars. Pure.
 *
 * @param price The price of the model.
 * @param usage Tokens of the request and the response.
 */
export function responseCostUsd(price: ModelPrice, usage: Usage): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = price;
  // A provider may be anyone's code: more from the cache than there was costs nothing less.
  const cached = Math.min(usage.cachedInput ?? 0, usage.input);
  return ((usage.input - cached) * inputPerMillion + cached * cachedInputPerMillion +
    usage.output * outputPerMillion) / 1_000_000;
}

/** A provider may be anyone's code, and a catalog that is remembered may be of an older version. */
function isPrice(price: Partial<ModelPrice>): boolean {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = 0 } = price;
  return [inputPerMillion, outputPerMillion, cachedInputPerMillion].every((value) =>
    typeof value === "number" && value >= 0 && value <= MAX_PER_MILLION
  );
}
