import type { McpParts } from "../../core/mcp/mcp_parts.ts";
import { adaptSchema } from "./schema/adapt_schema.ts";
import { createOwnTools } from "./own_tools.ts";

/** What speaks to MCP servers. The code of the protocol is loaded by the first connection. */
export const MCP_PARTS: McpParts = {
  connect: async (options) =>
    await (await import("./connect_mcp_server.ts")).connectMcpServer(options),
  adaptSchema,
  signIn: async (request, ports) =>
    await (await import("./oauth/sign_in_to_server.ts")).signInToServer(request, ports),
  createTools: createOwnTools,
};
