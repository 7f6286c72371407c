import assert from "node:assert/strict";
import { Diagnostics } from "../../../tools/mcp/diagnostics.ts";

Deno.test("Diagnostics tells little, on one line each, and no secret", () => {
  const told: string[] = [];
  const diagnostics = new Diagnostics({
    server: "s",
    secrets: ["a-secret-value"],
    onDiagnostic: (text) => told.push(text),
  });
  diagnostics.add("one\n\x1b[2J\u202e a-secret-value");
  assert.deepEqual(told, ['MCP server "s": one\\x0a\\x1b[2J\\u202e [redacted]']);
  diagnostics.add("x".repeat(10_000));
  assert((told[1] ?? "").length < 400);
  for (let count = 0; count < 8; count++) diagnostics.add(`message ${count}`);
  assert.equal(told.length, 10);
  for (let count = 0; count < 1_000; count++) diagnostics.add("flood");
  assert.equal(told.length, 11);
  assert.equal(told[10], 'MCP server "s": more messages are left out for a while');
});
