import { parseScript } from "../../../plugins/scripted/script.ts";
import { ScriptedProvider } from "../../../plugins/scripted/scripted_provider.ts";
import {
  type ContractSubject,
  type ContractTurn,
  providerContractTests,
} from "../../contracts/model_provider_contract.ts";

providerContractTests("ScriptedProvider", (turn) => Promise.resolve(makeSubject(turn)));

function makeSubject(turn: ContractTurn): ContractSubject {
  const script = JSON.stringify({ turns: [toScripted(turn)], loop: true });
  const provider = new ScriptedProvider(parseScript(script), "contract.json");
  return { provider, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function toScripted(turn: ContractTurn): Record<string, unknown> {
  switch (turn.type) {
    case "answer": {
      const { type: _, ...answer } = turn;
      return answer;
    }
    case "error": {
      const { code, text } = turn;
      const error = { code, message: "It failed" };
      return text === undefined ? { error } : { error, text };
    }
    case "silence":
      return { text: "too late", delayMs: 60_000 };
  }
}
