import assert from "node:assert/strict";
import { planHistory } from "../../../core/plan/plan_history.ts";
import { fenced, planMarkdown } from "../../../core/plan/plan_markdown.ts";
import { describePlans, readPlanRequest } from "../../../core/plan/plan_request.ts";
import type { JournalCall } from "../../../core/session/session_records.ts";

function call(input: unknown, answer?: unknown, more: Partial<JournalCall> = {}): JournalCall {
  return {
    sessionId: "s",
    callId: "c",
    name: "exit_plan",
    effect: "read",
    arguments: typeof input === "string" ? input : JSON.stringify(input),
    status: "completed",
    isError: false,
    ...(answer === undefined
      ? {}
      : { content: [{ type: "text" as const, text: JSON.stringify(answer) }] }),
    ...more,
  };
}

const CALLS = [
  call({ plan: "# One\n## Goal\nx" }, {
    planId: "p",
    revision: 1,
    decision: "feedback",
    feedback: "F",
  }),
  call({ plan: "bad" }, { error: {} }, { isError: true }),
  call("{broken"),
  call({ plan: 7 }),
  call({ plan: "x" }, {}, { name: "read_file" }),
  call({ plan: "# One\nmore", title: "Two" }, {
    planId: "p",
    revision: 2,
    decision: "approved",
    artifactId: "art_1",
  }, { startedAt: 5 }),
  call({ plan: "Open one" }, undefined, { status: "pending", callId: "open" }),
];
const HISTORY = planHistory(CALLS);

Deno.test("planHistory() reads the calls that proposed something, and no others", () => {
  assert.deepEqual(HISTORY, [
    {
      number: 1,
      planId: "p",
      revision: 1,
      title: "One",
      markdown: "# One\n## Goal\nx",
      decision: "feedback",
      feedback: "F",
    },
    {
      number: 2,
      planId: "p",
      revision: 2,
      title: "Two",
      markdown: "# One\nmore",
      decision: "approved",
      artifactId: "art_1",
      at: 5,
    },
    { number: 3, planId: "open", revision: 1, title: "Open one", markdown: "Open one" },
  ]);
  assert.deepEqual(describePlans(HISTORY), [
    "1. One - context was added: F",
    "2. Two (revision 2) - approved",
    "3. Open one - not decided",
  ]);
});

const REQUESTS: readonly (readonly [string, unknown])[] = [
  ["", ["list"]],
  ["2", ["show", 2]],
  ["diff 2 1", ["diff", 2, 1]],
  ["diff", ["problem", "The latest plan has one revision; name two, such as /plan diff 1 2"]],
  ["diff 1", [
    "problem",
    "Cannot compare that: write /plan, /plan <number>, or /plan diff [<number> <number>]",
  ]],
  ["4", ["problem", 'There is no plan "4": they go from 1 to 3']],
  ["0", ["problem", 'There is no plan "0": they go from 1 to 3']],
  ["diff 1 x", ["problem", 'There is no plan "x": they go from 1 to 3']],
  ["1 2", [
    "problem",
    "Cannot show that: write /plan, /plan <number>, or /plan diff [<number> <number>]",
  ]],
];

for (const [line, expected] of REQUESTS) {
  Deno.test(`readPlanRequest() understands ${JSON.stringify(line)}`, () => {
    const found = readPlanRequest(line.split(" ").filter((word) => word !== ""), HISTORY);
    const facts = found.kind === "list"
      ? []
      : found.kind === "show"
      ? [found.plan.number]
      : found.kind === "diff"
      ? [found.before.number, found.after.number]
      : [found.message];
    assert.deepEqual([found.kind, ...facts], expected);
  });
}

Deno.test("readPlanRequest() takes the last two revisions, and says where there is no plan", () => {
  const two = readPlanRequest(["diff"], HISTORY.slice(0, 2));
  assert.ok(two.kind === "diff" && two.before.number === 1 && two.after.number === 2);
  const none = readPlanRequest([], []);
  assert.match(none.kind === "problem" ? none.message : "", /^There is no plan in this session/);
});

Deno.test("planMarkdown() shows the start of each diagram, and ends what a plan leaves open", () => {
  const diagram = {
    id: "flow",
    title: "A *flow*",
    explanation: "How",
    section: "steps",
    type: "flow",
    syntax: "flowchart",
    source: ["flowchart TD", ...Array.from({ length: 9 }, (_, at) => `  a${at} --> b`)].join("\n"),
    hash: "h",
    status: "updated",
  } as const;
  assert.equal(
    planMarkdown({
      title: "T",
      revision: 2,
      markdown: "# T\n```sh\nls\n",
      diagrams: [diagram],
      removed: [{ id: "old", title: "Old <b>" }],
      folder: "/state/a`b",
    }),
    [
      "# T\n```sh\nls\n```",
      "**A \\*flow\\*** (section steps, updated)",
      "How",
      "```mermaid\nflowchart TD\n  a0 --> b\n  a1 --> b\n  a2 --> b\n  a3 --> b\n  a4 --> b\n" +
      "  a5 --> b\n  a6 --> b\n```",
      "… 2 more lines in `diagrams/flow.mmd`",
      "Diagram removed: Old \\<b\\>",
      "Files: ``/state/a`b/files``",
    ].join("\n\n"),
  );
});

Deno.test("fenced() uses a fence that nothing in the lines ends", () => {
  assert.equal(fenced(["+````", "-x"], "diff"), "`````diff\n+````\n-x\n`````");
});
