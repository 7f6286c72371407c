/** Feeds a reader small pieces without end and prints what stops it. */
import type { ExchangeContext } from "../../../plugins/openai_compatible/failures.ts";
import { ChatTurnReader } from "../../../plugins/openai_compatible/chat_turn_reader.ts";
import { RESPONSE_LIMITS } from "../../../plugins/openai_compatible/limits.ts";
import { ResponseBudget } from "../../../plugins/openai_compatible/response_budget.ts";
import { ResponsesTurnReader } from "../../../plugins/openai_compatible/responses_turn_reader.ts";
import type { TurnReader } from "../../../plugins/openai_compatible/turn_reader.ts";

const [mode = "", field = ""] = Deno.args;

/** Of each field a server may fill: what one event of the flood holds. */
const FLOODS: Readonly<Record<string, (index: number) => object>> = {
  "chat text": (index) => delta({ content: word(index) }),
  "chat reasoning": (index) => delta({ reasoning_content: word(index) }),
  "chat arguments": (index) => call({ arguments: index === 0 ? '{"path":"' : word(index) }),
  "chat name": (index) => call({ name: word(index) }),
  "responses text": (index) => item("response.output_text.delta", { delta: word(index) }),
  "responses reasoning": (index) => item("response.reasoning_text.delta", { delta: word(index) }),
  "responses arguments": (index) =>
    item("response.function_call_arguments.delta", { delta: word(index) }),
  "responses opaque": (index) =>
    item("response.output_item.done", {
      output_index: index,
      item: { type: "reasoning", encrypted_content: word(index).repeat(10_000) },
    }),
  "responses items": (index) =>
    item("response.output_item.added", { output_index: index, item: { type: "message" } }),
};

const context: ExchangeContext = {
  address: "http://127.0.0.1/v1",
  baseUrl: "http://127.0.0.1",
  apiMode: mode === "chat" ? "chat" : "responses",
  model: "m",
  hasKey: false,
  quote: (text) => text,
};
const budget = new ResponseBudget(context, RESPONSE_LIMITS);
const reader: TurnReader = mode === "chat"
  ? new ChatTurnReader({ context, budget, isKnownTool: () => false })
  : new ResponsesTurnReader({ context, budget });
const flood = FLOODS[`${mode} ${field}`];
if (flood === undefined) throw new TypeError(`No flood is named "${mode} ${field}"`);
try {
  for (let index = 0;; index++) reader.take("", flood(index));
} catch (error) {
  // What was kept so far is put together, as for an answer that ends.
  const { text, reasoning = "", calls } = reader.result();
  const chars = [text, reasoning, ...calls.flatMap((one) => [one.name, one.arguments])].join("");
  const line = JSON.stringify({ error: String(error), chars: chars.length });
  Deno.stdout.writeSync(new TextEncoder().encode(line));
}

function word(index: number): string {
  return `w${index % 1_000} `;
}

function delta(value: object): object {
  return { choices: [{ index: 0, delta: value }] };
}

function call(fn: object): object {
  return delta({ tool_calls: [{ index: 0, id: "a", function: fn }] });
}

function item(type: string, value: object): object {
  return { type, output_index: 0, ...value };
}
