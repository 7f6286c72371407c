import { deepEqual } from "node:assert/strict";
import { rankTools } from "../../../core/mcp/rank_tools.ts";

const TOOLS = [
  {
    name: "mcp_git_createIssue",
    server: "git",
    tool: "createIssue",
    description: "Opens a report",
  },
  { name: "mcp_git_list", server: "git", tool: "list", description: "Lists every issue there is" },
  { name: "mcp_mail_send", server: "mail", tool: "send", description: "Sends a letter" },
];

const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["issue", ["createIssue", "list"]],
  ["issues", ["createIssue", "list"]],
  ["mail", ["send"]],
  ["git list", ["list", "createIssue"]],
  ["mcp_mail_send", ["send"]],
  ["letter", ["send"]],
  ["weather", []],
  ["", ["createIssue", "list", "send"]],
];

for (const [query, expected] of ROWS) {
  Deno.test(`rankTools() finds ${expected.join(", ") || "nothing"} by "${query}"`, () => {
    deepEqual(rankTools(TOOLS, query).map(({ tool }) => tool), expected);
  });
}
