import assert from "node:assert/strict";
import { readChallenge } from "../../../../tools/mcp/oauth/read_challenge.ts";

Deno.test("readChallenge() reads what a server wants, and nothing out of noise", () => {
  const rows: readonly [string, ReturnType<typeof readChallenge>][] = [
    ["", { scopes: [] }],
    ['Basic realm="x", scope="a"', { scopes: [] }],
    ["Bearer", { scopes: [] }],
    [
      'Bearer resource_metadata="https://a.example/x?b=1,2", scope="read write read"',
      { resourceMetadata: "https://a.example/x?b=1,2", scopes: ["read", "write"] },
    ],
    [
      "bearer error=insufficient_scope, scope=write",
      { scopes: ["write"], error: "insufficient_scope" },
    ],
    ['Basic realm="x", Bearer error="a \\"b\\""', { scopes: [], error: 'a "b"' }],
    ['Bearer scope="ok \u00e4 back\\\\slash"', { scopes: ["ok"] }],
  ];
  for (const [header, challenge] of rows) {
    assert.deepEqual(readChallenge(header), challenge, header);
  }
  assert.equal(readChallenge(`Bearer ${'scope="x", '.repeat(100_000)}`).scopes.length, 1);
});
