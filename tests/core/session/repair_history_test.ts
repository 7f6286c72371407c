import assert from "node:assert/strict";
import {
  INTERRUPTED_INTERNAL_TEXT,
  INTERRUPTED_TEXT,
  isUncertain,
  NOT_RUN_TEXT,
  repairHistory,
  unansweredCalls,
  UNCERTAIN_TEXT,
} from "../../../core/session/repair_history.ts";
import type { JournalCall } from "../../../core/session/session_records.ts";
import type { StoredMessage } from "../../../core/session/stored_message.ts";
import { assistant, AT, result, user } from "./_support.ts";

interface Row {
  readonly name: string;
  readonly messages: readonly StoredMessage[];
  readonly journal?: readonly JournalCall[];
  readonly expected: readonly StoredMessage[];
  readonly missing?: readonly StoredMessage[];
  readonly uncertain?: readonly string[];
}

const NOT_RUN = (id: string) => result(id, NOT_RUN_TEXT, true);
const CUT = (id: string) => result(id, INTERRUPTED_TEXT, true);
const HALF = (id: string) => result(id, INTERRUPTED_INTERNAL_TEXT, true);
const UNKNOWN = (id: string) => result(id, UNCERTAIN_TEXT, true);

const ROWS: readonly Row[] = [
  {
    name: "leaves a whole history alone",
    messages: [user("Go"), assistant("", "a", "b"), result("a", "1"), result("b", "2")],
    expected: [user("Go"), assistant("", "a", "b"), result("a", "1"), result("b", "2")],
  },
  {
    name: "closes calls that never began (field case 141)",
    messages: [user("Go"), assistant("", "a", "b")],
    expected: [user("Go"), assistant("", "a", "b"), NOT_RUN("a"), NOT_RUN("b")],
    missing: [NOT_RUN("a"), NOT_RUN("b")],
  },
  {
    name: "closes a read and an internal call that were cut (field case 141)",
    messages: [user("Go"), assistant("", "a", "b", "c")],
    journal: [pending("a", "read"), pending("b", "internal")],
    expected: [user("Go"), assistant("", "a", "b", "c"), CUT("a"), HALF("b"), NOT_RUN("c")],
    missing: [CUT("a"), HALF("b"), NOT_RUN("c")],
  },
  {
    name: "never decides about a call with an effect (field case 141)",
    messages: [user("Go"), assistant("", "a", "b", "c", "d")],
    journal: [pending("a", "write"), pending("b", "process"), pending("c", "external")],
    expected: [
      user("Go"),
      assistant("", "a", "b", "c", "d"),
      UNKNOWN("a"),
      UNKNOWN("b"),
      UNKNOWN("c"),
      NOT_RUN("d"),
    ],
    missing: [NOT_RUN("d")],
    uncertain: ["a", "b", "c"],
  },
  {
    name: "takes a completed result from the journal (field case 143)",
    messages: [user("Go"), assistant("", "a", "b", "c"), result("a", "1")],
    journal: [
      completed("a", "write", "1", false),
      completed("b", "write", "2", false),
      completed("c", "process", "3", true),
    ],
    expected: [
      user("Go"),
      assistant("", "a", "b", "c"),
      result("a", "1"),
      result("b", "2"),
      result("c", "3", true),
    ],
    missing: [result("b", "2"), result("c", "3", true)],
  },
  {
    name: "does not doubt a pending call that has its result message",
    messages: [user("Go"), assistant("", "a"), result("a", "1")],
    journal: [pending("a", "write")],
    expected: [user("Go"), assistant("", "a"), result("a", "1")],
  },
  {
    name: "keeps an uncertain call whose message is lost",
    messages: [user("Go")],
    journal: [pending("lost", "process"), pending("read", "read")],
    expected: [user("Go")],
    uncertain: ["lost"],
  },
  {
    name: "puts results after their message, in the order of the calls",
    messages: [
      user("Go"),
      assistant("", "a", "b"),
      result("b", "2"),
      user("Again"),
      assistant("Hm"),
      result("a", "1"),
    ],
    expected: [
      user("Go"),
      assistant("", "a", "b"),
      result("a", "1"),
      result("b", "2"),
      user("Again"),
      assistant("Hm"),
    ],
  },
  {
    name: "closes calls in the middle of a history (field case 144)",
    messages: [user("Go"), assistant("", "a"), user("Again"), assistant("Hm")],
    expected: [user("Go"), assistant("", "a"), NOT_RUN("a"), user("Again"), assistant("Hm")],
    missing: [NOT_RUN("a")],
  },
  {
    name: "leaves out results that answer no call, and second ones",
    messages: [
      result("x", "0"),
      user("Go"),
      assistant("", "a"),
      result("a", "1"),
      result("a", "2"),
      result("b", "3"),
    ],
    expected: [user("Go"), assistant("", "a"), result("a", "1")],
  },
  {
    name: "gives ids that return in a later turn a new name (field case 33)",
    messages: [
      user("Go"),
      assistant("", "a"),
      result("a", "1"),
      assistant("", "a", "a_2"),
      result("a", "2"),
      result("a_2", "3"),
    ],
    expected: [
      user("Go"),
      assistant("", "a"),
      result("a", "1"),
      assistant("", "a_2", "a_2_2"),
      result("a_2", "2"),
      result("a_2_2", "3"),
    ],
  },
  {
    name: "tells equal ids in one message apart by their order (field case 33)",
    messages: [user("Go"), assistant("", "a", "a", ""), result("a", "1"), result("a", "2")],
    expected: [
      user("Go"),
      assistant("", "a", "a_2", "call"),
      result("a", "1"),
      result("a_2", "2"),
      NOT_RUN("call"),
    ],
    missing: [NOT_RUN("")],
  },
  {
    name: "leaves out messages that say nothing (field case 30)",
    messages: [
      user("Go"),
      assistant(""),
      { ...assistant(" \n"), partial: true },
      { role: "user", content: [] },
      user("  "),
      { role: "user", content: [{ type: "image", mimeType: "image/png", data: "x" }] },
      assistant("Yes"),
    ],
    expected: [
      user("Go"),
      { role: "user", content: [{ type: "image", mimeType: "image/png", data: "x" }] },
      assistant("Yes"),
    ],
  },
  {
    name: "keeps what had arrived of an interrupted response (field case 144)",
    messages: [user("Go"), { ...assistant("I will", "a"), partial: true }],
    expected: [user("Go"), { ...assistant("I will", "a"), partial: true }, NOT_RUN("a")],
    missing: [NOT_RUN("a")],
  },
];

for (const row of ROWS) {
  Deno.test(`repairHistory() ${row.name}`, () => {
    const repair = repairHistory(row.messages, row.journal ?? []);
    assert.deepEqual(repair.messages, row.expected);
    assert.deepEqual(repair.missing, row.missing ?? []);
    assert.deepEqual(repair.uncertain.map(({ callId }) => callId), row.uncertain ?? []);
  });

  Deno.test(`repairHistory() has nothing left to do: ${row.name}`, () => {
    const first = repairHistory(row.messages, row.journal ?? []);
    const again = repairHistory(first.messages, row.journal ?? []);
    assert.deepEqual(again.messages, first.messages);
    // Providers keep what they derived from a message as long as they are given the same object.
    for (const [index, message] of again.messages.entries()) {
      assert.equal(message, first.messages[index]);
    }
    const stored = [...row.messages, ...first.missing];
    assert.deepEqual(repairHistory(stored, row.journal ?? []).messages, first.messages);
  });
}

Deno.test("unansweredCalls() names calls without a result", () => {
  const messages = [user("Go"), assistant("", "a", "b"), result("b", "2"), result("c", "3")];
  assert.deepEqual(unansweredCalls(messages), ["a"]);
  assert.deepEqual(unansweredCalls([]), []);
});

Deno.test("isUncertain() is about pending calls with an effect alone", () => {
  const rows: readonly (readonly [JournalCall | undefined, boolean])[] = [
    [pending("a", "write"), true],
    [pending("a", "process"), true],
    [pending("a", "external"), true],
    [pending("a", "read"), false],
    [pending("a", "internal"), false],
    [completed("a", "write", "1", false), false],
    [undefined, false],
  ];
  for (const [call, expected] of rows) assert.equal(isUncertain(call), expected, call?.effect);
});

function pending(callId: string, effect: JournalCall["effect"]): JournalCall {
  const call = { sessionId: "s1", callId, runId: "r1", name: "tool", effect, arguments: "{}" };
  return { ...call, status: "pending", isError: false, startedAt: AT };
}

function completed(
  callId: string,
  effect: JournalCall["effect"],
  text: string,
  isError: boolean,
): JournalCall {
  const { content } = result(callId, text);
  return { ...pending(callId, effect), status: "completed", content, isError, endedAt: AT };
}
