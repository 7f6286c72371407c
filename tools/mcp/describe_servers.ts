import type { McpServerStatus, McpState } from "../../core/mcp/mcp_state.ts";

const WORDS: Readonly<Record<McpState, string>> = {
  disabled: "switched off",
  disconnected: "not connected",
  connecting: "connecting",
  connected: "connected",
  failed: "failed",
  needs_authentication: "the person has to sign in",
  needs_restart: "Alisio has to be started again",
};

const MAX_SERVERS = 50;

/**
 * What servers are doing, in one line for a model. Nothing that a server said is in it.
 *
 * @param servers The servers.
 */
export function describeServers(servers: readonly McpServerStatus[]): string {
  const lines = servers.filter(({ enabled }) => enabled).slice(0, MAX_SERVERS)
    .map(({ name, state, tools }) =>
      `"${name}": ${WORDS[state]}${state === "connected" ? `, ${tools} tools` : ""}`
    );
  return `Name of the server. ${lines.join("; ")}`;
}
