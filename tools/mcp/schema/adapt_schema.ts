import type { JsonObject, JsonSchema } from "@alisio/sdk";
import { isObject } from "../../../core/config/is_object.ts";
import { visibleText } from "../../../core/process/visible_text.ts";
import { previewText } from "../../../core/text/bound_text.ts";
import { checkableSchema } from "./checkable_schema.ts";
import { emptyPlan, restoreInput, type RestorePlan } from "./restore_input.ts";
import { SafeNames } from "./safe_names.ts";
import { type FlatSchema, mergeSchemas, type RawSchema, SchemaSource } from "./schema_source.ts";
import { shortJson } from "./short_json.ts";

/** A schema that providers take, and the way back from it. */
export interface AdaptedSchema {
  /** What a model is shown; always an object schema. */
  readonly schema: JsonSchema;
  /**
   * What a restored input can be held against: what the server declared, without what may take for
   * ever. Anything is taken where that is all of it.
   */
  readonly checked: JsonSchema;
  /** Brings an input in the form that the server declared; absent where it has that form. */
  readonly restore?: (input: Record<string, unknown>) => Record<string, unknown>;
}

/** Parts of a schema that are kept; what is behind them is left out visibly. */
const MAX_PARTS = 1_500;
const MAX_DEPTH = 14;
/** Characters of all descriptions and values together. */
const MAX_CHARS = 60_000;
const MAX_DESCRIPTION_CHARS = 1_500;
const MAX_RULE_CHARS = 300;
const MAX_PROPERTIES = 200;
const MAX_ALTERNATIVES = 20;
const MAX_ENUM = 200;
const MAX_ENUM_CHARS = 8_000;
/** Values that are shown of a list that is too long. */
const MAX_SHOWN_VALUES = 20;

const TOO_LARGE = "Not shown here, because the whole schema is too large";

type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

const TYPE_NAMES: ReadonlySet<unknown> = new Set<TypeName>([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

/** Bounds that every provider takes, by the type that they belong to. */
const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  array: ["minItems", "maxItems"],
};

/** Keywords that say nothing to a model, or are said in another way. */
const SILENT: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor", "$defs", "definitions"],
  ...["$vocabulary", "$recursiveAnchor", "readOnly", "writeOnly", "contentSchema"],
  ...["type", "title", "description", "properties", "required", "items", "prefixItems", "enum"],
  ...["const", "anyOf", "oneOf", "nullable", "additionalProperties", "enumNames", "discriminator"],
  ...["propertyOrdering", "xml", "externalDocs"],
]);

/**
 * Adapts what a server declared for providers. References are put in place, alternatives of the
 * whole input become one object, and what providers refuse is told in descriptions. The
 * input that a model gives for it has the form that the server declared once it is restored. Pure;
 * never throws, and bounded whatever the server sent.
 *
 * @param declared What the server sent.
 */
export function adaptSchema(declared: unknown): AdaptedSchema {
  const builder = new SchemaBuilder(declared);
  const plan = emptyPlan();
  const schema = builder.root(isObject(declared) ? declared : {}, plan);
  const checked = checkableSchema(declared);
  if (!builder.hasRenamed) return { schema, checked };
  return { schema, checked, restore: (input) => restoreInput(input, plan) };
}

/** A place in the document. */
interface Place {
  readonly depth: number;
  readonly trail: readonly string[];
  readonly plan: RestorePlan;
}

class SchemaBuilder {
  readonly #source: SchemaSource;
  readonly #names = new SafeNames();
  /** Plans of what references lead to, for places that repeat it. */
  readonly #plans = new Map<string, RestorePlan>();
  #parts = MAX_PARTS;
  #chars = MAX_CHARS;
  #hasRenamed = false;

  constructor(document: unknown) {
    this.#source = new SchemaSource(document);
  }

  /** Whether a property has another name than at the server. */
  get hasRenamed(): boolean {
    return this.#hasRenamed;
  }

  /** The schema of a whole input. */
  root(declared: RawSchema, plan: RestorePlan): JsonSchema {
    // A reference to the document leads back here.
    this.#plans.set("#", plan);
    const flat = this.#source.flatten(declared, ["#"]);
    const { words, ...merged } = this.#asOneObject(flat, plan);
    const built = this.#object(merged.schema, { depth: 0, trail: merged.trail, plan });
    const notes = [
      ...words,
      ...(isObjectSchema(merged.schema) ? [] : [
        `The server declares something else than an object: ${shortJson(declared, MAX_RULE_CHARS)}`,
      ]),
    ];
    return withDescription(built, [...this.#words(merged.schema), ...notes], this);
  }

  /** Counts characters that were spent on words, and cuts what there is no room for. */
  spend(text: string, maxChars: number): string {
    const room = Math.min(maxChars, this.#chars);
    // Bounded first: showing a character may take several.
    const cut = previewText(visibleText(previewText(text, room).toWellFormed()), room);
    this.#chars = Math.max(0, this.#chars - cut.length);
    return this.#chars === 0 && cut === "…" ? "" : cut;
  }

  #part(value: unknown, place: Place): JsonObject {
    if (value === false) return { description: "Takes nothing: leave it out" };
    if (!isObject(value)) return {};
    this.#parts -= 1;
    if (place.depth > MAX_DEPTH || this.#parts < 0) {
      return { description: TOO_LARGE };
    }
    const flat = this.#source.flatten(value, place.trail);
    const inner = this.#inside(flat, place);
    if (flat.repeats !== undefined) return this.#repetition(flat, place.plan);
    const words = flat.missing === undefined
      ? []
      : flat.missing === ""
      ? [TOO_LARGE]
      : [`Refers to ${JSON.stringify(previewText(flat.missing, 100))}, which is not defined`];
    return withDescription(this.#shape(flat.schema, inner), [
      ...this.#words(flat.schema),
      ...words,
    ], this);
  }

  /** Remembers by which references a place is known. */
  #inside({ trail }: FlatSchema, place: Place): Place {
    for (const reference of trail.slice(place.trail.length)) {
      this.#plans.set(reference, place.plan);
    }
    return { ...place, trail };
  }

  #repetition({ schema, repeats = "" }: FlatSchema, plan: RestorePlan): JsonObject {
    const above = this.#plans.get(repeats);
    if (above !== undefined && above !== plan) plan.alternatives.push(above);
    const name = repeats === "#" ? "the whole input" : repeats.replace(/^.*\//, "");
    const [type] = typesOf(schema);
    return withDescription(
      type === undefined || type === "array" ? {} : { type },
      [...this.#words(schema), `The same again as ${previewText(name, 100)} above, to any depth`],
      this,
    );
  }

  #shape(schema: RawSchema, place: Place): JsonObject {
    const choice = titledChoice(schema);
    if (choice !== undefined) return this.#enumeration(choice.values, choice.words);
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 0) return this.#alternatives(schema, alternatives, place);
    if (Array.isArray(schema.enum)) {
      return this.#enumeration(schema.nullable === true ? [...schema.enum, null] : schema.enum, []);
    }
    if ("const" in schema) return this.#enumeration([schema.const], []);
    const types = typesOf(schema);
    if (types.length > 1) {
      return {
        anyOf: types.map((type) =>
          this.#typed(type, schema, { ...place, plan: alternativePlan(place.plan) })
        ),
      };
    }
    const [type] = types;
    return type === undefined ? {} : this.#typed(type, schema, place);
  }

  #typed(type: TypeName, schema: RawSchema, place: Place): JsonObject {
    if (type === "object") return this.#object(schema, place);
    const bounds = (BOUNDS[type] ?? []).flatMap((keyword) => {
      const value = schema[keyword];
      const isCount = type === "number" || type === "integer";
      const isRight = typeof value === "number" && Number.isFinite(value) &&
        (isCount || (Number.isSafeInteger(value) && value >= 0));
      return isRight ? [[keyword, value] as const] : [];
    });
    return {
      type,
      ...(type === "array" ? this.#items(schema, place) : {}),
      ...Object.fromEntries(bounds),
    };
  }

  #items(schema: RawSchema, place: Place): JsonObject {
    const inner = () => {
      const plan = emptyPlan();
      place.plan.items.push(plan);
      return { ...place, depth: place.depth + 1, plan };
    };
    const places = [schema.prefixItems, schema.items].find(Array.isArray);
    if (places === undefined) return { items: this.#part(schema.items ?? {}, inner()) };
    const parts = places.slice(0, MAX_ALTERNATIVES).map((each) => this.#part(each, inner()));
    const closed = schema.items === false || schema.additionalItems === false;
    const words = `In this order: ${shortJson(places, MAX_RULE_CHARS)}`;
    if (!closed) return { items: {}, description: this.spend(words, MAX_RULE_CHARS + 40) };
    const distinct = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
    const [only] = distinct;
    return {
      maxItems: places.length,
      items: distinct.length === 1 && only !== undefined ? only : { anyOf: distinct },
      description: this.spend(words, MAX_RULE_CHARS + 40),
    };
  }

  #object(schema: RawSchema, place: Place): JsonObject {
    const declared = isObject(schema.properties) ? schema.properties : {};
    const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
    const names = Object.keys(declared);
    // What is needed is shown first where not everything can be.
    const shown = names.length <= MAX_PROPERTIES
      ? names
      : names.toSorted((a, b) => Number(required.has(b)) - Number(required.has(a)))
        .slice(0, MAX_PROPERTIES);
    const properties: [string, JsonObject][] = [];
    const needed: string[] = [];
    for (const name of shown) {
      // A schema of a name that cannot be one is a fault of the server.
      if (declared[name] === false) continue;
      const safe = this.#safeName(name, declared, place.plan);
      const plan = emptyPlan();
      place.plan.properties.set(safe, plan).set(name, plan);
      const built = this.#part(withoutEcho(name, declared[name]), {
        ...place,
        depth: place.depth + 1,
        plan,
      });
      const words = safe === name ? [] : [`The server calls this ${shortJson(name, 100)}`];
      properties.push([safe, withDescription(built, words, this)]);
      if (required.has(name)) needed.push(safe);
    }
    const left = names.length - shown.length;
    const isShown = new Set(shown);
    const words = [
      ...(left === 0 ? [] : [
        `${left} more properties: ${
          shortJson(names.filter((name) => !isShown.has(name)).slice(0, 50), MAX_RULE_CHARS)
        }`,
      ]),
      ...(isObject(schema.additionalProperties) &&
          Object.keys(schema.additionalProperties).length > 0
        ? [`Other properties: ${shortJson(schema.additionalProperties, MAX_RULE_CHARS)}`]
        : []),
      ...unknownNeeds(required, declared),
    ];
    const isClosed = schema.additionalProperties === false && left === 0 &&
      schema.patternProperties === undefined;
    return withDescription(
      {
        type: "object",
        properties: Object.fromEntries(properties),
        ...(needed.length === 0 ? {} : { required: needed }),
        ...(isClosed ? { additionalProperties: false } : {}),
      },
      words,
      this,
    );
  }

  #safeName(name: string, siblings: RawSchema, plan: RestorePlan): string {
    const safe = this.#names.of(name, siblings);
    if (safe !== name) {
      this.#hasRenamed = true;
      plan.names.set(safe, name);
    }
    return safe;
  }

  #alternatives(
    schema: RawSchema,
    alternatives: readonly unknown[],
    place: Place,
  ): JsonObject {
    const left = alternatives.length - MAX_ALTERNATIVES;
    if (left > 0) return { description: this.spend(`One of ${alternatives.length} forms`, 100) };
    const { anyOf: _, oneOf: __, nullable: ___, title: ____, description: _____, ...base } = schema;
    const parts = alternatives.map((each) =>
      this.#part(isObject(each) ? mergedWith(base, each) : each === true ? base : each, {
        ...place,
        depth: place.depth + 1,
        plan: alternativePlan(place.plan),
      })
    );
    const distinct = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
    const [only] = distinct;
    return distinct.length === 1 && only !== undefined ? only : { anyOf: distinct };
  }

  /** Only texts can be listed for every provider; other values are told. */
  #enumeration(values: readonly unknown[], words: readonly string[]): JsonObject {
    const others = values.filter((value) => value !== null);
    if (others.length < values.length && others.length > 0) {
      return { anyOf: [this.#enumeration(others, words), { type: "null" }] };
    }
    const texts = values.filter((value) => typeof value === "string");
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    const isListed = texts.length === values.length && texts.length <= MAX_ENUM &&
      chars <= Math.min(MAX_ENUM_CHARS, this.#chars) && texts.length > 0 && !texts.includes("");
    if (isListed) {
      this.#chars -= chars;
      return withDescription({ type: "string", enum: [...new Set(texts)] }, words, this);
    }
    const types = [...new Set(values.map(typeOf))];
    const [type] = types;
    const shown = shortJson(values.slice(0, MAX_SHOWN_VALUES), 2 * MAX_RULE_CHARS);
    const more = values.length > MAX_SHOWN_VALUES
      ? ` and ${values.length - MAX_SHOWN_VALUES} more`
      : "";
    const told = values.length === 1 ? `Always ${shown.slice(1, -1)}` : `One of ${shown}${more}`;
    const isScalar = types.length === 1 && type !== "object" && type !== "array";
    return withDescription(
      isScalar && type !== undefined ? { type } : {},
      [told, ...words],
      this,
    );
  }

  /** Alternatives of a whole input as one object, and what they are in words. */
  #asOneObject(
    flat: FlatSchema,
    plan: RestorePlan,
  ): FlatSchema & { readonly words: readonly string[] } {
    const alternatives = alternativesOf(flat.schema);
    if (alternatives.length === 0) return { ...flat, words: [] };
    const { anyOf: _, oneOf: __, ...base } = flat.schema;
    const forms = alternatives.slice(0, MAX_ALTERNATIVES).flatMap((each) => {
      if (!isObject(each)) return [];
      const { schema, trail } = this.#source.flatten(each, flat.trail);
      for (const reference of trail) this.#plans.set(reference, plan);
      // Alternatives below alternatives are forms of their own.
      const below = alternativesOf(schema);
      if (below.length === 0) return [schema];
      const { anyOf: ___, oneOf: ____, ...rest } = schema;
      return below.slice(0, MAX_ALTERNATIVES).filter(isObject).map((form) =>
        mergeSchemas(rest, this.#source.flatten(form, trail).schema)
      );
    });
    const objects = forms.filter(isObjectSchema);
    if (objects.length === 0) return { ...flat, schema: base, words: [] };
    const lines = objects.map((form, index) => `${index + 1}. ${formWords(form)}`);
    return {
      ...flat,
      schema: withForms(base, objects),
      words: objects.length < 2 ? [] : [`Give one of these forms:\n${lines.join("\n")}`],
    };
  }

  /** What a schema says to a reader, and what providers do not take of it. */
  #words(schema: RawSchema): readonly string[] {
    const { title, description } = schema;
    const words = typeof description === "string" && description.trim() !== ""
      ? [description.trim()]
      : typeof title === "string" && title.trim() !== ""
      ? [title.trim()]
      : [];
    const kept = new Set(typesOf(schema).flatMap((type) => BOUNDS[type] ?? []));
    const rules = Object.entries(schema).filter(([keyword, value]) =>
      !SILENT.has(keyword) && !keyword.startsWith("x-") &&
      !(kept.has(keyword) && typeof value === "number")
    );
    return [
      ...words,
      ...rules.slice(0, 12).map(([keyword, value]) =>
        `${ruleName(keyword)}: ${
          typeof value === "string"
            ? previewText(value, MAX_RULE_CHARS)
            : shortJson(value, MAX_RULE_CHARS)
        }`
      ),
    ];
  }
}

/** Words behind those that are there. */
function withDescription(
  schema: JsonObject,
  words: readonly string[],
  builder: SchemaBuilder,
): JsonObject {
  const said = words.filter((each) => each !== "").join("\n");
  const before = typeof schema.description === "string" ? schema.description : "";
  if (said === "") return schema;
  const text = builder.spend(said, MAX_DESCRIPTION_CHARS);
  if (text === "") return schema;
  const { description: _, type, ...rest } = schema;
  return {
    ...(type === undefined ? {} : { type }),
    description: before === "" ? text : `${text}\n${before}`,
    ...rest,
  };
}

function ruleName(keyword: string): string {
  const spaced = previewText(keyword, 60).replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The types that a schema names, or that its other keywords show. */
function typesOf(schema: RawSchema): readonly TypeName[] {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type])
    .filter((type): type is TypeName => TYPE_NAMES.has(type));
  const types = named.length > 0 ? named : impliedTypes(schema);
  const unique = [...new Set(types)];
  const isNullable = schema.nullable === true && unique.length > 0 && !unique.includes("null");
  return isNullable ? [...unique, "null"] : unique;
}

function impliedTypes(schema: RawSchema): readonly TypeName[] {
  if (schema.type !== undefined) return [];
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return ["object"];
  return schema.items !== undefined || schema.prefixItems !== undefined ? ["array"] : [];
}

function typeOf(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : typeof value === "boolean" ? "boolean" : "object";
}

/** What one of has to hold, without what never does. */
function alternativesOf(schema: RawSchema): readonly unknown[] {
  const given = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  const possible = given.filter((each) => each !== false && !isNever(each));
  const isNullable = schema.nullable === true && possible.length > 0;
  return isNullable ? [...possible, { type: "null" }] : possible;
}

function isNever(value: unknown): boolean {
  return isObject(value) && isObject(value.not) && Object.keys(value).length === 1 &&
    Object.keys(value.not).length === 0;
}

/** Texts with names beside them, as forms are generated from. */
function titledChoice(
  schema: RawSchema,
): { readonly values: readonly string[]; readonly words: readonly string[] } | undefined {
  const alternatives = alternativesOf(schema);
  const values: string[] = [];
  const words: string[] = [];
  for (const each of alternatives) {
    if (!isObject(each) || typeof each.const !== "string") return undefined;
    values.push(each.const);
    const said = [each.title, each.description].filter((text) =>
      typeof text === "string" && text !== each.const
    );
    if (said.length > 0) words.push(`${shortJson(each.const, 60)}: ${said.join(" - ")}`);
  }
  return values.length === 0 ? undefined : { values, words: [words.slice(0, 50).join("\n")] };
}

function isObjectSchema(schema: RawSchema): boolean {
  const types = typesOf(schema);
  return types.length === 0
    ? schema.type === undefined && schema.enum === undefined && !("const" in schema)
    : types.includes("object");
}

function mergedWith(base: RawSchema, alternative: RawSchema): RawSchema {
  return Object.keys(base).length === 0 ? alternative : { allOf: [base, alternative] };
}

function alternativePlan(plan: RestorePlan): RestorePlan {
  const inner = emptyPlan();
  plan.alternatives.push(inner);
  return inner;
}

/** All properties of all forms; needed is what every form needs. */
function withForms(base: RawSchema, forms: readonly RawSchema[]): RawSchema {
  const own = isObject(base.properties) ? base.properties : {};
  const variants = new Map<string, unknown[]>();
  for (const { properties } of forms) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      const known = variants.get(name) ?? [];
      const text = shortJson(schema, 2_000);
      if (!known.some((each) => shortJson(each, 2_000) === text)) known.push(schema);
      variants.set(name, known);
    }
  }
  const merged = [...variants].map(([name, schemas]) => {
    const one = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
    return [name, Object.hasOwn(own, name) ? { allOf: [own[name], one] } : one] as const;
  });
  const needs = forms.map(({ required }) =>
    new Set<unknown>(Array.isArray(required) ? required : [])
  );
  const shared = [...needs[0] ?? []].filter((name) => needs.every((each) => each.has(name)));
  const isClosed = base.additionalProperties === false ||
    forms.every((form) => form.additionalProperties === false);
  const required: readonly unknown[] = Array.isArray(base.required) ? base.required : [];
  return {
    ...base,
    type: "object",
    properties: Object.fromEntries([...Object.entries(own), ...merged]),
    required: [...new Set([...required, ...shared])],
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

function formWords(form: RawSchema): string {
  const properties = isObject(form.properties) ? form.properties : {};
  const required: readonly unknown[] = Array.isArray(form.required) ? form.required : [];
  const label = [form.title, form.description].find((each) => typeof each === "string");
  const named = (name: string) => {
    const property = properties[name];
    const fixed = isObject(property) && "const" in property
      ? ` = ${shortJson(property.const, 60)}`
      : "";
    return `${previewText(name, 60)}${fixed}`;
  };
  const names = Object.keys(properties).slice(0, 30);
  const needed = required.slice(0, 30).filter((name) => typeof name === "string");
  const others = names.filter((name) => !needed.includes(name));
  return [
    ...(label === undefined ? [] : [previewText(String(label), 120)]),
    ...(needed.length === 0 ? [] : [`needs ${needed.map(named).join(", ")}`]),
    ...(others.length === 0 ? [] : [`may have ${others.map(named).join(", ")}`]),
  ].join("; ");
}

/** A title that is the name again says nothing. */
function withoutEcho(name: string, schema: unknown): unknown {
  if (!isObject(schema) || typeof schema.title !== "string") return schema;
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  if (plain(schema.title.slice(0, 200)) !== plain(name.slice(0, 200))) return schema;
  const { title: _, ...rest } = schema;
  return rest;
}

/** Names that are needed and that nobody describes. */
function unknownNeeds(required: ReadonlySet<unknown>, declared: RawSchema): readonly string[] {
  const names = [...required].filter((name) =>
    typeof name === "string" && !Object.hasOwn(declared, name)
  );
  return names.length === 0
    ? []
    : [`Also needed: ${shortJson(names.slice(0, 30), MAX_RULE_CHARS)}`];
}
