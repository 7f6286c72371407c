import assert from "node:assert/strict";
import { checkDiagrams } from "../../../core/plan/check_diagrams.ts";
import { splitPlan } from "../../../core/plan/plan_sections.ts";

const GOOD = {
  id: "main-flow",
  title: "Main flow",
  explanation: "How it goes",
  mermaid: "flowchart TD\n  a --> b",
};
const { sections } = splitPlan("## Goal\n## Steps of work");

function outcome(given: unknown, max = 5): unknown {
  const { accepted, dropped } = checkDiagrams(given, { sections, max });
  return [accepted.map(({ id }) => id), dropped];
}

const ROWS: readonly (readonly [string, unknown, readonly unknown[]])[] = [
  ["none", undefined, [[], []]],
  ["no list", "x", [[], [{ id: "diagrams", reason: "it is no list" }]]],
  ["a good one", [GOOD], [["main-flow"], []]],
  ["no object", [7], [[], [{ id: "diagram 1", reason: "it is no object" }]]],
  [
    "an id in another form",
    [{ ...GOOD, id: "Main_Flow" }],
    [[], [{
      id: "Main_Flow",
      reason: "its id is not lower-case words with hyphens, 40 characters at most",
    }]],
  ],
  [
    "an id that leads out of the folder",
    [{ ...GOOD, id: "../../x" }],
    [[], [{
      id: "../../x",
      reason: "its id is not lower-case words with hyphens, 40 characters at most",
    }]],
  ],
  ["an id twice", [GOOD, { ...GOOD, title: "Other" }], [["main-flow"], [{
    id: "main-flow",
    reason: "its id is taken",
  }]]],
  ["a long title", [{ ...GOOD, title: "x".repeat(81) }], [[], [{
    id: "main-flow",
    reason: "its title has 81 characters, the limit is 80",
  }]]],
  ["no explanation", [{ ...GOOD, explanation: " " }], [[], [{
    id: "main-flow",
    reason: "its explanation is missing",
  }]]],
  ["no source", [{ ...GOOD, mermaid: 1 }], [[], [{
    id: "main-flow",
    reason: 'its source is missing, which stands in "mermaid"',
  }]]],
];

for (const [name, given, expected] of ROWS) {
  Deno.test(`checkDiagrams() answers for ${name}`, () => {
    assert.deepEqual(outcome(given), expected);
  });
}

Deno.test("checkDiagrams() gives no place to one that it drops", () => {
  const script = { ...GOOD, id: "bad", mermaid: 'graph TD\n a["<script>"]' };
  const many = ["a", "b", "c"].map((id) => ({ ...GOOD, id }));
  assert.deepEqual(outcome([script, ...many], 2), [["a", "b"], [
    { id: "bad", reason: "it holds an HTML tag; write plain text in labels" },
    { id: "c", reason: "the plan has 2 already, which is the limit" },
  ]]);
  assert.deepEqual(outcome([GOOD], 0), [[], [
    { id: "main-flow", reason: "diagrams are switched off" },
  ]]);
});

Deno.test("checkDiagrams() looks at no more than fifty", () => {
  const { accepted, dropped } = checkDiagrams(Array(60).fill({}), { sections, max: 8 });
  assert.deepEqual([accepted.length, dropped.length, dropped.at(-1)], [0, 51, {
    id: "diagrams",
    reason: "10 more were not looked at",
  }]);
});

Deno.test("checkDiagrams() finds the section and the type, and leaves out what it cannot find", () => {
  const given = [
    { ...GOOD, id: "a", section: "steps", type: "overview" },
    { ...GOOD, id: "b", section: "nowhere", type: "nonsense", title: "Two\nlines" },
    { ...GOOD, id: "c", mermaid: "erDiagram\n  A ||--o{ B : has" },
  ];
  const { accepted } = checkDiagrams(given, { sections, max: 5 });
  assert.deepEqual(accepted.map(({ section, type, title }) => [section, type, title]), [
    ["steps-of-work", "overview", "Main flow"],
    [undefined, "flow", "Two lines"],
    [undefined, "data", "Main flow"],
  ]);
});
