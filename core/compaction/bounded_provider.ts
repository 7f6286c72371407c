import type { ModelEvent, ModelProvider, ModelRequest } from "@alisio/sdk";

/** No text has more characters for each of its tokens. */
export const MAX_CHARS_PER_TOKEN = 8;

/**
 * A provider whose answers end at the output limit of their request, whatever the server makes of
 * it: one that ignores the limit, or repeats itself without end, is cut as if it had kept to it.
 *
 * @param provider The provider behind it.
 */
export function boundedProvider(provider: ModelProvider): ModelProvider {
  return {
    id: provider.id,
    stream: (request) => boundedStream(provider.stream(request), request),
  };
}

async function* boundedStream(
  events: AsyncIterable<ModelEvent>,
  { maxOutputTokens }: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const said: string[] = [];
  let left = maxOutputTokens * MAX_CHARS_PER_TOKEN;
  for await (const event of events) {
    yield event;
    if (event.type === "text_delta") said.push(event.delta);
    left -= charsOf(event);
    if (left > 0 || event.type === "completed") continue;
    const message = { role: "assistant", text: said.join(""), calls: [] } as const;
    yield { type: "completed", message, truncated: true };
    return;
  }
}

/** A part of a call has no text here; it is a token at least. */
function charsOf(event: ModelEvent): number {
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      return event.delta.length;
    case "tool_delta":
      return MAX_CHARS_PER_TOKEN;
    default:
      return 0;
  }
}
