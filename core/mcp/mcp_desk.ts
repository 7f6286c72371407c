import type { ToolResult } from "@alisio/sdk";
import type { HostToolContext } from "../tools/host_tool.ts";
import type { FoundTool } from "./mcp_catalog.ts";
import type { McpListing, McpPrompt, McpResource } from "./mcp_connection.ts";
import type { McpServerStatus } from "./mcp_state.ts";

/** What the tools that look after servers are made from. */
export interface McpDesk {
  /** Names of the servers that are switched on, in the order of the configuration. */
  serverNames(): readonly string[];
  /** What each server is doing. */
  servers(): readonly McpServerStatus[];
  /** Whether tools are found by searching, because they are too many to be sent. */
  readonly isSearched: boolean;
  /**
   * Connects a server, with the consent of the person, who is asked where they have not given it.
   *
   * @param server Its name.
   * @param context The call that wants it.
   * @returns What it is then, and what a model may know of it.
   * @throws {McpError} If it cannot be connected, or nobody consents.
   */
  connect(server: string, context: HostToolContext): Promise<{
    readonly status: McpServerStatus;
    readonly instructions?: string;
    /** Names by which a model calls its tools. */
    readonly tools: readonly string[];
  }>;
  /** Finds tools, which are offered to the session from its next request on. */
  search(query: string, sessionId: string): readonly FoundTool[];
  /** Resources of a server. */
  listResources(server: string, context: HostToolContext): Promise<McpListing<McpResource>>;
  /** A resource of a server. */
  readResource(server: string, uri: string, context: HostToolContext): Promise<ToolResult>;
  /** Prompts of a server. */
  listPrompts(server: string, context: HostToolContext): Promise<McpListing<McpPrompt>>;
  /** A prompt of a server, filled in. */
  getPrompt(
    server: string,
    prompt: { readonly name: string; readonly values: Readonly<Record<string, string>> },
    context: HostToolContext,
  ): Promise<ToolResult>;
}
