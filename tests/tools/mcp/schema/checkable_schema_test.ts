import assert from "node:assert/strict";
import { createSchemaValidator } from "../../../../tools/schema_validator.ts";
import { checkableSchema } from "../../../../tools/mcp/schema/checkable_schema.ts";

Deno.test("checkableSchema() keeps what can be checked, and names that look like keywords", () => {
  const declared = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      pattern: { type: "string", pattern: "^(a+)+$", format: "regex" },
      open: {
        type: "object",
        properties: { a: { $ref: "#/$defs/format" } },
        patternProperties: { "^x-": {} },
        additionalProperties: false,
      },
      fixed: { const: { pattern: "kept" } },
    },
    required: ["pattern"],
    $defs: { format: { type: "integer", minimum: 1 } },
  };
  const schema = checkableSchema(declared);
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      pattern: { type: "string" },
      open: { type: "object", properties: { a: { $ref: "#/$defs/format" } } },
      fixed: { const: { pattern: "kept" } },
    },
    required: ["pattern"],
    $defs: { format: { type: "integer", minimum: 1 } },
  });
  const validate = createSchemaValidator();
  assert.deepEqual(validate(schema, { pattern: "x", open: { "x-y": 1 } }), []);
  assert.notDeepEqual(validate(schema, { pattern: "x", open: { a: 0 } }), []);
  assert.notDeepEqual(validate(schema, {}), []);
});

Deno.test("checkableSchema() lets an expression of a server take no time", () => {
  const schema = checkableSchema({ properties: { a: { type: "string", pattern: "^(a+)+$" } } });
  assert.deepEqual(createSchemaValidator()(schema, { a: `${"a".repeat(60)}!` }), []);
});

const doubled = Object.fromEntries(Array.from({ length: 40 }, (_, index) => {
  const next = { $ref: `#/$defs/d${index + 1}` };
  return [`d${index}`, { allOf: [next, next] }];
}));
let deep: Record<string, unknown> = {};
for (let level = 0; level < 100_000; level++) deep = { not: deep };

const UNCHECKABLE: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["parts that double", { $ref: "#/$defs/d0", $defs: { ...doubled, d40: {} } }],
  ["what is too deep", deep],
  ["another document", { $ref: "https://example.com/a.json" }],
  ["a reference that leads nowhere", { properties: { a: { $ref: "#/$defs/gone" } } }],
];

for (const [name, declared] of UNCHECKABLE) {
  Deno.test(`checkableSchema() takes anything for ${name}`, () => {
    assert.deepEqual(checkableSchema(declared), {});
  });
}

Deno.test("checkableSchema() keeps schemas that hold themselves", () => {
  const declared = {
    type: "object",
    properties: { below: { type: "array", items: { $ref: "#" } } },
    additionalProperties: false,
  };
  const schema = checkableSchema(declared);
  assert.deepEqual(schema, declared);
  const validate = createSchemaValidator();
  assert.deepEqual(validate(schema, { below: [{ below: [] }] }), []);
  assert.notDeepEqual(validate(schema, { below: [{ other: 1 }] }), []);
});
