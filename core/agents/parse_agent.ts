import { quoted } from "../config/quoted.ts";
import type { AgentDefinition, AgentOrigin } from "./agent_definition.ts";
import { AgentFields, withoutAbsent } from "./agent_fields.ts";

/** A definition, or why there is none, and what its author should know. */
export type ParsedAgent =
  | {
    readonly status: "read";
    readonly definition: AgentDefinition;
    readonly warnings: readonly string[];
  }
  | { readonly status: "invalid"; readonly flaws: readonly string[] };

/** What stands around the fields of a definition. */
export interface AgentContext {
  /** Name that it has unless a field says otherwise. */
  readonly name: string;
  /** What follows the fields. */
  readonly body: string;
  readonly origin: AgentOrigin;
  readonly path?: string;
  /** Id of the plugin that brought it. */
  readonly plugin?: string;
}

const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 4096;
const NAME_REGEXP = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Reads the fields of a definition, in the dialects of Alisio, Claude Code and opencode. Pure.
 * Whatever is not understood narrows or is left out; nothing of it ever permits more.
 *
 * @param fields The fields.
 * @param context What stands around them.
 */
export function parseAgent(
  fields: Readonly<Record<string, unknown>>,
  context: AgentContext,
): ParsedAgent {
  const reader = new AgentFields(fields);
  const name = reader.text("name") ?? context.name;
  const description = reader.text("description") ?? "";
  const flaws = [
    // The configuration was checked as a whole, and knows more names.
    ...context.origin === "config" ? [] : nameFlaws(name),
    ...descriptionFlaws(fields["description"], description),
  ];
  if (flaws.length > 0) return { status: "invalid", flaws };
  const product = reader.product();
  const optional = {
    displayName: product.displayName,
    model: reader.model(),
    maxTurns: reader.turns(),
    color: reader.color(),
    effort: product.effort,
    answer: product.answer,
    path: context.path,
  };
  reader.sayUnknown();
  return {
    status: "read",
    warnings: reader.warnings,
    definition: {
      id: context.plugin === undefined ? name : `${context.plugin}:${name}`,
      description,
      prompt: context.body.trim(),
      ...reader.tools(),
      mode: reader.mode(),
      permission: reader.permission(),
      hidden: reader.flag("hidden"),
      background: reader.flag("background"),
      readOnly: reader.readOnly(),
      skills: reader.list("skills"),
      origin: context.origin,
      ...withoutAbsent(optional),
    },
  };
}

/**
 * Whether a name is one that a definition may have.
 *
 * @param name The name.
 */
export function isAgentName(name: string): boolean {
  return NAME_REGEXP.test(name) && name.length <= MAX_NAME_CHARS;
}

function nameFlaws(name: string): readonly string[] {
  if (isAgentName(name)) return [];
  return [
    `its name ${quoted(name, 80)} is not made of lower-case letters, digits and single hyphens, ` +
    `${MAX_NAME_CHARS} characters at most`,
  ];
}

function descriptionFlaws(value: unknown, description: string): readonly string[] {
  if (value === undefined || value === null || description === "") {
    return ['it has no "description", which says when to use it'];
  }
  if (description.length <= MAX_DESCRIPTION_CHARS) return [];
  return [
    `its "description" has ${description.length} characters, the limit is ${MAX_DESCRIPTION_CHARS}`,
  ];
}
