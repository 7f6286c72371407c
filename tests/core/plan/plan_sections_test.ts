import assert from "node:assert/strict";
import { findSection, sectionKind, splitPlan } from "../../../core/plan/plan_sections.ts";

function outline(markdown: string): unknown {
  const { title, sections } = splitPlan(markdown);
  return [title ?? null, ...sections.map(({ id, level }) => `${level} ${id}`)];
}

const PLANS: readonly (readonly [string, string, readonly unknown[]])[] = [
  ["no heading", "Just text", [null]],
  ["a title and sections", "# All\n## Goal\n## Steps", ["All", "2 goal", "2 steps"]],
  ["only headings of the first level", "# Goal\n# Steps", [null, "1 goal", "1 steps"]],
  ["one heading alone", "# Goal\ntext", [null, "1 goal"]],
  ["a heading twice", "## Steps\n## Steps\n## Steps", [null, "2 steps", "2 steps-2", "2 steps-3"]],
  ["marks in a heading", "## **Goal** `x` ##", [null, "2 goal-x"]],
  ["another script", "## Цель\n## ✨", [null, "2 цель", "2 section"]],
  ["fences", "## A\n```md\n## B\n```\n~~~\n```\n## C\n~~~\n## D", [null, "2 a", "2 d"]],
  ["a fence that is not closed", "## A\n````\n## B\n```", [null, "2 a"]],
  ["a number sign without a space", "#Goal\n##", [null, "2 section"]],
];

for (const [name, markdown, expected] of PLANS) {
  Deno.test(`splitPlan() understands ${name}`, () => {
    assert.deepEqual(outline(markdown), expected);
  });
}

const KINDS: readonly (readonly [string, string | undefined])[] = [
  ["Goal", "goal"],
  ["1. Objetivos:", "goal"],
  ["Contexto", "context"],
  ["Pasos", "steps"],
  ["Implementation plan", "steps"],
  ["Decisiones", "decisions"],
  ["RISKS", "risks"],
  ["Verificación", "verification"],
  ["Goalkeeper", undefined],
  ["", undefined],
];

for (const [title, kind] of KINDS) {
  Deno.test(`sectionKind() takes ${JSON.stringify(title)} for ${kind}`, () => {
    assert.equal(sectionKind(title), kind);
  });
}

const REFERENCES: readonly (readonly [string, string | undefined])[] = [
  ["steps", "steps"],
  ["The Steps", "the-steps"],
  ["the-steps", "the-steps"],
  ["verif", "verification"],
  ["nothing", undefined],
  ["  ", undefined],
];

for (const [reference, id] of REFERENCES) {
  Deno.test(`findSection() finds ${id} for ${JSON.stringify(reference)}`, () => {
    const { sections } = splitPlan("## Steps\n## The Steps\n## Verification");
    assert.equal(findSection(reference, sections)?.id, id);
  });
}
