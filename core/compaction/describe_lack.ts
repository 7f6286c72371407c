import type { ContextMeter, ContextSize } from "../run/context_meter.ts";

/** Where instructions and tools leave less, no conversation has room. */
export const MIN_TRANSCRIPT_CHARS = 400;

/**
 * Says why a request cannot be sent: what is too long, by how much, and what to do.
 *
 * @param meter Knows the bounds.
 * @param size The request.
 * @param did What compaction did about it.
 */
export function describeLack(meter: ContextMeter, size: ContextSize, did: string): string {
  const { usedTokens, totalTokens } = meter.usage(size);
  const { maxContextChars } = meter.bounds;
  const isByWindow = meter.limitTokens !== null && usedTokens > meter.limitTokens;
  const limit = isByWindow
    ? `the model can hold ${totalTokens} tokens`
    : `"limits.maxContextChars" is ${maxContextChars}`;
  if (meter.transcriptChars(size) < MIN_TRANSCRIPT_CHARS) {
    return `Context budget exceeded: the instructions (${size.system} characters) and tools ` +
      `(${size.tools} characters) take about ${usedTokens} tokens with the conversation, and ` +
      `${limit}: disable MCP servers or plugins, shorten instruction files, ` +
      "choose a model with a larger window" +
      (isByWindow ? ', or set "provider.contextWindow" if it is larger than that' : "");
  }
  return `Context budget exceeded: the conversation holds about ${size.transcript} characters ` +
    `beside ${size.system} of instructions, about ${usedTokens} tokens, and ${limit}; ${did}: use ` +
    "/compact, trim outputs, start a new session, or disable MCP servers";
}
