import type { JsonValue } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";

/** Fields of a checkpoint: name, title, and what the model is told of it. */
export const CHECKPOINT_FIELDS: readonly (readonly [string, string, string])[] = [
  ["goal", "Goal", "what the person wants, in one or two sentences"],
  [
    "instructions",
    "Instructions",
    "list: what the person asked to be done, avoided or kept to, as exactly as they said it",
  ],
  [
    "discoveries",
    "Discoveries",
    "list: facts that were found out and are still needed, with names, paths, numbers and causes",
  ],
  ["accomplished", "Accomplished", "list: what is done, and how it was checked"],
  ["currentState", "Current state", "what was being done when this part of the work ends"],
  ["nextSteps", "Next steps", "list: what is left, in order"],
  ["relevantFiles", "Relevant files", "list: paths, each with a word on why it matters"],
];

/** What a model made of a conversation. */
export interface Checkpoint {
  /** Whether the answer was the JSON that was asked for. */
  readonly structured: boolean;
  /** Its fields, cleaned; empty where it is a text. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Everything that the answer held beside them. */
  readonly others: Readonly<Record<string, JsonValue>>;
  /** The whole as the next model reads it, without a heading. */
  readonly text: string;
}

/** With less than that, words say nothing. */
const MIN_CHARS = 16;
const MAX_ITEM_CHARS = 8_000;
const MAX_ITEMS = 200;

/** What a model may think aloud before it answers. */
const THOUGHTS_REGEXP = /<(think|thinking|reasoning)>[^]*?(?:<\/\1>|$)/g;

/**
 * Reads the answer of a model that was asked for a checkpoint. What is no JSON becomes a text.
 *
 * @param answer What the model wrote.
 * @returns Null where it says nothing that could stand for a conversation.
 */
export function parseCheckpoint(answer: string): Checkpoint | null {
  const said = answer.replaceAll(THOUGHTS_REGEXP, "").trim();
  const object = findObject(said);
  const fields = object === null ? {} : cleanFields(object);
  const text = formatFields(fields);
  if (object !== null && text !== "") {
    const known = new Set(CHECKPOINT_FIELDS.map(([name]) => name));
    const others = Object.fromEntries(Object.entries(object).filter(([name]) => !known.has(name)));
    return { structured: true, fields, others, text };
  }
  const words = said.replaceAll(/^```\w*$/gm, "").trim();
  if (words.length < MIN_CHARS) return null;
  return { structured: false, fields: {}, others: {}, text: words };
}

/** The object of an answer, which may stand between words or in a block of code. */
function findObject(text: string): Readonly<Record<string, JsonValue>> | null {
  const from = text.indexOf("{");
  const end = text.lastIndexOf("}");
  const block = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(text)?.[1];
  for (const candidate of [text, block, from < 0 ? undefined : text.slice(from, end + 1)]) {
    if (candidate === undefined) continue;
    try {
      const value: unknown = JSON.parse(candidate);
      // It was read from JSON.
      if (isObject(value)) return value as Readonly<Record<string, JsonValue>>;
    } catch {
      // The next candidate may be the one.
    }
  }
  return null;
}

function cleanFields(
  object: Readonly<Record<string, JsonValue>>,
): Readonly<Record<string, JsonValue>> {
  const fields: Record<string, JsonValue> = {};
  for (const [name] of CHECKPOINT_FIELDS) {
    const value = Object.hasOwn(object, name) ? object[name] ?? null : null;
    const cleaned = Array.isArray(value)
      ? value.slice(0, MAX_ITEMS).map(asText).filter((item) => item !== "")
      : asText(value);
    if (cleaned.length > 0) fields[name] = cleaned;
  }
  return fields;
}

function asText(value: JsonValue): string {
  if (value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.trim().slice(0, MAX_ITEM_CHARS).toWellFormed();
}

function formatFields(fields: Readonly<Record<string, JsonValue>>): string {
  return CHECKPOINT_FIELDS.flatMap(([name, title]) => {
    const value = fields[name];
    if (value === undefined) return [];
    const body = Array.isArray(value) ? value.map((item) => `- ${item}`).join("\n") : `${value}`;
    return [`## ${title}\n${body}`];
  }).join("\n\n");
}
