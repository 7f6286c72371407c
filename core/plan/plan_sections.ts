/** A heading of a plan, with what stands below it. */
export interface PlanSection {
  /** Unique in the plan: a slug of the title, with a number where that is taken. */
  readonly id: string;
  /** The heading without marks. */
  readonly title: string;
  /** How many `#` it has. */
  readonly level: number;
  /** Its own lines, up to the next heading of any level. */
  readonly lines: readonly string[];
}

/** A plan, taken apart. */
export interface SectionedPlan {
  /** The heading that stands for the whole, where there is one. */
  readonly title?: string;
  /** Lines that belong to no section. */
  readonly lead: readonly string[];
  readonly sections: readonly PlanSection[];
}

/** What a section of the usual structure is about. */
export type SectionKind = "goal" | "context" | "steps" | "decisions" | "risks" | "verification";

interface Heading {
  readonly title: string;
  readonly level: number;
  readonly lines: string[];
}

const HEADING_REGEXP = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$/;
const FENCE_REGEXP = /^ {0,3}(`{3,}|~{3,})/;
const MAX_SLUG_CHARS = 60;

const ALIASES: Readonly<Record<SectionKind, readonly string[]>> = {
  goal: ["goal", "goals", "objective", "objectives", "objetivo", "objetivos", "meta", "metas"],
  context: ["context", "background", "contexto", "antecedentes"],
  steps: [
    "steps",
    "plan",
    "implementation",
    "implementation steps",
    "implementation plan",
    "pasos",
    "etapas",
    "implementacion",
    "plan de implementacion",
  ],
  decisions: ["decisions", "key decisions", "decisiones"],
  risks: ["risks", "risks and mitigations", "riesgos"],
  verification: ["verification", "testing", "tests", "validation", "verificacion", "pruebas"],
};

/**
 * Takes the Markdown of a plan apart at its headings; what looks like one in a fenced block is none.
 * A single `#` heading above others is the title of the whole. Pure.
 *
 * @param markdown The plan.
 */
export function splitPlan(markdown: string): SectionedPlan {
  const { lead, headings } = readHeadings(markdown);
  const tops = headings.filter(({ level }) => level === 1);
  const title = tops.length === 1 && headings.length > 1 ? tops[0] : undefined;
  const taken = new Set<string>();
  const sections = headings.filter((heading) => heading !== title).map((heading) => ({
    id: uniqueSlug(heading.title, taken),
    ...heading,
  }));
  return {
    ...(title === undefined ? {} : { title: title.title }),
    lead: [...lead, ...title?.lines ?? []],
    sections,
  };
}

/**
 * What a section is about, by its heading in English or Spanish. Pure.
 *
 * @param title The heading.
 * @returns Undefined for a heading of another kind.
 */
export function sectionKind(title: string): SectionKind | undefined {
  const name = plainWords(title).replace(/^\d+ /, "");
  return (Object.keys(ALIASES) as SectionKind[]).find((kind) => ALIASES[kind].includes(name));
}

/**
 * The section that a reference means: by its id, its title, or the start of one. Pure.
 *
 * @param reference What somebody wrote.
 * @param sections Sections of the plan.
 */
export function findSection(
  reference: string,
  sections: readonly PlanSection[],
): PlanSection | undefined {
  const wanted = plainWords(reference);
  if (wanted === "") return undefined;
  const named = ({ id, title }: PlanSection) => [id.replaceAll("-", " "), plainWords(title)];
  return sections.find((section) => named(section).includes(wanted)) ??
    sections.find((section) => named(section).some((name) => name.startsWith(wanted)));
}

/**
 * Lower-case letters and digits of a text, joined by hyphens. Pure.
 *
 * @param text Any text.
 * @param maxChars The longest slug.
 */
export function slugOf(text: string, maxChars = MAX_SLUG_CHARS): string {
  return plainWords(text).replaceAll(" ", "-").replace(/[^\p{L}\p{N}-]/gu, "").slice(0, maxChars)
    .replace(/^-+|-+$/g, "");
}

function readHeadings(markdown: string): { readonly lead: string[]; readonly headings: Heading[] } {
  const lead: string[] = [];
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark] = FENCE_REGEXP.exec(line) ?? [];
    if (fence === undefined) {
      const [, marks, title = ""] = HEADING_REGEXP.exec(line) ?? [];
      if (marks !== undefined) {
        headings.push({ title: plainTitle(title), level: marks.length, lines: [] });
        continue;
      }
      fence = mark;
    } else if (mark !== undefined && closes(line, mark, fence)) fence = undefined;
    (headings.at(-1)?.lines ?? lead).push(line);
  }
  return { lead, headings };
}

function closes(line: string, mark: string, fence: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
}

function plainTitle(title: string): string {
  return title.replace(/[*_`]+/g, "").trim();
}

function plainWords(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function uniqueSlug(title: string, taken: Set<string>): string {
  const slug = slugOf(title) || "section";
  const numbers = Array.from({ length: taken.size + 1 }, (_, index) => index);
  const free = numbers.map((index) => index === 0 ? slug : `${slug}-${index + 1}`)
    .find((id) => !taken.has(id)) ?? slug;
  taken.add(free);
  return free;
}
