import assert from "node:assert/strict";
import { conversationText } from "../../../core/side_questions/conversation_text.ts";
import type { StoredMessage } from "../../../core/session/stored_message.ts";

const MESSAGES: readonly StoredMessage[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "What is on it?" },
      { type: "image", mimeType: "image/png", data: "A".repeat(8192) },
    ],
  },
  { role: "assistant", text: "", calls: [] },
  {
    role: "assistant",
    text: "I look.",
    calls: [{ id: "c1", name: "read_file", arguments: '{"path":"a"}' }],
  },
  {
    role: "tool",
    callId: "c1",
    name: "read_file",
    content: [{ type: "text", text: "x".repeat(9_000) }],
    isError: true,
  },
  { role: "assistant", text: "It failed.", calls: [] },
];

Deno.test("conversationText() tells every message, cut, and images by type and size", () => {
  const head = "## Result of read_file (failed)\n";
  const cut = 4_000 - head.length;
  const kept = Math.floor(4_000 * 0.6) - head.length;
  assert.equal(
    conversationText(MESSAGES, 100_000),
    [
      "## The person\nWhat is on it?\n[image: image/png, 6 KB]",
      '## The assistant\nI look.\n[calls read_file {"path":"a"}]',
      `${head}${"x".repeat(kept)}\n… [${9_000 - cut} characters left out] …\n${
        "x".repeat(cut - kept)
      }`,
      "## The assistant\nIt failed.",
    ].join("\n\n"),
  );
});

for (
  const [room, expected] of [
    [10, "[5 earlier messages are left out]"],
    [40, "[4 earlier messages are left out]\n\n## The assistant\nIt failed."],
  ] as const
) {
  Deno.test(`conversationText() leaves out the oldest where ${room} characters are the limit`, () => {
    assert.equal(conversationText(MESSAGES, room), expected);
  });
}

Deno.test("conversationText() leaves out a first message alone", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "Hello there" }] },
    { role: "assistant", text: "Hi", calls: [] },
  ] as const;
  assert.equal(
    conversationText(messages, 30),
    "[1 earlier message is left out]\n\n## The assistant\nHi",
  );
});

Deno.test("conversationText() of nothing is empty", () => {
  assert.equal(conversationText([], 100), "");
});
