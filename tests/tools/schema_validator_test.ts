import assert from "node:assert/strict";
import type { JsonSchema } from "@alisio/sdk";
import { createSchemaValidator } from "../../tools/schema_validator.ts";

Deno.test("createSchemaValidator() says of a faulty schema that the schema is at fault", () => {
  const validate = createSchemaValidator();
  const schemas: readonly JsonSchema[] = [
    { $ref: "#/nope" },
    { $ref: "https://example.com/schema" },
    { type: "object", properties: { word: { pattern: "(" } } },
  ];
  for (const schema of schemas) {
    assert.throws(
      () => validate(schema, { word: "tea" }),
      /^TypeError: The tool did not run, because its inputSchema is faulty: [^\n]+$/,
    );
  }
});
