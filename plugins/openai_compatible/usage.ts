import type { Usage } from "@alisio/sdk";
import { toRecord } from "./wire_values.ts";

/**
 * Reads the tokens that a response reports, in the words of either protocol.
 *
 * @param value The `usage` field.
 * @returns The usage, or `undefined` where nothing usable is reported.
 */
export function parseUsage(value: unknown): Usage | undefined {
  const usage = toRecord(value);
  if (usage === undefined) return undefined;
  const output = toTokens(usage.completion_tokens ?? usage.output_tokens);
  const total = toTokens(usage.total_tokens);
  const input = toTokens(usage.prompt_tokens ?? usage.input_tokens) ??
    (total === undefined ? undefined : Math.max(0, total - (output ?? 0)));
  if (input === undefined) return undefined;
  const details = toRecord(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const cached = toTokens(
    details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
  );
  return {
    input,
    output: output ?? 0,
    // A part of the input by definition, whatever a server counts.
    ...(cached === undefined ? {} : { cachedInput: Math.min(cached, input) }),
  };
}

/** No request holds more; a larger number is none that can be counted with. */
const MAX_TOKENS = 1e12;

function toTokens(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= MAX_TOKENS
    ? Math.round(value)
    : undefined;
}
