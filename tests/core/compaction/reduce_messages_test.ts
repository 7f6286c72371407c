import assert from "node:assert/strict";
import { charsOf, CUT_MARK, reduceMessages } from "../../../core/compaction/reduce_messages.ts";
import type { StoredMessage } from "../../../core/session/stored_message.ts";
import { answer, checkpoint, prompt, randomConversation, result } from "./_conversation.ts";

const lengths = (messages: readonly StoredMessage[]) => messages.map(charsOf);
const total = (messages: readonly StoredMessage[]) =>
  lengths(messages).reduce((sum, each) => sum + each, 0);

Deno.test("reduceMessages() leaves what fits as it is", () => {
  const messages = [prompt("a".repeat(50)), answer("b".repeat(50))];
  const { messages: kept, changed } = reduceMessages(messages, 100);
  assert.equal(changed, 0);
  assert.ok(kept.every((message, index) => message === messages[index]));
});

Deno.test("reduceMessages() lowers the caps from round to round, the longest message first", () => {
  const messages = [
    prompt("p".repeat(20_000)),
    answer("t".repeat(18_000), "1", "2"),
    result("1", "r".repeat(9_000)),
    result("2", "r".repeat(10_000)),
    checkpoint("s".repeat(30_000)),
  ];
  const rows: readonly (readonly [number, readonly number[]])[] = [
    [84_000, [16_000, 18_010, 9_000, 10_000, 30_000]],
    [82_000, [16_000, 16_010, 9_000, 10_000, 30_000]],
    [80_000, [16_000, 16_010, 9_000, 8_000, 30_000]],
    [78_500, [16_000, 16_010, 8_000, 8_000, 30_000]],
    [60_000, [8_192, 8_202, 4_096, 8_000, 30_000]],
    [40_000, [2_048, 2_058, 2_048, 2_048, 30_000]],
    [1, [1_024, 1_034, 512, 512, 30_000]],
  ];
  for (const [target, expected] of rows) {
    const { messages: reduced, chars } = reduceMessages(messages, target);
    // Names and arguments of the two calls are 10 characters.
    const sizes = lengths(reduced).map((size, index) => index === 1 ? size - 2 : size);
    assert.deepEqual(sizes, expected, `${target}`);
    assert.equal(chars, total(reduced));
  }
});

Deno.test("reduceMessages() marks each place, and splits no character", () => {
  const [cut] = reduceMessages([prompt("😀".repeat(20_000))], 20_000).messages;
  assert.ok(cut?.role === "user" && cut.content[0]?.type === "text");
  const { text } = cut.content[0];
  assert.ok(text.endsWith(CUT_MARK) && text.isWellFormed());
  assert.ok(text.length <= 16_000 && text.length > 15_990);
});

Deno.test("reduceMessages() keeps ids, roles, order and parts that are no text", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const block = { type: "ui", block: { kind: "json", value: 1 } } as const;
  const messages: readonly StoredMessage[] = [
    { role: "user", content: [{ type: "text", text: "a".repeat(30_000) }, image], display: "/a" },
    { ...answer("b".repeat(30_000), "1"), reasoning: "why" } as StoredMessage,
    {
      role: "tool",
      callId: "1",
      name: "look",
      isError: true,
      content: [{ type: "text", text: "c".repeat(30_000) }, block, { type: "text", text: "d" }],
    },
  ];
  const { messages: [user, assistant, tool] } = reduceMessages(messages, 47_000);
  assert.ok(user?.role === "user" && assistant?.role === "assistant" && tool?.role === "tool");
  assert.deepEqual([user.display, user.content[1]], ["/a", image]);
  assert.deepEqual([assistant.calls[0]?.id, assistant.reasoning], ["1", "why"]);
  assert.deepEqual([tool.callId, tool.isError, tool.content[1]], ["1", true, block]);
});

Deno.test("reduceMessages() gives up arguments, provider data and images last", () => {
  const args = JSON.stringify({ path: "a", content: "x".repeat(5_000) });
  const call: StoredMessage = {
    role: "assistant",
    text: "",
    calls: [{ id: "1", name: "write_file", arguments: args }],
    continuation: { provider: "p", items: [{ type: "function_call", arguments: args }] },
  };
  const thought: StoredMessage = {
    role: "assistant",
    text: "short",
    calls: [],
    reasoning: "r".repeat(3_000),
    continuation: { provider: "p", items: ["o".repeat(3_000)] },
  };
  const image: StoredMessage = {
    role: "user",
    content: [{ type: "image", mimeType: "image/png", data: "AAAA" }],
  };
  const messages = [image, call, result("1"), thought];
  const first = reduceMessages(messages, 13_000).messages;
  assert.ok(first[1]?.role === "assistant");
  assert.deepEqual(JSON.parse(first[1].calls[0]?.arguments ?? ""), {
    note: `${args.length} characters ${CUT_MARK}`,
  });
  assert.equal(first[1].continuation, undefined, "it repeats the arguments");
  assert.equal(first[3], thought);
  const second = reduceMessages(messages, 6_500).messages;
  assert.ok(second[3]?.role === "assistant");
  assert.deepEqual([second[3].continuation, second[3].reasoning?.length], [undefined, 200]);
  assert.equal(second[0], image);
  const third = reduceMessages(messages, 100).messages;
  assert.ok(third[0]?.role === "user");
  assert.deepEqual(third[0].content, [{ type: "text", text: `[image, image/png] ${CUT_MARK}` }]);
});

Deno.test("reduceMessages() is idempotent and only ever shortens, whatever the conversation", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const messages = randomConversation(seed);
    const target = Math.floor(total(messages) * ((seed % 10) / 10));
    const once = reduceMessages(messages, target);
    assert.equal(once.chars, total(once.messages), `seed ${seed}`);
    assert.ok(once.chars <= total(messages));
    const twice = reduceMessages(once.messages, target);
    assert.deepEqual([twice.changed, twice.chars], [0, once.chars], `seed ${seed}`);
    assert.deepEqual(twice.messages.map(keyOf), messages.map(keyOf), `seed ${seed}`);
    const summaries = messages.filter((message) => "summary" in message);
    assert.ok(summaries.every((message) => once.messages.includes(message)), `seed ${seed}`);
  }
});

function keyOf(message: StoredMessage): string {
  if (message.role === "tool") return `tool ${message.callId}`;
  if (message.role === "user") return "user";
  return `assistant ${message.calls.map(({ id }) => id)}`;
}
