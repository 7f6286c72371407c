import { isObject } from "../config/is_object.ts";
import { previewText } from "../text/bound_text.ts";
import { checkSource } from "./diagram_source.ts";
import type { CheckedDiagrams, DiagramType, DroppedDiagram, PlanDiagram } from "./plan_diagram.ts";
import { findSection, type PlanSection } from "./plan_sections.ts";

/** Longest id of a diagram. */
export const MAX_DIAGRAM_ID_CHARS = 40;
/** Longest title of a diagram. */
export const MAX_DIAGRAM_TITLE_CHARS = 80;
/** Longest explanation of a diagram. */
export const MAX_EXPLANATION_CHARS = 400;

/** Behind so many, nothing is looked at one by one. */
const MAX_GIVEN = 50;

const ID_REGEXP = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const TYPES: readonly DiagramType[] = [
  "overview",
  "flow",
  "components",
  "architecture",
  "sequence",
  "data",
  "state",
  "other",
];

const TYPE_OF_SYNTAX: Readonly<Record<string, DiagramType>> = {
  flowchart: "flow",
  graph: "flow",
  sequenceDiagram: "sequence",
  stateDiagram: "state",
  "stateDiagram-v2": "state",
  erDiagram: "data",
  classDiagram: "components",
};

/**
 * Checks the diagrams of a plan. One that cannot be used is left out with a reason, and takes no
 * place of another. Pure.
 *
 * @param given What the model wrote.
 * @param options Sections of the plan, and how many diagrams it may have.
 */
export function checkDiagrams(
  given: unknown,
  { sections, max }: { readonly sections: readonly PlanSection[]; readonly max: number },
): CheckedDiagrams {
  if (given === undefined || given === null) return { accepted: [], dropped: [] };
  if (!Array.isArray(given)) {
    return { accepted: [], dropped: [{ id: "diagrams", reason: "it is no list" }] };
  }
  const accepted: PlanDiagram[] = [];
  const dropped: DroppedDiagram[] = [];
  for (const [index, entry] of given.slice(0, MAX_GIVEN).entries()) {
    const id = idOf(entry, index);
    const drop = (reason: string) => void dropped.push({ id, reason });
    const found = readDiagram(entry, sections);
    if (typeof found === "string") drop(found);
    else if (max === 0) drop("diagrams are switched off");
    else if (accepted.some((each) => each.id === found.id)) drop("its id is taken");
    else if (accepted.length >= max) drop(`the plan has ${max} already, which is the limit`);
    else accepted.push(found);
  }
  if (given.length > MAX_GIVEN) {
    dropped.push({ id: "diagrams", reason: `${given.length - MAX_GIVEN} more were not looked at` });
  }
  return { accepted, dropped };
}

function idOf(entry: unknown, index: number): string {
  const id = isObject(entry) ? entry["id"] : undefined;
  return typeof id === "string" && id !== ""
    ? previewText(id, MAX_DIAGRAM_ID_CHARS)
    : `diagram ${index + 1}`;
}

/** Answers what is wrong with it otherwise. */
function readDiagram(entry: unknown, sections: readonly PlanSection[]): PlanDiagram | string {
  if (!isObject(entry)) return "it is no object";
  const { id, mermaid } = entry;
  if (typeof id !== "string" || !ID_REGEXP.test(id) || id.length > MAX_DIAGRAM_ID_CHARS) {
    return "its id is not lower-case words with hyphens, " +
      `${MAX_DIAGRAM_ID_CHARS} characters at most`;
  }
  const title = readText(entry, "title", MAX_DIAGRAM_TITLE_CHARS);
  if (title.problem !== undefined) return title.problem;
  const explanation = readText(entry, "explanation", MAX_EXPLANATION_CHARS);
  if (explanation.problem !== undefined) return explanation.problem;
  if (typeof mermaid !== "string") return 'its source is missing, which stands in "mermaid"';
  const checked = checkSource(mermaid);
  if (checked.status === "rejected") return checked.reason;
  const { syntax, source } = checked;
  const section = typeof entry["section"] === "string"
    ? findSection(entry["section"], sections)?.id
    : undefined;
  return {
    id,
    title: title.text,
    explanation: explanation.text,
    ...(section === undefined ? {} : { section }),
    type: TYPES.find((each) => each === entry["type"]) ?? TYPE_OF_SYNTAX[syntax] ?? "other",
    syntax,
    source,
  };
}

/** One line, because it stands in one. */
function readText(
  entry: Readonly<Record<string, unknown>>,
  key: string,
  maxChars: number,
): { readonly text: string; readonly problem?: string } {
  const value = entry[key];
  if (typeof value !== "string" || value.trim() === "") {
    return { text: "", problem: `its ${key} is missing` };
  }
  // deno-lint-ignore no-control-regex -- what steers a terminal has no place in a line of text
  const text = value.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  if (text.length <= maxChars) return { text };
  return { text, problem: `its ${key} has ${text.length} characters, the limit is ${maxChars}` };
}
