import { visibleName } from "../process/visible_text.ts";
import { previewText } from "../text/bound_text.ts";
import { quotePath } from "../paths/quote_path.ts";
import { isUsable, type Skill, type SkillListing } from "./skill.ts";

/** Characters of all names and descriptions together. */
export const MAX_CATALOG_CHARS = 12_000;

/** What of a description stays where not all of them fit. */
const SHORT_CHARS = 160;

/** More files than this are counted, not named. */
const MAX_NOTICES = 5;

const HEAD = [
  "# Skills",
  "",
  "A skill holds instructions for one kind of task. When one fits what you are asked, load it with " +
  "skill_load before you begin, and follow it. Do not load one that does not fit.",
  "",
];

/**
 * What a model is told of skills before it loads one: names and descriptions, within
 * {@linkcode MAX_CATALOG_CHARS}. Descriptions are shortened first, and what does not fit even then is
 * counted.
 *
 * @param skills All skills.
 * @returns Null if the model may use none.
 */
export function formatSkills(skills: readonly Skill[]): string | null {
  const usable = skills.filter(isUsable).toSorted((a, b) => a.name < b.name ? -1 : 1);
  if (usable.length === 0) return null;
  const whole = usable.map(({ name, description }) => row(name, description));
  const rows = lengthOf(whole) <= MAX_CATALOG_CHARS ? whole : fitting(
    usable.map(({ name, description }) => row(name, previewText(description, SHORT_CHARS))),
  );
  return [...HEAD, ...rows].join("\n");
}

/**
 * What a person should know when a session is opened: the skills that are left out. `skills validate`
 * says the rest.
 *
 * @param listing What was found.
 * @returns One sentence each.
 */
export function skillNotices({ diagnostics }: SkillListing): readonly string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const more = errors.length - MAX_NOTICES;
  return [
    ...errors.slice(0, MAX_NOTICES).map(({ path, message }) =>
      `Left out skill ${quotePath(path)}: ${message}`
    ),
    ...(more <= 0 ? [] : [`Left out ${more} more skills; see "alisio skills validate"`]),
  ];
}

function row(name: string, description: string): string {
  return `- ${name}: ${visibleName(description.replace(/\s+/g, " "))}`;
}

function fitting(rows: readonly string[]): readonly string[] {
  let left = MAX_CATALOG_CHARS;
  const kept = rows.filter((row) => (left -= row.length + 1) >= 0);
  return kept.length === rows.length
    ? rows
    : [...kept, `- and ${rows.length - kept.length} more, which skill_search finds`];
}

function lengthOf(rows: readonly string[]): number {
  return rows.reduce((sum, row) => sum + row.length + 1, 0);
}
