import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import { adaptSchema } from "../../../../tools/mcp/schema/adapt_schema.ts";

type Schema = Record<string, unknown>;
type Random = () => number;

const ROUNDS = 400;

/** Numbers that only seem to be by chance: a failure names its seed and comes again. */
function randomFrom(seed: number): Random {
  let state = seed * 2_654_435_761 >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296;
  };
}

function oneOf<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  assert.ok(value !== undefined);
  return value;
}

/** A schema of all kinds whose meaning is kept to the last rule. */
function makePart(random: Random, names: readonly string[], depth: number): Schema {
  const below = () => makePart(random, names, depth + 1);
  const scalars: readonly (() => Schema)[] = [
    () => ({ type: "string", minLength: 1, maxLength: 5 }),
    () => ({ type: "integer", minimum: -3, maximum: 3 }),
    () => ({ type: "number", maximum: 10 }),
    () => ({ type: "boolean" }),
    () => ({ type: "string", enum: ["a", "b", "c"] }),
    () => ({ const: "fixed" }),
    () => ({ type: ["string", "null"] }),
    () => ({ type: "integer", nullable: true }),
    () => ({ oneOf: [{ const: "r", title: "Red" }, { const: "g" }] }),
    () => ({ $ref: "#/$defs/Scalar" }),
    () => ({ anyOf: [{ type: "string" }, { type: "integer" }] }),
    () => ({ enum: ["x", null] }),
  ];
  if (depth > 3) return oneOf(random, scalars)();
  return oneOf(random, [
    ...scalars,
    () => ({ type: "array", items: below(), minItems: 1, maxItems: 3 }),
    () => makeObject(random, names, depth),
    () => makeObject(random, names, depth),
    () => ({ allOf: [makeObject(random, names, depth), { description: "and more" }] }),
    () => ({ $ref: "#/$defs/Tree" }),
    () => ({ $ref: "#/$defs/Pair", description: "of the two" }),
    () => ({ anyOf: [{ type: "integer" }, makeObject(random, names, depth)] }),
    () => ({ type: "array", prefixItems: [{ type: "string" }, { type: "string" }], items: false }),
  ])();
}

function makeObject(random: Random, names: readonly string[], depth: number): Schema {
  const chosen = names.filter(() => random() < 0.4);
  return {
    type: "object",
    properties: Object.fromEntries(
      chosen.map((name) => [name, makePart(random, names, depth + 1)]),
    ),
    required: chosen.filter(() => random() < 0.5),
    additionalProperties: false,
  };
}

function makeSchema(random: Random, names: readonly string[]): Schema {
  const [first = "a", second = "b"] = names;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...makeObject(random, names, 0),
    $defs: {
      Scalar: { type: "string", maxLength: 4 },
      Pair: {
        type: "object",
        properties: { [first]: { type: "integer" }, [second]: { $ref: "#/$defs/Scalar" } },
        required: [first],
        additionalProperties: false,
      },
      Tree: {
        type: "object",
        properties: {
          [second]: { type: "string" },
          below: { type: "array", items: { $ref: "#/$defs/Tree" }, maxItems: 2 },
        },
        required: [second],
        additionalProperties: false,
      },
    },
  };
}

/** A value that a schema takes, by what the schema says. */
function sample(schema: unknown, root: Schema, random: Random, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null) return "anything";
  const { $ref, allOf, anyOf, oneOf: either, type, nullable, ...rest }: Schema = { ...schema };
  const value = (each: unknown) => sample(each, root, random, depth + 1);
  if (typeof $ref === "string") {
    const target = $ref.slice(2).split("/")
      .reduce<unknown>((each, name) => (each as Schema)[name], root);
    return value(target);
  }
  if (Array.isArray(allOf)) return value(allOf[0]);
  const alternatives = anyOf ?? either;
  if (Array.isArray(alternatives)) return value(oneOf(random, alternatives));
  if ("const" in rest) return rest.const;
  if (Array.isArray(rest.enum)) return oneOf(random, rest.enum);
  if (Array.isArray(type)) return value({ ...rest, type: oneOf(random, type) });
  if (nullable === true) return value({ ...rest, type });
  switch (type) {
    case "string":
      return oneOf(random, ["a", "bc", "x"]);
    case "integer":
      return oneOf(random, [-1, 0, 2]);
    case "number":
      return oneOf(random, [-1.5, 0, 9]);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "array":
      return Array.isArray(rest.prefixItems)
        ? rest.prefixItems.map(value)
        : Array.from({ length: 1 + Math.floor(random() * 2) }, () => value(rest.items));
    case "object":
      return sampleObject(rest, value, random, depth);
    default:
      return "anything";
  }
}

function sampleObject(
  { properties = {}, required = [] }: Schema,
  value: (schema: unknown) => unknown,
  random: Random,
  depth: number,
): unknown {
  const needed = required as readonly string[];
  return Object.fromEntries(
    Object.entries(properties as Schema)
      .filter(([name]) => needed.includes(name) || (depth < 6 && random() < 0.5))
      .map(([name, schema]) => [name, value(schema)]),
  );
}

const PLAIN_NAMES = ["a", "b", "below", "count", "title"];
const ODD_NAMES = ["a b", "b", "below", "größe", "x.y[]", "a_b", "名前"];

/** The place of a schema that is cut, where anything is taken. */
function isCut(schema: unknown): boolean {
  return JSON.stringify(schema).includes("to any depth");
}

for (const [kind, names] of [["plain", PLAIN_NAMES], ["odd", ODD_NAMES]] as const) {
  Deno.test(`adaptSchema() leads every input back to what was declared, with ${kind} names`, () => {
    let checked = 0;
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = randomFrom(seed);
      const declared = makeSchema(random, names);
      const { schema, restore } = adaptSchema(declared);
      // What is cut is checked by the server alone.
      if (isCut(schema)) continue;
      checked++;
      const input = sample(schema, { ...schema }, random) as Record<string, unknown>;
      const told = () => JSON.stringify({ seed, declared, schema, input }, null, 1);
      assert.ok(new Validator({ ...schema }, "2020-12").validate(input).valid, told());
      const restored = restore?.(input) ?? input;
      const { valid, errors } = new Validator(withoutNullable(declared), "2020-12")
        .validate(restored);
      assert.ok(valid, `${told()}\n${JSON.stringify(restored)}\n${JSON.stringify(errors)}`);
    }
    assert.ok(checked > ROUNDS / 4, `${checked} of ${ROUNDS} were not cut`);
  });
}

Deno.test("adaptSchema() refuses nothing that was declared", () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = randomFrom(seed);
    const declared = makeSchema(random, PLAIN_NAMES);
    const input = sample(declared, declared, random);
    const told = () => JSON.stringify({ seed, declared, input }, null, 1);
    assert.ok(
      new Validator(withoutNullable(declared), "2020-12").validate(input).valid,
      `not a sample: ${told()}`,
    );
    const { schema } = adaptSchema(declared);
    assert.ok(new Validator({ ...schema }, "2020-12").validate(input).valid, told());
  }
});

/** A keyword of another dialect, in the words of this one. */
function withoutNullable(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(
      '"type":"integer","nullable":true',
      '"type":["integer","null"]',
    ),
  );
}
