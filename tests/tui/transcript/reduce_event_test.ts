import assert from "node:assert/strict";
import type { Effect, ToolResultPart } from "@alisio/sdk";
import type { Entry } from "../../../tui/transcript/entry.ts";
import { EntryList } from "../../../tui/transcript/entry_list.ts";
import { reduceEvent } from "../../../tui/transcript/reduce_event.ts";
import { EMPTY_STATE } from "../../../tui/transcript/transcript_draft.ts";
import { runEvent } from "./_scene.ts";

type Event = readonly [type: string, data: Record<string, unknown>, now?: number];

/** The entries that events leave behind. */
function entriesOf(
  events: readonly Event[],
  results: Readonly<Record<string, readonly ToolResultPart[]>> = {},
): readonly Entry[] {
  const list = new EntryList();
  let state = EMPTY_STATE;
  for (const [type, data, now = 0] of events) {
    const content = type === "tool_completed" ? results[String(data.id)] : undefined;
    const facts = { now, ...(content === undefined ? {} : { content }) };
    const before = structuredClone(state);
    const step = reduceEvent(state, runEvent(type, data), facts);
    assert.deepEqual(state, before);
    state = step.state;
    for (const change of step.changes) list.apply(change);
  }
  return Array.from({ length: list.length }, (_, index) => list.at(index)).filter((entry) =>
    entry !== undefined
  );
}

function started(id: string, name: string, effect: Effect = "read"): Event {
  return ["tool_started", { id, name, arguments: "{}", effect }];
}

function completed(id: string, name: string, more: Record<string, unknown> = {}): Event {
  return ["tool_completed", { id, name, isError: false, durationMs: 5, preview: "", ...more }];
}

function rowsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) =>
    entry.kind === "tool"
      ? entry.calls.map(({ id, status }) => `${id} ${status}`).join(", ")
      : entry.kind
  );
}

Deno.test("reduceEvent() grows one answer, and marks the last one of a run", () => {
  assert.deepEqual(
    entriesOf([
      ["run_started", { model: "m" }],
      ["text_delta", { delta: "Hel" }],
      ["text_delta", { delta: "lo" }],
      ["turn_completed", { turn: 1 }],
      ["run_completed", { tokens: 1, text: "Hello" }],
    ]),
    [{ kind: "answer", id: 1, text: "Hello", isLive: false, isFinal: true }],
  );
});

Deno.test("reduceEvent() adds an answer that did not stream, and none that is empty", () => {
  assert.deepEqual(entriesOf([["run_completed", { tokens: 1, text: "Whole" }]]), [
    { kind: "answer", id: 1, text: "Whole", isLive: false, isFinal: true },
  ]);
  assert.deepEqual(entriesOf([["run_completed", { tokens: 1, text: "" }]]), []);
});

Deno.test("reduceEvent() marks no earlier answer as the final one", () => {
  assert.deepEqual(
    rowsOf(entriesOf([
      ["text_delta", { delta: "I look." }],
      started("a", "read_file"),
      completed("a", "read_file"),
      ["run_completed", { tokens: 1, text: "Done" }],
    ])),
    ["answer", "a done", "answer"],
  );
});

Deno.test("reduceEvent() times a thought until something else comes", () => {
  const [thought] = entriesOf([
    ["reasoning_delta", { delta: "Hm" }, 100],
    ["reasoning_delta", { delta: "m" }, 2_000],
    ["text_delta", { delta: "So" }, 3_000],
  ]);
  assert.deepEqual(thought, {
    kind: "thought",
    id: 1,
    text: "Hmm",
    isLive: false,
    startedAt: 100,
    durationMs: 2_900,
  });
});

/** What calls, and how many rows they are told in. */
const MERGES: readonly {
  readonly name: string;
  readonly events: readonly Event[];
  readonly rows: readonly string[];
}[] = [
  {
    name: "tells reads together",
    events: ["a", "b", "c"].flatMap((id) => [started(id, "read_file"), completed(id, "read_file")]),
    rows: ["a done, b done, c done"],
  },
  {
    name: "tells reads of several tools together",
    events: [
      started("a", "read_file"),
      started("b", "list_files"),
      completed("a", "read_file"),
      completed("b", "list_files"),
    ],
    rows: ["a done, b done"],
  },
  {
    name: "keeps the order of calls that end in another one",
    events: [
      started("a", "read_file"),
      started("b", "read_file"),
      started("c", "read_file"),
      completed("c", "read_file"),
      completed("a", "read_file"),
      completed("b", "read_file"),
    ],
    rows: ["a done, b done, c done"],
  },
  {
    name: "keeps kinds apart",
    events: [
      started("a", "read_file"),
      completed("a", "read_file"),
      started("b", "shell", "process"),
      completed("b", "shell"),
    ],
    rows: ["a done", "b done"],
  },
  {
    name: "keeps what runs apart",
    events: [
      started("a", "read_file"),
      completed("a", "read_file"),
      started("b", "read_file"),
    ],
    rows: ["a done", "b running"],
  },
  {
    name: "keeps what waits apart",
    events: [
      started("a", "shell", "process"),
      completed("a", "shell"),
      started("b", "shell", "process"),
      ["approval_requested", { id: "b", name: "shell", effect: "process", channel: "terminal" }],
    ],
    rows: ["a done", "b waiting"],
  },
  {
    name: "keeps what was refused apart",
    events: [
      started("a", "shell", "process"),
      completed("a", "shell"),
      started("b", "shell", "process"),
      completed("b", "shell", { isError: true, refused: { matched: "mode" } }),
      started("c", "shell", "process"),
      completed("c", "shell"),
    ],
    rows: ["a done", "b denied", "c done"],
  },
  {
    name: "tells failures together with the rest",
    events: [
      started("a", "mcp_x_y", "external"),
      completed("a", "mcp_x_y"),
      started("b", "mcp_x_z", "external"),
      completed("b", "mcp_x_z", { isError: true }),
    ],
    rows: ["a done, b failed"],
  },
  {
    name: "tells tools of no kind one by one",
    events: [
      started("a", "webfetch", "external"),
      completed("a", "webfetch"),
      started("b", "webfetch", "external"),
      completed("b", "webfetch"),
    ],
    rows: ["a done", "b done"],
  },
  {
    name: "tells nothing together across an answer",
    events: [
      started("a", "read_file"),
      completed("a", "read_file"),
      ["text_delta", { delta: "And" }],
      started("b", "read_file"),
      completed("b", "read_file"),
    ],
    rows: ["a done", "answer", "b done"],
  },
];

for (const { name, events, rows } of MERGES) {
  Deno.test(`reduceEvent() ${name}`, () => {
    assert.deepEqual(rowsOf(entriesOf(events)), rows);
  });
}

Deno.test("reduceEvent() keeps a call with a block or an image apart", () => {
  const block = [{ type: "ui", block: { kind: "math", latex: "x" } }] as const;
  const image = [{ type: "image", mimeType: "image/png", data: "" }] as const;
  const events = ["a", "b", "c", "d"].flatMap((
    id,
  ) => [started(id, "read_file"), completed(id, "read_file")]);
  assert.deepEqual(rowsOf(entriesOf(events, { a: block, c: image })), [
    "a done",
    "b done",
    "c done",
    "d done",
  ]);
});

/** How a call ends. */
const ENDS: readonly {
  readonly name: string;
  readonly events: readonly Event[];
  readonly row: string;
  readonly refusal?: string;
}[] = [
  { name: "well", events: [completed("a", "shell")], row: "a done" },
  { name: "badly", events: [completed("a", "shell", { isError: true })], row: "a failed" },
  {
    name: "stopped",
    events: [
      completed("a", "shell", { isError: true, preview: '{"exitCode":null,"endedBy":"cancelled"' }),
    ],
    row: "a cancelled",
  },
  {
    name: "at its time limit, which is a failure",
    events: [
      completed("a", "shell", { isError: true, preview: '{"exitCode":null,"endedBy":"timeout"' }),
    ],
    row: "a failed",
  },
  {
    name: "refused by the person",
    events: [
      ["approval_resolved", { id: "a", decision: "deny", source: "operator" }],
      completed("a", "shell", { isError: true }),
    ],
    row: "a denied",
    refusal: "refused by you",
  },
  {
    name: "refused because nobody answered",
    events: [
      ["approval_resolved", { id: "a", decision: "deny", source: "timed_out" }],
      completed("a", "shell", { isError: true }),
    ],
    row: "a denied",
    refusal: "nobody answered in time",
  },
  {
    name: "refused by a rule, with what helps",
    events: [
      completed("a", "shell", {
        isError: true,
        refused: { matched: "read-only", remedy: "leave out --read-only" },
      }),
    ],
    row: "a denied",
    refusal: "refused by read-only; to permit it, leave out --read-only",
  },
  {
    name: "answered in its place",
    events: [
      ["approval_resolved", { id: "a", decision: "edit", source: "operator" }],
      completed("a", "shell", { isError: true }),
    ],
    row: "a answered",
  },
  {
    name: "with the run that was stopped",
    events: [["run_cancelled", { error: "x" }]],
    row: "a cancelled",
  },
];

for (const { name, events, row, refusal } of ENDS) {
  Deno.test(`reduceEvent() ends a call ${name}`, () => {
    const entries = entriesOf([started("a", "shell", "process"), ...events]);
    assert.equal(rowsOf(entries)[0], row);
    const call = entries[0]?.kind === "tool" ? entries[0].calls[0] : undefined;
    assert.equal(call?.refusal, refusal);
    assert.equal(call?.progress, undefined);
  });
}

Deno.test("reduceEvent() shows a call that never began as stopped", () => {
  assert.deepEqual(rowsOf(entriesOf([completed("z", "shell", { isError: true })])), [
    "z cancelled",
  ]);
});

Deno.test("reduceEvent() keeps the last words of progress while a call runs", () => {
  const events: readonly Event[] = [
    started("a", "shell", "process"),
    ["tool_progress", { id: "a", data: "one\ntwo\n\n" }],
    ["tool_progress", { id: "a", data: { percent: 3 } }],
    ["tool_progress", { id: "b", data: "of nobody" }],
  ];
  const [entry] = entriesOf(events);
  assert.equal(entry?.kind === "tool" ? entry.calls[0].progress : "", "two");
});

Deno.test("reduceEvent() does nothing with types that it does not know and data that is none", () => {
  assert.deepEqual(entriesOf([["future_event", { a: 1 }], ["artifact_published", {}]]), []);
  assert.deepEqual(entriesOf([["run_warning", {}]]), []);
});

Deno.test("reduceEvent() costs the same however much was said before", () => {
  let state = EMPTY_STATE;
  for (let round = 0; round < 2_000; round++) {
    for (
      const [type, data] of [started(`c${round}`, "webfetch"), completed(`c${round}`, "webfetch")]
    ) {
      state = reduceEvent(state, runEvent(type, data), { now: 0 }).state;
    }
  }
  assert.ok(state.tail.length <= 64);
  assert.equal(state.calls.size, 0);
});

Deno.test("reduceEvent() tells what a call made by itself, and together only with its like", () => {
  const nested = (id: string, name: string): readonly Event[] => [
    ["tool_started", { id, name, arguments: "{}", effect: "read", parentId: "c" }],
    completed(id, name, { parentId: "c" }),
  ];
  const entries = entriesOf([
    started("a", "read_file"),
    completed("a", "read_file"),
    started("c", "execute", "process"),
    ...nested("c/1", "read_file"),
    ...nested("c/2", "read_file"),
    completed("c/3", "shell", { parentId: "c" }),
    completed("c", "execute"),
    started("d", "read_file"),
    completed("d", "read_file"),
  ]);
  assert.deepEqual(rowsOf(entries), [
    "a done",
    "c done",
    "c/1 done, c/2 done",
    "c/3 cancelled",
    "d done",
  ]);
});
