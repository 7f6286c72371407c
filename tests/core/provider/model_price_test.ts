import { deepEqual, equal } from "node:assert/strict";
import type { ModelPrice, Usage } from "@alisio/sdk";
import { resolvePrice, responseCostUsd } from "../../../core/provider/model_price.ts";

const OWN: ModelPrice = { inputPerMillion: 1, outputPerMillion: 2 };
const OTHER: ModelPrice = { inputPerMillion: 3, outputPerMillion: 4 };
const CATALOG: ModelPrice = { inputPerMillion: 5, outputPerMillion: 6 };

Deno.test("resolvePrice() takes the price of the person before that of the server", () => {
  const rows: readonly (readonly [
    string,
    Readonly<Record<string, ModelPrice>>,
    unknown,
    ModelPrice | undefined,
  ])[] = [
    ["nobody", {}, undefined, undefined],
    ["the server", {}, CATALOG, CATALOG],
    ["the person", { m: OWN }, CATALOG, OWN],
    ["the person, for another model", { n: OWN }, CATALOG, CATALOG],
    ["the person, for every other model", { n: OWN, "*": OTHER }, CATALOG, OTHER],
    ["the person, for this and every other", { "*": OTHER, m: OWN }, undefined, OWN],
    ["the person, for the model of one saved profile", { m: OWN, "home/m": OTHER }, CATALOG, OTHER],
    ["the person, for that of another one", { m: OWN, "work/m": OTHER }, CATALOG, OWN],
    ["a server that pays", {}, { inputPerMillion: -1, outputPerMillion: 1 }, undefined],
    ["half a price", {}, { inputPerMillion: 1 }, undefined],
    ["no number", {}, { inputPerMillion: "1", outputPerMillion: 1 }, undefined],
    ["not a number", {}, { inputPerMillion: NaN, outputPerMillion: 1 }, undefined],
    ["an endless one", {}, { inputPerMillion: Infinity, outputPerMillion: 1 }, undefined],
    ["a cache that pays", {}, { ...CATALOG, cachedInputPerMillion: -1 }, undefined],
  ];
  for (const [name, configured, catalog, expected] of rows) {
    const facts = {
      names: ["home/m", "m"],
      configured,
      catalog: catalog as ModelPrice | undefined,
    };
    deepEqual(resolvePrice(facts), expected, name);
  }
  equal(resolvePrice({ names: ["toString"], configured: {}, catalog: undefined }), undefined);
});

Deno.test("responseCostUsd() counts what comes from the cache apart", () => {
  const cached: ModelPrice = { ...OWN, cachedInputPerMillion: 0.1 };
  const rows: readonly (readonly [ModelPrice, Usage, number])[] = [
    [OWN, { input: 0, output: 0 }, 0],
    [OWN, { input: 1_000_000, output: 0 }, 1],
    [OWN, { input: 0, output: 500_000 }, 1],
    [OWN, { input: 1_000_000, output: 1_000_000, cachedInput: 900_000 }, 3],
    [cached, { input: 1_000_000, output: 0, cachedInput: 1_000_000 }, 0.1],
    [cached, { input: 1_000_000, output: 0, cachedInput: 500_000 }, 0.55],
    // More than there was.
    [cached, { input: 1_000_000, output: 0, cachedInput: 9_000_000 }, 0.1],
  ];
  for (const [price, usage, expected] of rows) equal(responseCostUsd(price, usage), expected);
});
