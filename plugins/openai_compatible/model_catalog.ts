import type { ModelInfo, ModelPrice } from "@alisio/sdk";
import { toCount, toList, toRecord } from "./wire_values.ts";

/** More than any catalog holds. */
const MAX_MODELS = 20_000;

/**
 * Reads the models of a catalog. Servers agree on little more than the ids, so every field that
 * some server is known to use is looked for.
 *
 * @param value The document of `GET /models`.
 * @returns The models, each id once, or `undefined` where the document is no catalog.
 */
export function parseModelCatalog(value: unknown): readonly ModelInfo[] | undefined {
  const record = toRecord(value);
  const entries = [value, record?.data, record?.models].find((list) => Array.isArray(list));
  if (entries === undefined) return undefined;
  const models = new Map<string, ModelInfo>();
  for (const entry of toList(entries).slice(0, MAX_MODELS)) {
    const model = toModelInfo(typeof entry === "string" ? { id: entry } : toRecord(entry) ?? {});
    if (model !== undefined && !models.has(model.id)) models.set(model.id, model);
  }
  return [...models.values()];
}

type Entry = Record<string, unknown>;

function toModelInfo(entry: Entry): ModelInfo | undefined {
  const id = firstText([entry.id, entry.slug, entry.key, entry.model, entry.name]);
  if (id === undefined) return undefined;
  const name = firstText([entry.display_name, entry.displayName, entry.name]);
  const contextWindow = findContextWindow(entry);
  const maxOutputTokens = findMaxOutputTokens(entry);
  const inputModalities = findInputModalities(entry);
  const effort = findEffort(entry);
  const price = findPrice(entry);
  return {
    id,
    ...(name === undefined || name === id ? {} : { name }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(inputModalities === undefined ? {} : { inputModalities }),
    ...(effort === undefined ? {} : { effort }),
    ...(price === undefined ? {} : { price }),
  };
}

/** What the server has loaded comes before what the model could do. */
function findContextWindow(entry: Entry): number | undefined {
  const meta = toRecord(entry.meta);
  const top = toRecord(entry.top_provider);
  return firstCount([
    entry.loaded_context_length,
    meta?.n_ctx,
    entry.n_ctx,
    top?.context_length,
    entry.context_window,
    entry.context_length,
    entry.max_model_len,
    toRecord(entry.limit)?.context,
    toRecord(entry.limits)?.max_context_window_tokens,
    entry.max_context_length,
    entry.max_input_tokens,
    entry.inputTokenLimit,
    meta?.n_ctx_train,
  ]);
}

function findMaxOutputTokens(entry: Entry): number | undefined {
  const top = toRecord(entry.top_provider);
  return firstCount([
    top?.max_output_tokens,
    top?.max_completion_tokens,
    entry.max_output_tokens,
    entry.max_completion_tokens,
    toRecord(entry.limit)?.output,
    toRecord(entry.limits)?.max_output_tokens,
    entry.outputTokenLimit,
  ]);
}

function findInputModalities(entry: Entry): readonly string[] | undefined {
  const architecture = toRecord(entry.architecture);
  const lists = [
    entry.input_modalities,
    architecture?.input_modalities,
    toRecord(entry.modalities)?.input,
  ];
  const listed = lists.map(toTexts).find((list) => list.length > 0);
  if (listed !== undefined) return listed;
  const hasVision = toRecord(entry.capabilities)?.vision === true ||
    toList(entry.capabilities).includes("vision") || entry.type === "vlm";
  return hasVision ? ["text", "image"] : undefined;
}

function findEffort(entry: Entry): ModelInfo["effort"] {
  const effort = toRecord(entry.effort);
  const lists = [
    entry.supported_reasoning_levels,
    entry.supported_reasoning_efforts,
    effort?.supportedLevels,
    effort?.supported_levels,
  ];
  const supportedLevels = lists.map(toTexts).find((list) => list.length > 0);
  if (supportedLevels === undefined) {
    const { reasoning } = toRecord(entry.capabilities) ?? {};
    const denials = [entry.effort, entry.reasoning, entry.supports_reasoning, reasoning];
    return denials.includes(false) ? { supportedLevels: [] } : undefined;
  }
  const defaultLevel = firstText([
    entry.default_reasoning_level,
    entry.default_reasoning_effort,
    effort?.defaultLevel,
    effort?.default_level,
  ]);
  return { supportedLevels, ...(defaultLevel === undefined ? {} : { defaultLevel }) };
}

/** Of one token, in US dollars, mostly as decimal text. */
function findPrice(entry: Entry): ModelPrice | undefined {
  const pricing = toRecord(entry.pricing);
  const input = toPricePerMillion(pricing?.prompt);
  const output = toPricePerMillion(pricing?.completion);
  // Half a price would let the other half cost nothing.
  if (input === undefined || output === undefined) return undefined;
  const cached = toPricePerMillion(pricing?.input_cache_read);
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(cached === undefined ? {} : { cachedInputPerMillion: cached }),
  };
}

const DECIMAL_REGEXP = /^\d{1,9}(?:\.\d{1,30})?(?:[eE]-?\d{1,2})?$/;

/** No token costs more than a dollar. */
const MAX_PRICE_PER_TOKEN = 1;

/** A price below zero means that it varies, so it is none. */
function toPricePerMillion(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !DECIMAL_REGEXP.test(text)) return undefined;
  const price = Number(text);
  // Rounded, because decimals have no exact place in a number.
  return price <= MAX_PRICE_PER_TOKEN ? Math.round(price * 1e12) / 1e6 : undefined;
}

/** Levels stand as plain words or as objects that name one. */
function toTexts(value: unknown): readonly string[] {
  return toList(value)
    .map((entry) => firstText([entry, toRecord(entry)?.effort, toRecord(entry)?.level]))
    .filter((text) => text !== undefined);
}

function firstText(values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

function firstCount(values: readonly unknown[]): number | undefined {
  return values.map(toCount).find((count) => count !== undefined);
}
