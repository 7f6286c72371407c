import assert from "node:assert/strict";
import { toModelMessage, Transcript } from "../../../core/run/transcript.ts";
import type { StoredMessage } from "../../../core/session/stored_message.ts";

const USER: StoredMessage = { role: "user", content: [{ type: "text", text: "go" }] };

function said(text: string, ...ids: readonly string[]): StoredMessage {
  return {
    role: "assistant",
    text,
    calls: ids.map((id) => ({ id, name: "look", arguments: "{}" })),
  };
}

function calls(...ids: readonly string[]) {
  return ids.map((id) => ({ id, name: "look", arguments: "{}" }));
}

Deno.test("Transcript.identify() keeps a usable id and replaces any other (field cases 1, 33)", () => {
  const rows: readonly (readonly [string, Transcript, readonly string[], readonly boolean[]])[] = [
    ["a new one", new Transcript([USER]), ["a"], [true]],
    ["none", new Transcript([USER]), [""], [false]],
    ["one twice", new Transcript([USER]), ["a", "a"], [true, false]],
    ["one of an earlier turn", new Transcript([USER, said("", "a")]), ["a", "b"], [false, true]],
    ["one of a row that is damaged", new Transcript([USER], ["a"]), ["a", "b"], [false, true]],
    ["one where every row is damaged", new Transcript([], ["a"]), ["a", "b"], [false, true]],
    ["the longest", new Transcript([]), ["x".repeat(128)], [true]],
    ["one that is too long", new Transcript([]), ["x".repeat(129)], [false]],
    ["what servers make up", new Transcript([]), ["call_Ab-9", "fc:1.2", "0"], [true, true, true]],
    ["a path", new Transcript([]), ["../../x", "..", "a/b", "a\\b"], [false, false, false, false]],
    ["controls", new Transcript([]), ["a\x1b[2J", "a\n", "a\0", "\u202ea"], Array(4).fill(false)],
    ["spaces and signs", new Transcript([]), ["a b", " a", "-a", "é", "a|b"], Array(5).fill(false)],
  ];
  for (const [name, transcript, sent, kept] of rows) {
    const ids = transcript.identify(calls(...sent)).map(({ id }) => id);
    assert.deepEqual(ids.map((id, index) => id === sent[index]), kept, name);
    assert.equal(new Set(ids).size, sent.length, name);
    for (const id of ids) assert.match(id, /^[A-Za-z0-9_.:-]{1,128}$/, name);
  }
});

Deno.test("Transcript.identify() makes names that a server takes back", () => {
  const rows = [["read_file", "read_file"], ["a b/c", "a_b_c"], ["", "unnamed_tool"], [
    "n".repeat(70),
    "n".repeat(64),
  ]] as const;
  for (const [name, expected] of rows) {
    const [call] = new Transcript([]).identify([{ id: "a", name, arguments: "{}" }]);
    assert.equal(call?.name, expected);
  }
});

Deno.test("Transcript.snapshot() does not change with what is appended later", () => {
  const transcript = new Transcript([USER]);
  const before = transcript.snapshot();
  transcript.append(said("done"));
  const after = transcript.snapshot();
  assert.deepEqual([before.length, after.length], [1, 2]);
  assert.equal(after[0], before[0], "the same objects on every turn");
});

Deno.test("Transcript leaves out an answer that says and calls nothing (field case 30)", () => {
  const rows = [["", 0], [" \n\t", 0], ["x", 1]] as const;
  for (const [text, count] of rows) {
    assert.equal(new Transcript([said(text)]).snapshot().length, count, JSON.stringify(text));
  }
  assert.equal(new Transcript([said(" ", "a")]).snapshot().length, 1, "it calls something");
});

Deno.test("Transcript.chars counts everything that takes room in a request", () => {
  const rows: readonly (readonly [string, StoredMessage, number])[] = [
    ["a prompt", USER, 2],
    ["an answer", said("four"), 4],
    ["calls", said("four", "a", "b"), 4 + 2 * ("look".length + "{}".length)],
    ["reasoning", { role: "assistant", text: "x", calls: [], reasoning: "why" }, 4],
    [
      "items that only the provider can read",
      {
        role: "assistant",
        text: "x",
        calls: [],
        continuation: { provider: "p", items: ["secret"] },
      },
      1 + '["secret"]'.length,
    ],
    [
      "a result, whose blocks and images are not sent",
      {
        role: "tool",
        callId: "a",
        name: "look",
        content: [
          { type: "text", text: "seen" },
          { type: "image", mimeType: "image/png", data: "A".repeat(10_000) },
        ],
        isError: false,
      },
      4,
    ],
  ];
  for (const [name, message, chars] of rows) {
    assert.equal(new Transcript([message]).chars, chars, name);
  }
});

Deno.test("Transcript.chars counts an image by what it costs, not by its bytes", () => {
  const charsOf = (bytes: number) =>
    new Transcript([{
      role: "user",
      content: [{ type: "image", mimeType: "image/png", data: "A".repeat(bytes) }],
    }]).chars;
  assert.equal(charsOf(10), charsOf(5_000_000));
  assert.ok(charsOf(10) > 1_000);
});

Deno.test("toModelMessage() sends the text of a result and no other part", () => {
  assert.deepEqual(
    toModelMessage({
      role: "tool",
      callId: "a",
      name: "look",
      content: [
        { type: "text", text: "one" },
        { type: "ui", block: { kind: "json", value: 1 } },
        { type: "text", text: "two" },
      ],
      isError: true,
    }),
    { role: "tool", callId: "a", name: "look", text: "one\ntwo", isError: true },
  );
});
