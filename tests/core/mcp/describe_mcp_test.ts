import assert from "node:assert/strict";
import { formatServers, permissionText, toolClaims } from "../../../core/mcp/describe_mcp.ts";

Deno.test("toolClaims() says what is said, and takes silence for nothing", () => {
  const rows = [
    [undefined, []],
    [{}, []],
    [{ title: "T", idempotentHint: true }, []],
    [{ readOnlyHint: true }, ["read-only"]],
    [{ readOnlyHint: false, destructiveHint: true, openWorldHint: true }, [
      "not read-only",
      "destructive",
      "open world",
    ]],
    [{ destructiveHint: false, openWorldHint: false }, ["not destructive", "closed world"]],
  ] as const;
  for (const [annotations, expected] of rows) {
    assert.deepEqual(toolClaims(annotations), expected);
  }
});

Deno.test("permissionText() says who allowed it", () => {
  const rows = [
    [{ isGranted: false }, "not allowed yet"],
    [{ isGranted: false, blocked: "read-only" }, "blocked: read-only"],
    [{ isGranted: true, source: "flag" }, "allowed by --allow-mcp"],
    [{ isGranted: true, source: "global" }, "allowed at every start by mcp.allow"],
    [{ isGranted: true, source: "session" }, "allowed for this session"],
  ] as const;
  for (const [permission, expected] of rows) assert.equal(permissionText(permission), expected);
});

Deno.test("formatServers() lists servers with their states", () => {
  const common = { transport: "stdio", enabled: true, faults: [] } as const;
  assert.equal(
    formatServers({
      permission: { isGranted: true, source: "session" },
      servers: [
        { ...common, name: "a", state: "connected", tools: 2 },
        { ...common, name: "b", state: "needs_authentication", tools: 0, reason: "Export B" },
      ],
    }),
    "MCP servers: allowed for this session\n  a: stdio, connected, 2 tools\n" +
      "  b: stdio, needs authentication - Export B",
  );
  assert.equal(
    formatServers({ permission: { isGranted: false }, servers: [] }),
    "No MCP server is configured; docs/mcp.md says how",
  );
});
