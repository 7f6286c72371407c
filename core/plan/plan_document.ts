import { previewText } from "../text/bound_text.ts";
import type { PlanDiagram } from "./plan_diagram.ts";
import type { HashedDiagram } from "./plan_hash.ts";
import {
  type PlanSection,
  type SectionedPlan,
  type SectionKind,
  sectionKind,
} from "./plan_sections.ts";

/** Entries of each list of a {@linkcode PlanDocument}. */
export const MAX_DOCUMENT_ITEMS = 30;

const MAX_SUMMARY_CHARS = 1_000;
const MAX_ITEM_CHARS = 500;
const MAX_TITLE_CHARS = 200;
const MAX_DETAIL_CHARS = 1_000;

/** How a diagram compares with the revision before. */
export type DiagramStatus = "new" | "updated" | "unchanged";

/** A diagram with what is known of it. */
export interface DiagramRevision extends PlanDiagram {
  /** SHA-256 of all that a reader sees of it. */
  readonly hash: string;
  /** How it compares with the revision before. */
  readonly status: DiagramStatus;
}

/** What `plan.json` holds: the parts of a plan, as text without marks. */
export interface PlanDocument {
  readonly version: 1;
  readonly planId: string;
  readonly revision: number;
  readonly title: string;
  readonly hash: string;
  /** First paragraph of the goal, or of what stands before every heading. */
  readonly summary: string;
  readonly goals: readonly string[];
  readonly stages: readonly { readonly title: string; readonly detail?: string }[];
  readonly considerations: readonly {
    readonly kind: "decision" | "risk" | "verification";
    readonly text: string;
  }[];
  readonly sections: readonly Pick<PlanSection, "id" | "title" | "level">[];
  readonly diagrams: readonly (Omit<DiagramRevision, "source"> & { readonly file: string })[];
  /** Those of the revision before that this one does not have. */
  readonly removed: readonly Pick<HashedDiagram, "id" | "title">[];
}

/** What identifies a revision. */
export type PlanIdentity = Pick<PlanDocument, "planId" | "revision" | "title" | "hash">;

interface Item {
  readonly text: string;
  readonly detail: string;
}

const ITEM_REGEXP = /^( {0,3})(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/;

/**
 * Makes the manifest of a plan from its text. Pure: the same plan gives the same bytes.
 *
 * @param plan The plan, taken apart.
 * @param identity Which revision it is.
 * @param diagrams Its diagrams, and those that the revision before had beside them.
 */
export function createPlanDocument(
  { lead, sections }: SectionedPlan,
  { planId, revision, title, hash }: PlanIdentity,
  diagrams: {
    readonly kept: readonly DiagramRevision[];
    readonly removed: readonly Pick<HashedDiagram, "id" | "title">[];
  },
): PlanDocument {
  const goal = linesOf("goal", sections);
  return {
    version: 1,
    planId,
    revision,
    title,
    hash,
    summary: firstParagraph(goal) || firstParagraph(lead),
    goals: items(goal).map(({ text }) => capped(text, MAX_ITEM_CHARS)),
    stages: stagesOf(sections),
    considerations: [
      ...considerations("decision", linesOf("decisions", sections)),
      ...considerations("risk", linesOf("risks", sections)),
      ...considerations("verification", linesOf("verification", sections)),
    ].slice(0, MAX_DOCUMENT_ITEMS),
    sections: sections.slice(0, MAX_DOCUMENT_ITEMS).map(({ id, title, level }) => ({
      id,
      title: capped(title, MAX_TITLE_CHARS),
      level,
    })),
    diagrams: diagrams.kept.map(({ source: _, ...facts }) => ({
      ...facts,
      file: `diagrams/${facts.id}.mmd`,
    })),
    removed: diagrams.removed.map(({ id, title }) => ({ id, title })),
  };
}

/** The section of a kind, with the sections below it. */
function familyOf(kind: SectionKind, sections: readonly PlanSection[]): readonly PlanSection[] {
  const at = sections.findIndex(({ title }) => sectionKind(title) === kind);
  const head = sections[at];
  if (head === undefined) return [];
  const rest = sections.slice(at + 1);
  const end = rest.findIndex(({ level }) => level <= head.level);
  return [head, ...end < 0 ? rest : rest.slice(0, end)];
}

function linesOf(kind: SectionKind, sections: readonly PlanSection[]): readonly string[] {
  return familyOf(kind, sections).flatMap(({ lines }) => [...lines, ""]);
}

function stagesOf(sections: readonly PlanSection[]): PlanDocument["stages"] {
  const [head, ...below] = familyOf("steps", sections);
  const listed = items(head?.lines ?? []);
  const stages = listed.length > 0 || below.length === 0
    ? listed
    : below.map(({ title, lines }) => ({ text: title, detail: lines.join("\n") }));
  return stages.slice(0, MAX_DOCUMENT_ITEMS).map(({ text, detail }) => {
    const shown = capped(detail, MAX_DETAIL_CHARS);
    return {
      title: capped(text, MAX_TITLE_CHARS),
      ...(shown === "" ? {} : { detail: shown }),
    };
  });
}

function considerations(
  kind: PlanDocument["considerations"][number]["kind"],
  lines: readonly string[],
): PlanDocument["considerations"] {
  const listed = items(lines);
  const texts = listed.length > 0
    ? listed.map(({ text, detail }) => `${text} ${detail}`)
    : paragraphs(lines);
  return texts.map((text) => ({ kind, text: capped(text, MAX_ITEM_CHARS) }));
}

/** Items of the first level; what is set in below one is its detail. */
function items(lines: readonly string[]): readonly Item[] {
  const found: { text: string; detail: string[] }[] = [];
  for (const line of lines) {
    const [, indent, text = ""] = ITEM_REGEXP.exec(line) ?? [];
    const last = found.at(-1);
    if (indent !== undefined && (indent.length < 2 || last === undefined)) {
      found.push({ text, detail: [] });
    } else if (last !== undefined && (/^\s+\S/.test(line) || line.trim() === "")) {
      last.detail.push(line);
    }
  }
  return found.slice(0, MAX_DOCUMENT_ITEMS).map(({ text, detail }) => ({
    text,
    detail: detail.join("\n"),
  }));
}

function firstParagraph(lines: readonly string[]): string {
  return capped(paragraphs(lines)[0] ?? "", MAX_SUMMARY_CHARS);
}

function paragraphs(lines: readonly string[]): readonly string[] {
  return lines.join("\n").split(/\n[ \t]*\n/).map((each) => each.trim())
    .filter((each) => each !== "" && !ITEM_REGEXP.test(each.split("\n")[0] ?? ""));
}

function capped(markdown: string, maxChars: number): string {
  return previewText(plainText(markdown), maxChars);
}

/** Without marks, on one line. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|`+|~~)/g, "")
    .replace(/^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}
