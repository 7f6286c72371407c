import assert from "node:assert/strict";
import { chooseCut, safeCuts } from "../../../core/compaction/choose_cut.ts";
import type { StoredMessage } from "../../../core/session/stored_message.ts";
import { answer, checkpoint, prompt, randomConversation, result } from "./_conversation.ts";

interface Row {
  readonly name: string;
  readonly messages: readonly StoredMessage[];
  /** Characters of each message; 10 by default. */
  readonly sizes?: readonly number[];
  readonly keepTurns?: number;
  readonly maxTailChars?: number;
  readonly cut: number;
}

const TURN = [prompt("a"), answer("b", "c1"), result("c1"), answer("d")];
const LONG = [
  prompt("a"),
  answer("", "1"),
  result("1"),
  answer("", "2", "3"),
  result("2"),
  result("3"),
  answer("", "4"),
  result("4"),
];

const ROWS: readonly Row[] = [
  { name: "nothing", messages: [], cut: 0 },
  { name: "one prompt", messages: [prompt("a")], cut: 0 },
  { name: "one prompt that is too long", messages: [prompt("a")], maxTailChars: 1, cut: 0 },
  { name: "two turns that are kept", messages: [...TURN, ...TURN], cut: 0 },
  { name: "three turns", messages: [...TURN, ...TURN, ...TURN], cut: 4 },
  { name: "three turns, one kept", messages: [...TURN, ...TURN, ...TURN], keepTurns: 1, cut: 8 },
  { name: "no turn kept is one", messages: [...TURN, ...TURN, ...TURN], keepTurns: 0, cut: 8 },
  {
    name: "fewer turns where they are too long",
    messages: [...TURN, ...TURN, ...TURN],
    maxTailChars: 50,
    cut: 8,
  },
  {
    name: "two turns, of which both are too long together",
    messages: [...TURN, ...TURN],
    maxTailChars: 50,
    cut: 4,
  },
  { name: "inside a turn, keeping what fits", messages: LONG, maxTailChars: 50, cut: 3 },
  { name: "inside a turn, behind a batch", messages: LONG, maxTailChars: 40, cut: 6 },
  { name: "inside a turn, the last call is kept", messages: LONG, maxTailChars: 5, cut: 6 },
  {
    name: "the turn before goes first",
    messages: [...TURN, ...LONG],
    keepTurns: 2,
    maxTailChars: 100,
    cut: 4,
  },
  {
    name: "a checkpoint is not summarised alone",
    messages: [checkpoint("s"), ...TURN],
    maxTailChars: 100,
    cut: 0,
  },
  {
    name: "a checkpoint is summarised with what follows",
    messages: [checkpoint("s"), checkpoint("t"), ...TURN, ...TURN, ...TURN],
    cut: 6,
  },
  {
    name: "prompts in a row are one turn",
    messages: [...TURN, prompt("a"), prompt("b"), answer("c")],
    keepTurns: 1,
    cut: 4,
  },
  {
    name: "a call without a result is kept",
    messages: [prompt("a"), answer("", "lost"), ...TURN, ...TURN],
    keepTurns: 1,
    maxTailChars: 1,
    cut: 1,
  },
  {
    name: "a result of no call hinders nothing",
    messages: [prompt("a"), result("lost"), answer("b"), ...TURN],
    keepTurns: 1,
    cut: 3,
  },
  {
    name: "equal ids of two calls",
    messages: [
      prompt("a"),
      answer("", "x"),
      result("x"),
      prompt("b"),
      answer("", "x"),
      result("x"),
    ],
    keepTurns: 1,
    cut: 3,
  },
];

for (const { name, messages, sizes, keepTurns = 2, maxTailChars = 1_000, cut } of ROWS) {
  Deno.test(`chooseCut() cuts ${name}`, () => {
    const chars = sizes ?? messages.map(() => 10);
    assert.equal(chooseCut(messages, chars, { keepTurns, maxTailChars }), cut);
  });
}

Deno.test("safeCuts() parts no call of a batch from its results (field case 37)", () => {
  const batch = [prompt("a"), answer("", "1", "2", "3"), result("2"), result("3"), result("1")];
  assert.deepEqual(safeCuts(batch), [true, true, false, false, false, true]);
});

Deno.test("chooseCut() never parts a call from its result, whatever the conversation", () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const messages = randomConversation(seed);
    const sizes = messages.map((_, index) => 1 + (seed * 31 + index * 17) % 400);
    const keepTurns = seed % 5;
    const maxTailChars = (seed * 97) % 3_000;
    const cut = chooseCut(messages, sizes, { keepTurns, maxTailChars });
    assert.ok(cut >= 0 && cut < Math.max(1, messages.length), `seed ${seed}: ${cut}`);
    const before = idsOf(messages.slice(0, cut));
    assert.deepEqual(before.calls, before.results, `seed ${seed}`);
    const after = idsOf(messages.slice(cut));
    assert.deepEqual(after.calls, after.results, `seed ${seed}`);
  }
});

function idsOf(messages: readonly StoredMessage[]) {
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.calls.map(({ id }) => id) : []
  );
  const results = messages.flatMap((message) => message.role === "tool" ? [message.callId] : []);
  return { calls: calls.toSorted(), results: results.toSorted() };
}
