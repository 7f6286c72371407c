/** Asks a model that sends small pieces nearly without end, and prints what is kept of them. */
import { type ModelProvider, ProviderError } from "@alisio/sdk";
import { requestModel } from "../../../core/run/model_request.ts";

const PIECES = 600_000;

const provider: ModelProvider = {
  id: "flood",
  async *stream() {
    for (let index = 0; index < PIECES; index++) {
      yield { type: "reasoning_delta", delta: `r${index % 10} ` };
      yield { type: "text_delta", delta: `t${index % 10} ` };
    }
    throw new ProviderError("the connection broke", {
      code: "stream_interrupted",
      retryable: true,
    });
  },
};
const outcome = await requestModel({
  provider,
  signal: new AbortController().signal,
  firstTokenTimeoutMs: 1_000,
  firstTokenRetries: 0,
  remainingMs: () => 60_000,
  emit: () => {},
  retryBaseMs: 1,
  maxPartialChars: 400_000,
}, { model: "m", system: "", messages: [], tools: [], maxOutputTokens: 1 });
const kept = outcome.kind === "interrupted" ? outcome.text.length : 0;
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ kind: outcome.kind, kept })));
