import { isObject } from "../../../core/config/is_object.ts";

/** A schema as a server wrote it. */
export type RawSchema = Readonly<Record<string, unknown>>;

/** A schema without references and `allOf` at its top. */
export interface FlatSchema {
  readonly schema: RawSchema;
  /** References that led here, the ones above included. */
  readonly trail: readonly string[];
  /** What the schema repeats, where following a reference again would never end. */
  readonly repeats?: string;
  /** A reference that leads nowhere; empty where the document is too large to follow it. */
  readonly missing?: string;
}

/** Work that is done for references and `allOf` in one document. */
const MAX_STEPS = 5_000;
/** So many keywords or properties count as much as one reference. */
const KEYS_PER_STEP = 50;
/** How deep references and `allOf` may hold each other. */
const MAX_FLAT_DEPTH = 30;

/** Reads one document of a server: follows its references and merges what has to hold together. */
export class SchemaSource {
  readonly #root: unknown;
  #steps = MAX_STEPS;

  /** @param root The whole document, to which references are local. */
  constructor(root: unknown) {
    this.#root = root;
  }

  /**
   * Takes references and `allOf` out of the top of a schema.
   *
   * @param schema The schema.
   * @param trail References that led to it.
   */
  flatten(schema: RawSchema, trail: readonly string[], depth = 0): FlatSchema {
    if (depth > MAX_FLAT_DEPTH || this.#steps <= 0) return { schema: {}, trail, missing: "" };
    this.#steps -= 1 + Math.floor(sizeOf(schema) / KEYS_PER_STEP);
    const { $ref, $dynamicRef, allOf, ...own } = schema;
    const reference = $ref ?? $dynamicRef;
    if (reference === undefined && !Array.isArray(allOf)) return { schema, trail };
    let flat: FlatSchema = { schema: own, trail };
    if (typeof reference === "string") {
      flat = this.#followed(reference, own, trail, depth);
    }
    for (const part of Array.isArray(allOf) ? allOf : []) {
      if (!isObject(part)) continue;
      const { schema: next, ...facts } = this.flatten(part, flat.trail, depth + 1);
      flat = { ...flat, ...facts, schema: mergeSchemas(flat.schema, next) };
      if (this.#steps <= 0) break;
    }
    return flat;
  }

  #followed(
    reference: string,
    own: RawSchema,
    trail: readonly string[],
    depth: number,
  ): FlatSchema {
    const target = resolveReference(reference, this.#root);
    if (target === true) return { schema: own, trail };
    if (!isObject(target)) return { schema: own, trail, missing: reference };
    if (trail.includes(reference)) {
      return { schema: { ...topOf(target), ...own }, trail, repeats: reference };
    }
    const { schema, ...facts } = this.flatten(target, [...trail, reference], depth + 1);
    return { ...facts, schema: mergeSchemas(schema, own) };
  }
}

/**
 * What a local reference leads to.
 *
 * @param reference Such as `#/$defs/Node`.
 * @param root The document that it stands in.
 * @returns Undefined where it leads nowhere, or to another document.
 */
export function resolveReference(reference: string, root: unknown): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  return reference.slice(2).split("/").reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null) return undefined;
    const name = decoded(step);
    return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  }, root);
}

/**
 * One schema for two that both have to hold. Where both say something that cannot be said in one,
 * the second stays in `allOf`.
 *
 * @param a One schema.
 * @param b Another one, whose words win.
 */
export function mergeSchemas(a: RawSchema, b: RawSchema): RawSchema {
  if (Object.keys(b).length === 0) return a;
  if (Object.keys(a).length === 0) return b;
  const merged: Record<string, unknown> = { ...a };
  const rest: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(b)) {
    // As a keyword it says nothing, and as a key it is none.
    if (keyword === "__proto__") continue;
    const both = Object.hasOwn(merged, keyword)
      ? mergedKeyword(keyword, merged[keyword], value)
      : value;
    if (both === undefined) rest[keyword] = value;
    else merged[keyword] = both;
  }
  if (Object.keys(rest).length === 0) return merged;
  const others: readonly unknown[] = Array.isArray(merged.allOf) ? merged.allOf : [];
  return { ...merged, allOf: [...others, rest] };
}

/** Undefined where no single value says both. */
function mergedKeyword(keyword: string, a: unknown, b: unknown): unknown {
  if (a === b) return a;
  switch (keyword) {
    case "properties":
      return isObject(a) && isObject(b) ? mergedProperties(a, b) : undefined;
    case "required":
      return Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])] : undefined;
    case "type":
    case "enum":
      return common(a, b);
    case "minimum":
    case "minLength":
    case "minItems":
      return typeof a === "number" && typeof b === "number" ? Math.max(a, b) : undefined;
    case "maximum":
    case "maxLength":
    case "maxItems":
      return typeof a === "number" && typeof b === "number" ? Math.min(a, b) : undefined;
    case "description":
      return typeof a === "string" && typeof b === "string" ? `${b}\n${a}` : b;
    case "title":
    case "default":
    case "examples":
    case "$schema":
    case "$id":
    case "$comment":
    case "$defs":
    case "definitions":
      return b;
    case "additionalProperties":
      return a === false || b === false ? false : undefined;
    default:
      return undefined;
  }
}

function mergedProperties(a: RawSchema, b: RawSchema): RawSchema {
  const both = Object.entries(b).map(([name, value]) =>
    [name, Object.hasOwn(a, name) ? { allOf: [a[name], value] } : value] as const
  );
  return Object.fromEntries([...Object.entries(a), ...both]);
}

function common(a: unknown, b: unknown): unknown {
  const [left, right] = [a, b].map((each) => Array.isArray(each) ? each : [each]);
  const shared =
    left?.filter((each) =>
      right?.includes(each) === true || (each === "integer" && right?.includes("number") === true)
    ) ?? [];
  const narrower = right?.includes("integer") === true && left?.includes("number") === true
    ? ["integer"]
    : [];
  const all = [...new Set([...shared, ...narrower])];
  if (all.length === 0) return undefined;
  return Array.isArray(a) && Array.isArray(b) ? all : all.length === 1 ? all[0] : all;
}

/** Keys that are copied when it is merged. */
function sizeOf(schema: RawSchema): number {
  const { properties, required } = schema;
  return Object.keys(schema).length + (isObject(properties) ? Object.keys(properties).length : 0) +
    (Array.isArray(required) ? required.length : 0);
}

/** As much of a schema as tells what kind of value it takes. */
function topOf(schema: RawSchema): RawSchema {
  const { type, title, description } = schema;
  return {
    ...(type === undefined ? {} : { type }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

function decoded(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // It is no escape, and stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
