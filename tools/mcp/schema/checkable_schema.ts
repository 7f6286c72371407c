import type { JsonSchema, JsonValue } from "@alisio/sdk";
import { isObject } from "../../../core/config/is_object.ts";
import { resolveReference } from "./schema_source.ts";

/** Schemas that one check may come to, each as often as a reference leads there. */
const MAX_VISITS = 20_000;
const MAX_DEPTH = 60;

/** Expressions of a server may take for ever, and what names and formats are is its own to say. */
const UNCHECKED: ReadonlySet<string> = new Set([
  ...["pattern", "patternProperties", "propertyNames", "format", "unevaluatedProperties"],
  ...["unevaluatedItems", "$schema", "$id", "id", "$comment", "default", "examples", "description"],
]);

/** Values that stand for themselves, whatever is in them. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const"]);
/** Keywords whose entries are names, and no keywords. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

/**
 * What an input can be held against in bounded time: a declared schema without its expressions and
 * formats. A schema that is too large, too deep or not local becomes one that takes anything, and
 * the server checks by itself. Pure; never throws.
 *
 * @param declared What a server sent.
 */
export function checkableSchema(declared: unknown): JsonSchema {
  if (!isObject(declared)) return {};
  const room = { visits: MAX_VISITS };
  if (!isBounded(declared, declared, { room, trail: [], depth: 0 })) return {};
  return Object.fromEntries(Object.entries(withoutUnchecked(declared)));
}

/** Whether following everything ends soon. A reference in a circle is followed once. */
function isBounded(
  value: unknown,
  root: unknown,
  place: {
    readonly room: { visits: number };
    readonly trail: readonly string[];
    readonly depth: number;
  },
): boolean {
  if (typeof value !== "object" || value === null) return true;
  place.room.visits -= 1;
  if (place.room.visits < 0 || place.depth > MAX_DEPTH) return false;
  const next = { ...place, depth: place.depth + 1 };
  for (const [keyword, each] of Object.entries(value)) {
    if (keyword === "$ref" && typeof each === "string") {
      const target = resolveReference(each, root);
      if (target === undefined) return false;
      if (place.trail.includes(each)) continue;
      if (!isBounded(target, root, { ...next, trail: [...place.trail, each] })) return false;
    } else if (!isBounded(each, root, next)) return false;
  }
  return true;
}

function withoutUnchecked(schema: Readonly<Record<string, unknown>>): Record<string, JsonValue> {
  // Names by pattern are no other names.
  const isOpen = schema.patternProperties !== undefined;
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    if (UNCHECKED.has(keyword)) return [];
    if (isOpen && keyword === "additionalProperties") return [];
    return [[keyword, checkedKeyword(keyword, value)] as const];
  });
  return Object.fromEntries(entries);
}

function checkedKeyword(keyword: string, value: unknown): JsonValue {
  if (VALUES.has(keyword)) return value as JsonValue;
  if (NAMED.has(keyword) && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, checkedValue(each)]),
    );
  }
  return checkedValue(value);
}

function checkedValue(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(checkedValue);
  return isObject(value) ? withoutUnchecked(value) : value as JsonValue;
}
