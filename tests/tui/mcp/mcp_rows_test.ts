import assert from "node:assert/strict";
import type { McpServerStatus, McpState } from "../../../core/mcp/mcp_state.ts";
import { layOutSections } from "../../../tui/commands/layout.ts";
import {
  mcpActions,
  mcpDetail,
  mcpItems,
  serverSections,
  toolSections,
} from "../../../tui/mcp/mcp_rows.ts";
import { assertDrawable, HOSTILE_TEXTS, PLAIN_THEME } from "../../support/panel_scene.ts";

const GRANTED = { isGranted: true, source: "session" } as const;

function server(state: McpState, more: Partial<McpServerStatus> = {}): McpServerStatus {
  return {
    name: "small",
    transport: "stdio",
    enabled: true,
    state,
    tools: 0,
    faults: [],
    ...more,
  };
}

Deno.test("mcpActions() offers what a state allows", () => {
  const rows: readonly (readonly [McpState, readonly string[]])[] = [
    ["disabled", ["Enable and connect", "Show details"]],
    ["disconnected", ["Connect", "Disable", "Show details"]],
    ["connecting", ["Stop connecting", "Show details"]],
    ["connected", ["Show tools", "Disconnect", "Disable", "Show details"]],
    ["failed", ["Connect again", "Disable", "Show details"]],
    ["needs_authentication", ["Connect again", "Disable", "Show details"]],
    ["needs_restart", ["Show tools", "Disconnect", "Disable", "Show details"]],
  ];
  for (const [state, expected] of rows) {
    assert.deepEqual(
      mcpActions(server(state), GRANTED).map(({ label }) => label),
      expected,
      state,
    );
    const blocked = { isGranted: false, blocked: "read-only" };
    assert.deepEqual(mcpActions(server(state), blocked).map(({ value }) => value), ["details"]);
  }
});

Deno.test("mcpActions() offers a sign-in where the server is an address", () => {
  const actions = mcpActions(server("needs_authentication", { transport: "http" }), GRANTED);
  assert.deepEqual(actions.map(({ label }) => label), [
    "Sign in",
    "Connect again",
    "Disable",
    "Show details",
  ]);
});

Deno.test("mcpActions() offers to sign out where somebody is signed in", () => {
  const rows: readonly (readonly [McpState, boolean])[] = [
    ["disabled", true],
    ["disconnected", true],
    ["connecting", false],
    ["connected", true],
    ["failed", true],
    ["needs_authentication", true],
    ["needs_restart", true],
  ];
  for (const [state, isOffered] of rows) {
    const web = server(state, { transport: "http" });
    const has = (isSignedIn: boolean) =>
      mcpActions(web, GRANTED, isSignedIn).some(({ value }) => value === "sign_out");
    assert.deepEqual([has(true), has(false)], [isOffered, false], state);
  }
});

Deno.test("mcpItems() keeps servers of one source together", () => {
  const loaded = {
    layers: [
      { source: { layer: "global" as const }, values: { mcp: { servers: { a: {}, c: {} } } } },
      { source: { layer: "project" as const }, values: { mcp: { servers: { b: {}, c: {} } } } },
    ],
  };
  const servers = ["b", "a", "c"].map((name) => ({ ...server("connected"), name, tools: 1 }));
  assert.deepEqual(
    mcpItems({ permission: { isGranted: true, source: "global" }, servers }, loaded)
      .map(({ group, mark, label, description }) => [group, mark, label, description]),
    [
      ["This project", "[x]", "b", "connected · 1 tool · stdio"],
      ["This project", "[x]", "c", "connected · 1 tool · stdio"],
      ["Your configuration", "[x]", "a", "connected · 1 tool · stdio"],
      ["Permission", "   ", "Revoke global MCP consent", undefined],
    ],
  );
});

Deno.test("mcpDetail() says why a server is as it is", () => {
  const row = (state: McpState, more: Partial<McpServerStatus> = {}) =>
    mcpDetail({ kind: "server", server: server(state, more) }, GRANTED);
  assert.equal(row("failed", { reason: "No such program" }), "No such program");
  assert.equal(row("connected"), "Its tools are offered to the model");
  assert.equal(row("disabled"), "Nothing connects it until it is enabled");
});

Deno.test("serverSections() and toolSections() draw nothing that steers a terminal", () => {
  for (const text of HOSTILE_TEXTS) {
    const sections = [
      ...serverSections(
        server("failed", {
          reason: text,
          serverName: text,
          serverVersion: text,
          errorTail: text,
          faults: Array(50).fill(text),
        }),
        { permission: GRANTED, source: "This project", isEnabled: true },
      ),
      ...toolSections([{ name: "mcp_x", server: "x", tool: text, title: text, description: text }]),
    ];
    for (const width of [40, 80]) {
      const rows = layOutSections(sections, { width, theme: PLAIN_THEME });
      const panel = { focused: false, invalidate() {}, handleInput() {}, render: () => [...rows] };
      assertDrawable(panel, { width, rows: rows.length });
    }
  }
});
