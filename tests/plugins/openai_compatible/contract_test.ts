import type { ProviderErrorCode } from "@alisio/sdk";
import type { ApiMode } from "../../../plugins/openai_compatible/profile.ts";
import { createOpenAiProvider } from "../../../plugins/openai_compatible/openai_provider.ts";
import {
  type ContractSubject,
  type ContractTurn,
  providerContractTests,
} from "../../contracts/model_provider_contract.ts";
import {
  chatChunk,
  chatReply,
  responsesReply,
  sse,
  streamReply,
  type StubAnswer,
} from "../../support/stub_replies.ts";
import { jsonReply, startStubServer, type StubReply } from "../../support/stub_server.ts";

for (const apiMode of ["chat", "responses"] as const) {
  providerContractTests(
    `OpenAiProvider in ${apiMode} mode`,
    (turn) => makeSubject(apiMode, turn),
  );
}

async function makeSubject(apiMode: ApiMode, turn: ContractTurn): Promise<ContractSubject> {
  const server = await startStubServer(() => toReply(apiMode, turn));
  const provider = await createOpenAiProvider({
    profile: { baseURL: server.baseUrl, apiMode },
    credentials: { apiKey: "key-123456" },
    userAgent: "alisio/test",
  });
  return { provider, [Symbol.asyncDispose]: () => server.close() };
}

const ERRORS: Partial<Record<ProviderErrorCode, readonly [number, string]>> = {
  authentication: [401, "invalid_api_key"],
  context_overflow: [400, "context_length_exceeded"],
  overloaded: [503, "overloaded_error"],
};

function toReply(apiMode: ApiMode, turn: ContractTurn): StubReply {
  switch (turn.type) {
    case "silence":
      return { framing: "raw", steps: [{ do: "hang" }] };
    case "error": {
      const [status, code] = ERRORS[turn.code] ?? [500, "server_error"];
      const body = { error: { message: "It failed", code } };
      if (turn.text === undefined) return jsonReply(body, status);
      const text = apiMode === "chat"
        ? chatChunk({ content: turn.text })
        : sse({ type: "response.output_text.delta", output_index: 0, delta: turn.text });
      return streamReply([text, sse(body)]);
    }
    case "answer":
      return apiMode === "chat" ? chatReply(toAnswer(turn)) : responsesReply(toAnswer(turn));
  }
}

function toAnswer({ usage, ...turn }: Extract<ContractTurn, { type: "answer" }>): StubAnswer {
  if (usage === undefined) return turn;
  const { input, output, cachedInput } = usage;
  const cached = cachedInput === undefined ? {} : { cached: cachedInput };
  return { ...turn, usage: { input, output, ...cached } };
}
