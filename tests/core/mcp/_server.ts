import { join } from "node:path";
import type { McpServerSettings } from "../../../core/config/configuration.ts";
import { McpServer, type McpServerPorts } from "../../../core/mcp/mcp_server.ts";
import type { McpState } from "../../../core/mcp/mcp_state.ts";
import { MCP_PARTS } from "../../../tools/mcp/mcp_parts.ts";
import { smallServer } from "../../e2e/_mcp.ts";
import { withTempDir } from "../../support/temp.ts";
import { serverSettings } from "../../tools/mcp/_connect.ts";

/** A server alone, and what it told. */
export interface ServerScene {
  readonly server: McpServer;
  readonly folder: string;
  readonly notices: string[];
  /** Its states, each as often as it was told of. */
  readonly states: McpState[];
}

/** What a scene is made with. */
export interface ServerSceneOptions extends Partial<Pick<McpServerPorts, "backOffMs" | "redact">> {
  /** How the small server behaves. */
  readonly behaviour?: (folder: string) => Readonly<Record<string, unknown>>;
  readonly settings?: Partial<McpServerSettings>;
  /** Told after each change. */
  readonly onChanged?: (server: McpServer) => void;
}

/** No limit of a caller's own. */
export const FREE = { signal: new AbortController().signal };

/** Calls `fn` with a server that is a real program, connected to nothing yet. */
export async function withServer(
  { behaviour = () => ({}), settings = {}, onChanged, ...ports }: ServerSceneOptions,
  fn: (scene: ServerScene) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    const notices: string[] = [];
    const states: McpState[] = [];
    const server: McpServer = new McpServer({
      name: "small",
      settings: serverSettings({ ...smallServer(behaviour(folder)), ...settings }),
      connect: MCP_PARTS.connect,
      common: {
        workspace: folder,
        roots: [folder],
        env: Deno.env.toObject(),
        signInFolder: join(folder, "sign-in"),
        hideSecrets: () => {},
      },
      onChanged() {
        states.push(server.status().state);
        onChanged?.(server);
      },
      notify: (notice) => void notices.push(notice),
      ...ports,
    });
    try {
      await fn({ server, folder, notices, states });
    } finally {
      await server.close();
    }
  });
}
