import type { McpServerSettings } from "../../core/config/configuration.ts";
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
  async isSignedIn(settings, folder) {
    const server = addressOf(settings);
    if (server === null) return false;
    const { readSignIn } = await import("./oauth/sign_in_store.ts");
    return await readSignIn(folder, server) !== null;
  },
  async signOut(settings, folder) {
    const server = addressOf(settings);
    if (server === null) return "none";
    const { signOutOfServer } = await import("./oauth/sign_out_of_server.ts");
    return await signOutOfServer(folder, server);
  },
  createTools: createOwnTools,
};

/** Null for a program, which nobody signs in at. */
function addressOf({ transport, url }: McpServerSettings): URL | null {
  return transport === "stdio" ? null : URL.parse(url ?? "");
}
