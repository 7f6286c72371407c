import assert from "node:assert/strict";
import { strictChat, strictResponses } from "./strict_chat.ts";

const call = (id: string, args: unknown = "{}") => ({
  id,
  type: "function",
  function: { name: "read_file", arguments: args },
});
const user = { role: "user", content: "Hi" };
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });

const CHAT_ROWS: readonly (readonly [string, readonly unknown[], string | undefined])[] = [
  [
    "a whole conversation",
    [
      { role: "system", content: "s" },
      user,
      {
        role: "assistant",
        content: null,
        tool_calls: [call("a"), call("b")],
      },
      result("b"),
      result("a"),
      { role: "assistant", content: "Done" },
      user,
    ],
    undefined,
  ],
  ["a second system message", [{ role: "system", content: "s" }, {
    role: "system",
    content: "s",
  }], "a system message is not the first message"],
  ["adjacent user messages", [user, user], "two user messages follow each other"],
  [
    "an empty assistant message",
    [user, { role: "assistant", content: "" }, user],
    "assistant: the message is empty",
  ],
  [
    "adjacent assistant messages",
    [user, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }],
    "two assistant messages follow each other",
  ],
  [
    "a call without a result",
    [user, { role: "assistant", tool_calls: [call("a")] }, user],
    "a call has no result",
  ],
  ["a result without a call", [user, result("a")], "result: no open call has the id a"],
  [
    "an id that comes back",
    [
      user,
      { role: "assistant", tool_calls: [call("a")] },
      result("a"),
      { role: "assistant", tool_calls: [call("a")] },
      result("a"),
    ],
    "call: the id a is used twice",
  ],
  [
    "arguments that are an object",
    [user, { role: "assistant", tool_calls: [call("a", {})] }, result("a")],
    "call: arguments are not a string",
  ],
  [
    "arguments that hold a list",
    [user, { role: "assistant", tool_calls: [call("a", "[]")] }, result("a")],
    "call: arguments hold no object",
  ],
  [
    "empty arguments",
    [user, { role: "assistant", tool_calls: [call("a", "")] }, result("a")],
    "call: arguments hold no object",
  ],
];

for (const [name, messages, expected] of CHAT_ROWS) {
  Deno.test(`strictChat() answers ${expected ?? "nothing"} to ${name}`, () => {
    assert.equal(strictChat({ model: "m", messages }), expected);
  });
}

const item = (id: string) => ({
  type: "function_call",
  call_id: id,
  name: "read_file",
  arguments: "{}",
});
const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });
const reasoning = { type: "reasoning", summary: [], encrypted_content: "x" };

const RESPONSES_ROWS: readonly (readonly [string, readonly unknown[], string | undefined])[] = [
  [
    "a whole conversation",
    [user, reasoning, { role: "assistant", content: "a" }, item("a"), output("a"), user],
    undefined,
  ],
  [
    "reasoning without its item",
    [user, reasoning],
    "reasoning: the item that it belongs to is missing",
  ],
  ["adjacent user messages", [user, user], "two user messages follow each other"],
  ["a call without a result", [user, item("a"), user], "a call has no result"],
  [
    "an id that comes back",
    [user, item("a"), output("a"), item("a")],
    "call: the id a is used twice",
  ],
];

for (const [name, input, expected] of RESPONSES_ROWS) {
  Deno.test(`strictResponses() answers ${expected ?? "nothing"} to ${name}`, () => {
    assert.equal(strictResponses({ model: "m", store: false, input }), expected);
  });
}
