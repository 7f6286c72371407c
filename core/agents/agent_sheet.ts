import type { JsonValue } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { YamlChange } from "../frontmatter/yaml_editor.ts";
import { splitAgentTools } from "./agent_fields.ts";

/** What a person writes of an agent, one text for each line of a form. Empty is absent. */
export interface AgentSheet {
  /** Name for people. */
  readonly displayName: string;
  /** When to use it. */
  readonly description: string;
  /** What it is told. */
  readonly instructions: string;
  /** The model that it works with. */
  readonly model: string;
  /** The only tools that it has, with commas between them. */
  readonly tools: string;
  /** Reasoning effort. */
  readonly effort: string;
  /** Whether it only looks. */
  readonly readOnly: boolean;
}

/** A sheet on which nothing is written. */
export const EMPTY_SHEET: AgentSheet = {
  displayName: "",
  description: "",
  instructions: "",
  model: "",
  tools: "",
  effort: "",
  readOnly: false,
};

/**
 * What a person can write anew of a definition. Pure.
 *
 * @param fields The fields of its file.
 * @param body What follows them.
 */
export function sheetOf(fields: Readonly<Record<string, unknown>>, body: string): AgentSheet {
  const product = isObject(fields["alisio"]) ? fields["alisio"] : {};
  const reasoning = isObject(product["reasoning"]) ? product["reasoning"] : {};
  const { tools } = fields;
  return {
    displayName: textOf(product["displayName"]),
    description: textOf(fields["description"]),
    instructions: body,
    model: textOf(fields["model"]),
    tools: Array.isArray(tools) ? tools.map(textOf).join(", ") : textOf(tools),
    effort: textOf(reasoning["effort"]),
    // What is misspelled narrows.
    readOnly: ![undefined, null, false, "false"].some((off) => fields["readOnly"] === off),
  };
}

/**
 * Whether the tools of a definition are written so that a line of a form can hold them.
 *
 * @param fields The fields of its file.
 */
export function hasPlainTools({ tools }: Readonly<Record<string, unknown>>): boolean {
  return tools === undefined || tools === null || typeof tools === "string" ||
    Array.isArray(tools) && tools.every((tool) => typeof tool === "string");
}

/**
 * What differs between two sheets, as changes of fields; the instructions are none of them. Pure.
 *
 * @param before What the file says.
 * @param after What it is to say.
 */
export function sheetChanges(before: AgentSheet, after: AgentSheet): readonly YamlChange[] {
  return FIELDS.flatMap(({ key, path, value }) =>
    before[key] === after[key] ? [] : [{ path, value: value(after) }]
  );
}

const FIELDS: readonly {
  readonly key: keyof AgentSheet;
  readonly path: readonly string[];
  readonly value: (sheet: AgentSheet) => JsonValue | undefined;
}[] = [
  { key: "description", path: ["description"], value: (sheet) => present(sheet.description) },
  { key: "model", path: ["model"], value: (sheet) => present(sheet.model) },
  {
    key: "tools",
    path: ["tools"],
    value: ({ tools }) => tools === "" ? undefined : [...splitAgentTools(tools)],
  },
  {
    key: "readOnly",
    path: ["readOnly"],
    value: ({ readOnly }) => readOnly ? true : undefined,
  },
  {
    key: "displayName",
    path: ["alisio", "displayName"],
    value: (sheet) => present(sheet.displayName),
  },
  {
    key: "effort",
    path: ["alisio", "reasoning", "effort"],
    value: (sheet) => present(sheet.effort),
  },
];

function present(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" ? String(value) : "";
}
