import assert from "node:assert/strict";
import type { AssistantMessage, ToolResultPart } from "@alisio/sdk";
import {
  boundResponse,
  cutText,
  MAX_RESPONSE_CHARS,
  responseShare,
  ResultBudget,
} from "../../../core/run/bound_response.ts";
import { messageChars } from "../../../core/run/transcript.ts";
import { resultText } from "../../../core/tools/result_text.ts";

/** A response: text, sizes of the arguments of its calls, and what else it holds. */
function response(
  text: number,
  args: readonly number[] = [],
  rest: Partial<AssistantMessage> = {},
): AssistantMessage {
  const calls = args.map((chars, index) => ({
    id: `c${index}`,
    name: "write_file",
    arguments: JSON.stringify({ x: "a".repeat(Math.max(0, chars - '{"x":""}'.length)) }),
  }));
  return { role: "assistant", text: "t".repeat(text), calls, ...rest };
}

const OPAQUE = { provider: "p", items: ["o".repeat(1_000)] };

interface Row {
  readonly name: string;
  readonly message: AssistantMessage;
  readonly maxChars: number;
  /** Ids of calls that run, and of those that are answered instead. */
  readonly runs?: readonly string[];
  readonly refused?: readonly string[];
  /** What becomes of each part: all of it, its ends, or nothing. */
  readonly text?: "whole" | "cut" | "gone";
  readonly reasoning?: "whole" | "cut";
  readonly hasOpaque?: boolean;
}

const ROWS: readonly Row[] = [
  { name: "an answer", message: response(500), maxChars: 500, text: "whole" },
  { name: "an answer that is one too long", message: response(501), maxChars: 500, text: "cut" },
  { name: "an answer and no room", message: response(500), maxChars: 0, text: "gone" },
  { name: "an answer and hardly any room", message: response(500), maxChars: 100, text: "gone" },
  {
    name: "a call",
    message: response(0, [5_000]),
    maxChars: 5_010,
    runs: ["c0"],
    text: "whole",
  },
  {
    name: "a call that is one too long",
    message: response(0, [5_000]),
    maxChars: 5_009,
    refused: ["c0"],
    text: "whole",
  },
  {
    name: "a call of 5 MB",
    message: response(100, [5_000_000]),
    maxChars: 400_000,
    refused: ["c0"],
    text: "whole",
  },
  {
    name: "a large call between small ones",
    message: response(100, [50, 5_000_000, 50]),
    maxChars: 400_000,
    runs: ["c0", "c2"],
    refused: ["c1"],
    text: "whole",
  },
  {
    name: "calls that fit one by one and not together",
    message: response(0, [3_000, 3_000, 3_000]),
    maxChars: 7_000,
    runs: ["c0", "c1"],
    refused: ["c2"],
    text: "whole",
  },
  {
    name: "a call that leaves little for the text",
    message: response(5_000, [5_000]),
    maxChars: 6_000,
    runs: ["c0"],
    text: "cut",
  },
  {
    name: "as many small calls as there is room for",
    message: response(0, Array(5).fill(20)),
    maxChars: 3_000,
    runs: ["c0", "c1", "c2", "c3", "c4"],
    text: "whole",
  },
  {
    name: "one small call too many",
    message: response(0, Array(6).fill(20)),
    maxChars: 3_000,
    runs: ["c0", "c1", "c2", "c3", "c4"],
    text: "cut",
  },
  { name: "a call and no room for any", message: response(0, [20]), maxChars: 599, text: "cut" },
  {
    name: "reasoning",
    message: response(10, [], { reasoning: "r".repeat(400) }),
    maxChars: 410,
    text: "whole",
    reasoning: "whole",
  },
  {
    name: "reasoning without end",
    message: response(10, [], { reasoning: "r".repeat(400_000) }),
    maxChars: 1_000,
    text: "whole",
    reasoning: "cut",
  },
  {
    name: "empty reasoning, which a server wants back",
    message: response(1_001, [], { reasoning: "" }),
    maxChars: 1_000,
    text: "cut",
    reasoning: "whole",
  },
  {
    name: "what only the provider can read",
    message: response(10, [], { continuation: OPAQUE }),
    maxChars: 1_014,
    text: "whole",
    hasOpaque: true,
  },
  {
    name: "what only the provider can read, one too long",
    message: response(10, [], { continuation: OPAQUE }),
    maxChars: 1_013,
    text: "whole",
    hasOpaque: false,
  },
];

Deno.test("boundResponse() keeps of a response what there is room for", () => {
  for (const { name, message, maxChars, runs = [], refused = [], ...row } of ROWS) {
    const { message: kept, refusals, isCut } = boundResponse(message, maxChars);
    assert.ok(messageChars(kept) <= maxChars, `${name}: ${messageChars(kept)} characters`);
    const ids = kept.calls.map(({ id }) => id);
    assert.deepEqual(ids.filter((id) => !refusals.has(id)), runs, name);
    assert.deepEqual([...refusals.keys()], refused, name);
    for (const call of kept.calls) {
      const original = message.calls.find(({ id }) => id === call.id)?.arguments ?? "";
      if (!refusals.has(call.id)) {
        assert.equal(call.arguments, original, name);
        continue;
      }
      const note = `${original.length} characters, left out`;
      assert.deepEqual(JSON.parse(call.arguments), { note }, name);
      assert.match(
        refusals.get(call.id) ?? "",
        new RegExp(`^Not run: .* too large: ${original.length} characters, .*\. Write in several`),
      );
    }
    assert.equal(fateOf(kept.text, message.text), row.text, name);
    assert.equal(isCut, kept.text !== message.text, name);
    if (message.reasoning !== undefined) {
      assert.equal(fateOf(kept.reasoning, message.reasoning), row.reasoning, name);
    }
    assert.equal(kept.continuation !== undefined, row.hasOpaque ?? false, name);
  }
});

Deno.test("boundResponse() says how many calls it left out", () => {
  const { message } = boundResponse(response(10, Array(300).fill(20)), 6_000);
  assert.equal(message.calls.length, 10);
  assert.equal(message.text, "tttttttttt\n[290 further calls left out: too many]");
});

Deno.test("boundResponse() passes on the very object that fits", () => {
  const message = response(10, [20, 20], { reasoning: "why", continuation: OPAQUE });
  assert.equal(boundResponse(message, 400_000).message, message);
});

Deno.test("responseShare() is half of the room, and never more than can be stored", () => {
  const rows = [[800_000, 400_000], [3, 1], [1, 0], [0, 0], [-5, 0], [
    Number.MAX_SAFE_INTEGER,
    MAX_RESPONSE_CHARS,
  ]] as const;
  for (const [room, share] of rows) assert.equal(responseShare(room), share, `${room}`);
});

Deno.test("A conversation never outgrows its room, whatever a model answers", () => {
  // Fixed numbers that jump about: a linear congruence.
  let state = 7;
  const next = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % limit;
  };
  for (const maxChars of [50, 700, 5_000, 100_000, 800_000]) {
    let room = maxChars;
    for (let turn = 0; turn < 60; turn++) {
      const args = Array.from({ length: next(40) }, () => next(next(2) === 0 ? 100 : maxChars * 2));
      const message = response(next(maxChars * 2), args, { reasoning: "r".repeat(next(1_000)) });
      const { message: kept } = boundResponse(message, responseShare(room));
      room -= messageChars(kept);
      assert.ok(room >= 0, `${maxChars}: ${room}`);
      const budget = new ResultBudget(room, kept.calls.length);
      for (const call of kept.calls) {
        const result = budget.bound([{ type: "text", text: "x".repeat(next(50_000)) }]);
        room -= messageChars({
          role: "tool",
          callId: call.id,
          name: call.name,
          text: resultText(result),
          isError: false,
        });
      }
      assert.ok(room >= 0, `${maxChars}: ${room}`);
    }
  }
});

Deno.test("ResultBudget gives a result what is left, and keeps a little for each that follows", () => {
  const text = (chars: number): ToolResultPart => ({ type: "text", text: "x".repeat(chars) });
  const rows: readonly (readonly [number, readonly number[], readonly ("whole" | "cut")[]])[] = [
    [1_000, [500], ["whole"]],
    [1_000, [501], ["cut"]],
    [2_000, [100, 100, 100], ["whole", "whole", "whole"]],
    [2_000, [400, 300, 300], ["whole", "whole", "whole"]],
    [2_000, [401, 300, 300], ["cut", "whole", "whole"]],
    [2_000, [50_000, 50_000, 50_000], ["cut", "cut", "cut"]],
  ];
  for (const [room, sizes, fates] of rows) {
    const budget = new ResultBudget(room, sizes.length);
    const results = sizes.map((size) => resultText(budget.bound([text(size)])));
    const found = results.map((result, index) => fateOf(result, "x".repeat(sizes[index] ?? 0)));
    assert.deepEqual(found, fates, `${room}: ${sizes}`);
    assert.ok(results.join("").length <= room / 2, `${room}: ${sizes}`);
  }
});

Deno.test("ResultBudget keeps what only front ends show, and joins the text that it cuts", () => {
  const block = { type: "ui", block: { kind: "diff", path: "a" } } as unknown as ToolResultPart;
  const content: ToolResultPart[] = [
    { type: "text", text: "start".padEnd(900, "-") },
    block,
    { type: "text", text: "end".padStart(900, "-") },
  ];
  const whole = new ResultBudget(10_000, 1).bound(content);
  assert.equal(whole, content);
  const [text, ...others] = new ResultBudget(1_000, 1).bound(content);
  assert.ok(text?.type === "text");
  assert.match(text.text, /^start-+\n… \[\d+ characters left out\] …\n-+end$/);
  assert.deepEqual(others, [block]);
});

Deno.test("cutText() never gives more than was asked for", () => {
  for (let max = 0; max < 400; max++) {
    for (const note of ["", "\n[note]"]) {
      for (const text of ["", "short", "😀".repeat(200)]) {
        const cut = cutText(text, max, note);
        assert.ok(cut.length <= max, `${max} ${note} ${text.length}`);
        assert.ok(cut.isWellFormed());
      }
    }
  }
});

function fateOf(kept: string | undefined, whole: string): "whole" | "cut" | "gone" {
  if (kept === whole) return "whole";
  return kept === undefined || kept === "" ? "gone" : "cut";
}
