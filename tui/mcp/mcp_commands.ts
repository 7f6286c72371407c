import type { SlashCommand } from "../commands/slash_command.ts";

/** The panel of MCP servers. */
export const MCP_COMMANDS: readonly SlashCommand[] = [{
  name: "mcps",
  aliases: ["mcp"],
  description: "Look at MCP servers, connect them, and see what they say of their tools",
  source: "builtin",
  duringRun: "wait",
  run: async (stage) => {
    await (await import("./mcp_panel.ts")).openMcpPanel(stage);
  },
}];
