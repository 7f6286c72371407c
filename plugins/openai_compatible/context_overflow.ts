import type { ServerErrorBody } from "./server_error_body.ts";

/** What is too large, and what would fit. */
export interface ContextOverflow {
  /** `input` can be mended by a shorter history, `output` only by a lower output limit. */
  readonly part: "input" | "output";
  /** Tokens. */
  readonly limit?: number;
}

/**
 * Recognises that a request did not fit into the model's context.
 *
 * A wrong yes would make the host compact a history for nothing, so only codes made for it and
 * sentences about a context, a prompt or tokens count; the words "limit" and "length" alone do not.
 *
 * @param body What the server said.
 */
export function parseContextOverflow(body: ServerErrorBody): ContextOverflow | undefined {
  const text = body.message.replaceAll(/(\d)[,_](?=\d{3}\b)/g, "$1");
  const isKnownCode = OVERFLOW_CODES_REGEXP.test(body.codes);
  if (!isKnownCode) {
    if (OTHER_CAUSES_REGEXP.test(text)) return undefined;
    if (!OVERFLOW_REGEXPS.some((pattern) => pattern.test(text))) return undefined;
  }
  const limit = body.contextLimit ?? findNumber(text, LIMIT_REGEXPS);
  const output = findNumber(text, OUTPUT_REGEXPS);
  const isOutput = limit !== undefined && output !== undefined && output >= limit;
  return { part: isOutput ? "output" : "input", ...(limit === undefined ? {} : { limit }) };
}

const OVERFLOW_CODES_REGEXP =
  /context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_max_prompt_tokens_exceeded/;

/** Failures to load a model, and pictures, are told in the same words. */
const OTHER_CAUSES_REGEXP =
  /(?:fail|error|unable|cannot|could not)[^.]{0,30}\bload|\bload\w* (?:the )?model[^.]{0,30}(?:fail|error)|out of memory|available memory|image (?:size|dimension|resolution|width|height)|pixels?\b|megabytes?\b/i;

const OVERFLOW_REGEXPS: readonly RegExp[] = [
  // OpenAI, vLLM, SGLang, DeepSeek, OpenRouter, xAI.
  /maximum (?:context|model|prompt) length (?:is|of) \d+/i,
  /exceed\w* (?:the |this )?(?:model'?s? )?(?:maximum |max |available |allowed )*context (?:length|size|window|limit)/i,
  /longer than the (?:model'?s? )?(?:maximum |max )?(?:model|context) length/i,
  /too long to fit into the model/i,
  // llama.cpp and its bindings, Ollama, LM Studio.
  /context size has been exceeded/i,
  /exceeds? (?:the )?(?:available )?context (?:size|window|length)/i,
  /exceeded max(?:imum)? context length/i,
  /loaded with context length of only \d+/i,
  /tokens to keep .{0,60}greater than the context length/i,
  /reached context length of \d+/i,
  // Gateways to other vendors.
  /prompt is too long: \d+ tokens/i,
  /prompt too long/i,
  /exceed context limit/i,
  /input token count .{0,40}exceeds? the maximum/i,
  /(?:prompt|input) (?:token )?(?:count|length) of \d+ exceeds? the limit/i,
  /too large for model with \d+ maximum context length/i,
  /exceeded model token limit/i,
  /input is too long for (?:the )?requested model/i,
  /prompt exceeds max(?:imum)? length/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /`inputs` tokens \+ `max_new_tokens` must be <= \d+/i,
  /request too large .{0,120}tokens per minute/i,
];

const LIMIT_REGEXPS: readonly RegExp[] = [
  /maximum (?:context|model|prompt) length (?:is|of) (\d+)/i,
  /context (?:size|length|window|limit) (?:of |is )?(?:only )?\(?(\d+)/i,
  /available context size \((\d+)/i,
  /exceed context limit: .{0,60}> (\d+)/i,
  /tokens > (\d+) maximum/i,
  /model with (\d+) maximum context length/i,
  /maximum number of tokens allowed \(?(\d+)/i,
  /exceeds? the limit of (\d+)/i,
  /token limit: (\d+)/i,
  /must be <= (\d+)/i,
  /while limit is (\d+)/i,
  /Limit (\d+), Requested/i,
];

const OUTPUT_REGEXPS: readonly RegExp[] = [
  /(\d+) (?:in|for) the completion/i,
  /(?:max_tokens|max_completion_tokens)'? is too large: (\d+)/i,
  /requested (\d+) output tokens/i,
  /and (\d+) `max_new_tokens`/i,
];

function findNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const digits = pattern.exec(text)?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return undefined;
}
