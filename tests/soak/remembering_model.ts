import type { ModelEvent, ModelInfo, ModelMessage, ModelProvider, ModelRequest } from "@alisio/sdk";

/** What a long session showed of itself. */
export interface SoakFigures {
  /** Requests for an answer, summaries apart. */
  requests: number;
  /** Requests for a summary. */
  summaries: number;
  /** Most tokens that a request had, counted as the model counts them. */
  mostTokens: number;
  /** What a strict server would have refused. */
  readonly violations: string[];
}

/** How a planted fact looks. */
export const FACT_REGEXP = /FACT-\d+=[a-z0-9]+;/g;

const CHARS_PER_TOKEN = 4;

/** Each prompt is worked on in so many responses, the answer included. */
export const RESPONSES_PER_PROMPT = 10;

/**
 * A model that works through prompts by calling a tool, and whose summaries hold exactly the facts
 * that it is shown. It counts like a strict server: no request above its window, every call with its
 * result.
 */
export class RememberingModel implements ModelProvider {
  readonly id = "remembering";
  readonly figures: SoakFigures = { requests: 0, summaries: 0, mostTokens: 0, violations: [] };
  readonly #windowTokens: number;
  #calls = 0;

  /** @param windowTokens What it can hold. */
  constructor(windowTokens: number) {
    this.#windowTokens = windowTokens;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    await Promise.resolve();
    const text = JSON.stringify([request.system, request.tools, request.messages]);
    const input = Math.ceil(text.length / CHARS_PER_TOKEN);
    this.#check(request.messages, input);
    const message = request.tools.length === 0
      ? this.#summary(text)
      : this.#response(request.messages);
    const output = Math.ceil(JSON.stringify(message).length / CHARS_PER_TOKEN);
    yield { type: "completed", message, usage: { input, output } };
  }

  listModels(): Promise<readonly ModelInfo[]> {
    return Promise.resolve([{ id: "remembering", contextWindow: this.#windowTokens }]);
  }

  #summary(text: string): Extract<ModelMessage, { role: "assistant" }> {
    this.figures.summaries++;
    const discoveries = [...new Set(text.match(FACT_REGEXP))];
    const checkpoint = { goal: "Remember every fact", discoveries };
    return { role: "assistant", text: JSON.stringify(checkpoint), calls: [] };
  }

  #response(messages: readonly ModelMessage[]): Extract<ModelMessage, { role: "assistant" }> {
    this.figures.requests++;
    const prompt = messages.findLastIndex(({ role }) => role === "user");
    const done = this.figures.requests % RESPONSES_PER_PROMPT === 0;
    if (done) return { role: "assistant", text: `Done after ${prompt} messages`, calls: [] };
    const id = `call-${this.#calls++}`;
    const args = JSON.stringify({ page: this.#calls });
    return { role: "assistant", text: "Next page", calls: [{ id, name: "page", arguments: args }] };
  }

  #check(messages: readonly ModelMessage[], tokens: number): void {
    const { figures } = this;
    figures.mostTokens = Math.max(figures.mostTokens, tokens);
    if (tokens > this.#windowTokens) figures.violations.push(`${tokens} tokens in a request`);
    const open = new Set<string>();
    for (const message of messages) {
      if (message.role === "assistant") message.calls.forEach(({ id }) => open.add(id));
      else if (message.role === "tool" && !open.delete(message.callId)) {
        figures.violations.push(`a result without its call ${message.callId}`);
      }
    }
    for (const id of open) figures.violations.push(`a call without its result ${id}`);
  }
}
