import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import { readFrontmatter, type YamlParser } from "../frontmatter/frontmatter.ts";
import type { PromptRequirement, PromptTemplate } from "./prompt_template.ts";

/** What a file says of its template. */
export type TemplateText = Pick<
  PromptTemplate,
  "description" | "argumentHint" | "requires" | "body"
>;

const NAME_REGEXP = /^[a-z0-9][a-z0-9-]{0,40}$/;
const KEYS = ["description", "argument-hint", "requires"] as const;
const REQUIREMENTS: readonly PromptRequirement[] = ["write", "process"];
const MAX_DESCRIPTION_CHARS = 300;
const MAX_HINT_CHARS = 120;

/**
 * What is wrong with the name of a template.
 *
 * @param name The name of its file, without `.md`.
 * @returns Null if nothing is; else the rest of a sentence.
 */
export function templateNameFlaw(name: string): string | null {
  return NAME_REGEXP.test(name)
    ? null
    : `its name ${quoted(name)} is not made of 1 to 41 lowercase letters, digits and hyphens, ` +
      "the first no hyphen";
}

/**
 * Reads and checks the text of a template. Pure.
 *
 * @param text The text of its file.
 * @param parse Reads YAML.
 * @returns The template, or everything that is wrong with it, as the rest of a sentence each.
 */
export function parseTemplate(
  text: string,
  parse: YamlParser,
): { readonly template: TemplateText } | { readonly flaws: readonly string[] } {
  const head = readFrontmatter(text, parse);
  if (head.status === "broken") return { flaws: [head.reason] };
  const { fields, body } = head;
  const flaws = [
    ...head.flaw === undefined ? [] : [head.flaw],
    ...Object.keys(fields).flatMap(unknownKey),
    ...textFlaw(fields, "description", MAX_DESCRIPTION_CHARS),
    ...fields["argument-hint"] === undefined
      ? []
      : textFlaw(fields, "argument-hint", MAX_HINT_CHARS),
    ...requiresFlaw(fields.requires),
    ...body === "" ? ["it holds no prompt"] : [],
  ];
  if (flaws.length > 0) return { flaws };
  const hint = fields["argument-hint"];
  return {
    template: {
      description: String(fields.description).trim(),
      ...hint === undefined ? {} : { argumentHint: String(hint).trim() },
      requires: REQUIREMENTS.filter((each) => listOf(fields.requires).includes(each)),
      body,
    },
  };
}

function unknownKey(key: string): readonly string[] {
  if (KEYS.some((known) => known === key)) return [];
  const nearest = nearestName(key, KEYS);
  const advice = nearest === undefined
    ? `the fields are ${KEYS.map((known) => `"${known}"`).join(", ")}`
    : `did you mean "${nearest}"?`;
  return [`it has a field ${quoted(key)} that no template has: ${advice}`];
}

function textFlaw(
  fields: Readonly<Record<string, unknown>>,
  key: string,
  maxChars: number,
): readonly string[] {
  const value = fields[key];
  if (value === undefined || value === null) return [`its field "${key}" is missing`];
  if (typeof value !== "string") return [`its field "${key}" is not text; put it in quotes`];
  const { length } = value.trim();
  if (length === 0) return [`its field "${key}" is empty`];
  return length > maxChars
    ? [`its field "${key}" is ${length} characters long, the limit is ${maxChars}`]
    : [];
}

function requiresFlaw(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const isKnown = Array.isArray(value) && value.every((each) => REQUIREMENTS.includes(each));
  return isKnown ? [] : ['its field "requires" is no list of "write" and "process"'];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
