import { ollamaProvider } from "../../examples/plugins/custom-provider/ollama_native.ts";
import { type ContractTurn, providerContractTests } from "../contracts/model_provider_contract.ts";
import { jsonReply, startStubServer, type StubReply } from "../support/stub_server.ts";
import { streamReply } from "../support/stub_replies.ts";

providerContractTests("The provider of examples/plugins/custom-provider", async (turn) => {
  const server = await startStubServer(() => reply(turn));
  return {
    provider: ollamaProvider(new URL(server.baseUrl).origin),
    [Symbol.asyncDispose]: () => server.close(),
  };
}, { countsCached: false });

const FAILURES: Readonly<Record<string, readonly [status: number, error: string]>> = {
  authentication: [401, "unauthorized"],
  overloaded: [503, "server busy, please try again"],
  context_overflow: [400, "the input length exceeds the context length"],
};

function reply(turn: ContractTurn): StubReply {
  switch (turn.type) {
    case "silence":
      return { framing: "raw", steps: [{ do: "hang" }] };
    case "error": {
      const [status, error] = FAILURES[turn.code] ?? [500, "It failed"];
      return turn.text === undefined
        ? jsonReply({ error }, status)
        : streamReply([line({ message: { content: turn.text } }), line({ error })]);
    }
    case "answer": {
      const { text, reasoning, calls = [], usage } = turn;
      return streamReply([
        ...reasoning === undefined ? [] : [line({ message: { thinking: reasoning } })],
        line({ message: { content: text } }),
        line({
          message: {
            tool_calls: calls.map(({ id, name, arguments: args }) => ({
              id,
              function: { name, arguments: args },
            })),
          },
        }),
        line({
          done: true,
          ...(usage === undefined ? {} : {
            prompt_eval_count: usage.input,
            eval_count: usage.output,
          }),
        }),
      ]);
    }
  }
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
