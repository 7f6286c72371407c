import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import { adaptSchema } from "../../../../tools/mcp/schema/adapt_schema.ts";

type Json = Record<string, unknown>;

/** A schema of an object with one property. */
const one = (schema: unknown): Json => ({ type: "object", properties: { it: schema } });

const EMPTY = { type: "object", properties: {} };

const INPUTS: readonly (readonly [string, unknown, Json])[] = [
  ["nothing", undefined, EMPTY],
  ["an empty object", {}, EMPTY],
  ["only a type", { type: "object" }, EMPTY],
  ["what every provider takes, unchanged", {
    type: "object",
    properties: {
      city: { type: "string", description: "where", minLength: 1, maxLength: 9 },
      days: { type: "integer", minimum: 1, maximum: 7 },
      unit: { type: "string", enum: ["C", "F"] },
      tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
      near: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    },
    required: ["city"],
    additionalProperties: false,
  }, {
    type: "object",
    properties: {
      city: { type: "string", description: "where", minLength: 1, maxLength: 9 },
      days: { type: "integer", minimum: 1, maximum: 7 },
      unit: { type: "string", enum: ["C", "F"] },
      tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
      near: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    },
    required: ["city"],
    additionalProperties: false,
  }],
  ["a root that may be null", { type: ["object", "null"], properties: {} }, EMPTY],
  ["needs that nobody describes", { type: "object", required: ["a"] }, {
    type: "object",
    description: 'Also needed: ["a"]',
    properties: {},
  }],
  ["a root that is no object", { type: "array", items: { type: "string" } }, {
    type: "object",
    description:
      'The server declares something else than an object: {"type":"array","items":{"type":"string"}}',
    properties: {},
  }],
  ["all of the root", {
    allOf: [
      { properties: { a: { type: "string" } }, required: ["a"] },
      { $ref: "#/$defs/b" },
    ],
    $defs: { b: { properties: { b: { type: "number" } }, required: ["b"] } },
  }, {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "number" } },
    required: ["a", "b"],
  }],
  ["forms of the root", {
    description: "Makes or removes",
    properties: { id: { type: "string" } },
    oneOf: [
      {
        title: "Make",
        properties: { kind: { const: "make" }, name: { type: "string" } },
        required: ["kind", "name"],
      },
      { properties: { kind: { const: "remove" } }, required: ["kind"] },
    ],
  }, {
    type: "object",
    description: "Makes or removes\nGive one of these forms:\n" +
      '1. Make; needs kind = "make", name\n2. needs kind = "remove"',
    properties: {
      id: { type: "string" },
      kind: { type: "string", enum: ["make", "remove"] },
      name: { type: "string" },
    },
    required: ["kind"],
  }],
  ["names that providers refuse", {
    type: "object",
    properties: {
      "user name": { type: "string" },
      "user_name": { type: "string" },
      "naïve[]": { type: "string", description: "odd" },
      "名前": { type: "string" },
    },
    required: ["user name", "名前"],
  }, {
    type: "object",
    properties: {
      user_name_2: { type: "string", description: 'The server calls this "user name"' },
      user_name: { type: "string" },
      na_ve: { type: "string", description: 'The server calls this "naïve[]"\nodd' },
      field: { type: "string", description: 'The server calls this "名前"' },
    },
    required: ["user_name_2", "field"],
  }],
];

for (const [name, declared, expected] of INPUTS) {
  Deno.test(`adaptSchema() takes ${name}`, () => {
    assert.deepEqual(adaptSchema(declared).schema, expected);
  });
}

const PARTS: readonly (readonly [string, unknown, unknown])[] = [
  ["true", true, {}],
  ["false by leaving it out", false, undefined],
  ["no schema at all", "string", {}],
  ["a type that there is not", { type: "file" }, {}],
  ["a type that its keywords show", { properties: {} }, EMPTY],
  ["several types", { type: ["string", "null"], maxLength: 3 }, {
    anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }],
  }],
  ["nullable", { type: "integer", nullable: true }, {
    anyOf: [{ type: "integer" }, { type: "null" }],
  }],
  ["a fixed text", { const: "a" }, { type: "string", enum: ["a"] }],
  ["a fixed number", { const: 5 }, { type: "integer", description: "Always 5" }],
  ["numbers to choose from", { type: "integer", enum: [1, 2] }, {
    type: "integer",
    description: "One of [1,2]",
  }],
  ["texts to choose from, or null", { enum: ["a", null] }, {
    anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }],
  }],
  ["texts with names", { oneOf: [{ const: "r", title: "Red" }, { const: "b", title: "Blue" }] }, {
    type: "string",
    description: '"r": Red\n"b": Blue',
    enum: ["r", "b"],
  }],
  ["rules in words", {
    type: "string",
    description: "An address",
    format: "email",
    pattern: "^(?=a).+$",
    default: "a@b",
    examples: ["x@y"],
  }, {
    type: "string",
    description: 'An address\nFormat: email\nPattern: ^(?=a).+$\nDefault: a@b\nExamples: ["x@y"]',
  }],
  ["bounds of old drafts in words", { type: "number", minimum: 0, exclusiveMinimum: true }, {
    type: "number",
    description: "Exclusive minimum: true",
    minimum: 0,
  }],
  ["bounds that are none in words", { type: "string", maxLength: -1 }, {
    type: "string",
  }],
  ["an array of anything", { type: "array" }, { type: "array", items: {} }],
  ["places of a list", {
    type: "array",
    items: [{ type: "number" }, { type: "number" }],
    additionalItems: false,
  }, {
    type: "array",
    description: 'Additional items: false\nIn this order: [{"type":"number"},{"type":"number"}]',
    items: { type: "number" },
    maxItems: 2,
  }],
  ["places of an open list", { prefixItems: [{ type: "number" }] }, {
    type: "array",
    description: 'In this order: [{"type":"number"}]',
    items: {},
  }],
  ["other properties in words", { type: "object", additionalProperties: { type: "number" } }, {
    type: "object",
    description: 'Other properties: {"type":"number"}',
    properties: {},
  }],
  ["names by pattern in words", {
    type: "object",
    patternProperties: { "^x": { type: "number" } },
    additionalProperties: false,
  }, {
    type: "object",
    description: 'Pattern properties: {"^x":{"type":"number"}}',
    properties: {},
  }],
  ["what may be absent as generators write it", { anyOf: [{ not: {} }, { type: "string" }] }, {
    type: "string",
  }],
  ["one of several", {
    description: "which",
    oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  }, {
    description: "which",
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  }],
  ["one of several with a common part", {
    type: "object",
    properties: { a: { type: "string" } },
    anyOf: [{ required: ["a"] }, { properties: { b: { type: "string" } } }],
  }, {
    anyOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
    ],
  }],
  ["a title that says something", { type: "string", title: "Where to go" }, {
    type: "string",
    description: "Where to go",
  }],
  ["a title that is the name again", { type: "string", title: "It" }, { type: "string" }],
  ["a reference that leads nowhere", { $ref: "#/$defs/gone" }, {
    description: 'Refers to "#/$defs/gone", which is not defined',
  }],
  ["a reference to elsewhere", { $ref: "https://example.com/schema.json" }, {
    description: 'Refers to "https://example.com/schema.json", which is not defined',
  }],
];

for (const [name, schema, expected] of PARTS) {
  Deno.test(`adaptSchema() shows ${name}`, () => {
    const properties = adaptSchema(one(schema)).schema.properties as Json;
    assert.deepEqual(properties.it, expected);
  });
}

Deno.test("adaptSchema() puts definitions in place, and cuts what repeats itself visibly", () => {
  const { schema } = adaptSchema({
    type: "object",
    properties: { root: { $ref: "#/$defs/Node" }, spot: { $ref: "#/definitions/a~1b%20c" } },
    required: ["root"],
    $defs: {
      Node: {
        type: "object",
        properties: {
          label: { $ref: "#/$defs/Label", description: "its name" },
          children: { type: "array", items: { $ref: "#/$defs/Node" } },
        },
        required: ["label"],
      },
      Label: { type: "string", maxLength: 9 },
    },
    definitions: { "a/b c": { type: "number" } },
  });
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      root: {
        type: "object",
        properties: {
          label: { type: "string", description: "its name", maxLength: 9 },
          children: {
            type: "array",
            items: { type: "object", description: "The same again as Node above, to any depth" },
          },
        },
        required: ["label"],
      },
      spot: { type: "number" },
    },
    required: ["root"],
  });
});

Deno.test("adaptSchema() gives names back wherever they were changed", () => {
  const { schema, restore } = adaptSchema({
    type: "object",
    properties: {
      "the node": { $ref: "#/$defs/Node" },
      either: {
        anyOf: [
          { type: "string" },
          { type: "object", properties: { "in side": { type: "number" } } },
        ],
      },
      free: { type: "object", additionalProperties: true },
      plain: { type: "string" },
    },
    $defs: {
      Node: {
        type: "object",
        properties: {
          "a b": { type: "string" },
          "be low": { type: "array", items: { $ref: "#/$defs/Node" } },
        },
      },
    },
  });
  assert.deepEqual(Object.keys(schema.properties as Json), ["the_node", "either", "free", "plain"]);
  assert.deepEqual(
    restore?.({
      the_node: { a_b: "1", be_low: [{ a_b: "2", be_low: [{ a_b: "3" }] }] },
      either: { in_side: 4 },
      free: { a_b: "stays", in_side: "stays" },
      plain: "x",
    }),
    {
      "the node": {
        "a b": "1",
        "be low": [{ "a b": "2", "be low": [{ "a b": "3" }] }],
      },
      either: { "in side": 4 },
      free: { a_b: "stays", in_side: "stays" },
      plain: "x",
    },
  );
  assert.equal(adaptSchema(one({ type: "string" })).restore, undefined);
});

Deno.test("adaptSchema() restores inputs of schemas that hold themselves", () => {
  const { restore } = adaptSchema({
    $ref: "#/$defs/a",
    $defs: {
      a: {
        anyOf: [{ $ref: "#/$defs/a" }, {
          type: "object",
          properties: { "x y": { $ref: "#/$defs/a" } },
        }],
      },
    },
  });
  assert.deepEqual(restore?.({ x_y: { x_y: {} } }), { "x y": { "x y": {} } });
});

Deno.test("adaptSchema() is not misled by names that every object has", () => {
  const declared = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"},' +
      '"a b":{"type":"string"}},"required":["__proto__"],"allOf":[{"__proto__":{"type":"array"}}]}',
  );
  const { schema, restore } = adaptSchema(declared);
  assert.deepEqual(Object.keys(schema.properties as Json), ["__proto__", "constructor", "a_b"]);
  const restored = restore?.(JSON.parse('{"__proto__":"x","a_b":"y"}'));
  assert.equal(JSON.stringify(restored), '{"__proto__":"x","a b":"y"}');
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
});

const nested = (depth: number): unknown => {
  let schema: Json = { type: "string" };
  for (let level = 0; level < depth; level++) {
    schema = { type: "object", properties: { a: schema } };
  }
  return schema;
};

const doubled = (keyword: string): Json => ({
  type: "object",
  properties: { it: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [
      `d${index}`,
      keyword === "properties"
        ? { type: "object", properties: { a: next, b: next } }
        : { [keyword]: [next, next] },
    ];
  })),
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, {
    type: "string",
    description: "d".repeat(50),
  }]));

const HOSTILE: readonly (readonly [string, () => unknown])[] = [
  ["a hundred thousand levels", () => nested(100_000)],
  ["doubling properties", () => doubled("properties")],
  ["doubling alternatives", () => doubled("anyOf")],
  ["doubling parts", () => doubled("allOf")],
  ["a reference to itself", () => ({ $ref: "#" })],
  ["references in a circle", () => ({
    $ref: "#/$defs/a",
    $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
  })],
  ["alternatives of itself", () => ({ anyOf: [{ $ref: "#" }, { oneOf: [{ $ref: "#" }] }] })],
  ["ten megabytes of properties", () => ({ type: "object", properties: many(100_000) })],
  ["ten megabytes of needs", () => ({
    anyOf: Array(20).fill({ required: Object.keys(many(50_000)), properties: many(50_000) }),
  })],
  ["parts that are large", () => ({
    allOf: Array(5_000).fill({ $ref: "#/$defs/big" }),
    $defs: { big: { properties: many(50_000) } },
  })],
  ["keywords without end", () => one(many(200_000))],
  ["a description of ten megabytes", () => one({ description: "\x1b".repeat(10_000_000) })],
  [
    "a hundred thousand values",
    () => one({ enum: Array.from({ length: 100_000 }, (_, i) => `${i}`) }),
  ],
  ["a value of ten megabytes", () => one({ const: "x".repeat(10_000_000) })],
  [
    "a hundred thousand alternatives",
    () => one({ anyOf: Array(100_000).fill({ type: "string" }) }),
  ],
  ["names of a megabyte", () => one({ properties: { ["n".repeat(1_000_000)]: true } })],
  ["lists in places of everything", () => ({
    type: [[]],
    properties: [],
    required: {},
    allOf: {},
    anyOf: [null, 7, []],
    items: 5,
    $ref: {},
    enum: {},
    description: 5,
  })],
];

for (const [name, declared] of HOSTILE) {
  Deno.test(`adaptSchema() bounds ${name}`, () => {
    const { schema, restore } = adaptSchema(declared());
    const json = JSON.stringify(schema);
    assert.equal(schema.type, "object");
    assert.ok(json.length < 300_000, `${json.length} characters`);
    assert.deepEqual(restore?.({}) ?? {}, {});
    assert.doesNotThrow(() => new Validator({ ...schema }, "2020-12").validate({ it: {} }));
  });
}
