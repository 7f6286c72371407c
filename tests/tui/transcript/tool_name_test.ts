import assert from "node:assert/strict";
import { humaniseToolName } from "../../../tui/transcript/tool_name.ts";

const ROWS: readonly (readonly [name: string, shown: string])[] = [
  ["read_file", "Read File"],
  ["shell", "Shell"],
  ["ask_user_question", "Ask User Question"],
  ["mcp_devforge_time_diff", "MCP · Devforge Time Diff"],
  ["mcp_github_get_pr_url", "MCP · Github Get PR URL"],
  ["mcp", "MCP"],
  ["mcp_", "MCP"],
  ["webfetch", "Web Fetch"],
  ["bg_run", "Background Run"],
  ["p_0123456789_draw_chart", "Draw Chart"],
  ["p_012345678_draw", "P 012345678 Draw"],
  ["p_0123456789_mcp_x", "MCP · X"],
  ["parseJsonUrl", "Parse JSON URL"],
  ["http-get.v2", "HTTP Get V2"],
  ["___", "___"],
  ["constructor", "Constructor"],
];

for (const [name, shown] of ROWS) {
  Deno.test(`humaniseToolName() shows ${name} as ${shown}`, () => {
    assert.equal(humaniseToolName(name), shown);
  });
}
