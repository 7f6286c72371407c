import assert from "node:assert/strict";
import { compareDiagrams } from "../../../core/plan/compare_diagrams.ts";
import type { PlanDiagram } from "../../../core/plan/plan_diagram.ts";
import { createPlanDocument } from "../../../core/plan/plan_document.ts";
import { diagramHash, planHash } from "../../../core/plan/plan_hash.ts";
import { splitPlan } from "../../../core/plan/plan_sections.ts";

const IDENTITY = { planId: "p1", revision: 2, title: "All", hash: "h" };
const DIAGRAM: PlanDiagram = {
  id: "flow",
  title: "Flow",
  explanation: "How",
  section: "steps",
  type: "flow",
  syntax: "flowchart",
  source: "flowchart TD\n  a --> b",
};

Deno.test("createPlanDocument() takes a whole plan apart", () => {
  const markdown = [
    "# All",
    "Lead.",
    "## Goal",
    "Make **it** work with [docs](https://x).",
    "",
    "- first",
    "- second",
    "## Steps",
    "1. Change `core/a.ts`",
    "   - with care",
    "2. Test",
    "## Decisions",
    "- Keep it",
    "## Risks",
    "It may break.",
    "## Verification",
    "- `deno test`",
  ].join("\n");
  const kept = [{ ...DIAGRAM, hash: "d", status: "new" as const }];
  const removed = [{ id: "old", title: "Old" }];
  const { source: _, ...facts } = DIAGRAM;
  assert.deepEqual(createPlanDocument(splitPlan(markdown), IDENTITY, { kept, removed }), {
    version: 1,
    ...IDENTITY,
    summary: "Make it work with docs.",
    goals: ["first", "second"],
    stages: [{ title: "Change core/a.ts", detail: "with care" }, { title: "Test" }],
    considerations: [
      { kind: "decision", text: "Keep it" },
      { kind: "risk", text: "It may break." },
      { kind: "verification", text: "deno test" },
    ],
    sections: [
      { id: "goal", title: "Goal", level: 2 },
      { id: "steps", title: "Steps", level: 2 },
      { id: "decisions", title: "Decisions", level: 2 },
      { id: "risks", title: "Risks", level: 2 },
      { id: "verification", title: "Verification", level: 2 },
    ],
    diagrams: [{ ...facts, hash: "d", status: "new", file: "diagrams/flow.mmd" }],
    removed,
  });
});

Deno.test("createPlanDocument() takes headings below the steps for stages", () => {
  const plan = splitPlan("Lead text\n\n## Pasos\n### Uno\nhacer\n### Dos\n## Riesgos\n- r");
  const { summary, stages } = createPlanDocument(plan, IDENTITY, { kept: [], removed: [] });
  assert.deepEqual([summary, stages], ["Lead text", [{ title: "Uno", detail: "hacer" }, {
    title: "Dos",
  }]]);
});

Deno.test("createPlanDocument() keeps thirty entries and bounds each", () => {
  const steps = Array.from({ length: 50 }, () => `- ${"x".repeat(300)}`).join("\n");
  const plan = splitPlan(`## Steps\n${steps}`);
  const { stages } = createPlanDocument(plan, IDENTITY, { kept: [], removed: [] });
  assert.deepEqual([stages.length, stages[0]?.title.length], [30, 201]);
});

Deno.test("planHash() changes with the text, and with any diagram", async () => {
  const hash = await diagramHash(DIAGRAM);
  const hashes = await Promise.all([
    planHash("a", []),
    planHash("b", []),
    planHash("a", [{ id: "flow", hash }]),
    planHash("a", [{ id: "flow2", hash }]),
    diagramHash({ ...DIAGRAM, title: "Other" }),
    diagramHash({ ...DIAGRAM, source: "x" }),
  ]);
  assert.equal(new Set([hash, ...hashes]).size, 7);
  assert.match(hash, /^[0-9a-f]{64}$/);
});

Deno.test("compareDiagrams() says what is new, changed and gone", () => {
  const made = (id: string, hash: string) => ({ ...DIAGRAM, id, hash });
  const before = ["same", "changed", "gone"].map((id) => ({ id, title: id, hash: "1" }));
  const { kept, removed } = compareDiagrams(
    [made("same", "1"), made("changed", "2"), made("fresh", "1")],
    before,
  );
  assert.deepEqual([kept.map(({ status }) => status), removed.map(({ id }) => id)], [
    ["unchanged", "updated", "new"],
    ["gone"],
  ]);
});
