import type { JsonSchema } from "@alisio/sdk";
import type { HostTool } from "../tools/host_tool.ts";
import type { McpConnector } from "./mcp_connection.ts";
import type { McpDesk } from "./mcp_desk.ts";

/** A schema that providers take, and the way back from it. */
export interface AdaptedSchema {
  /** What a model is shown; always an object schema. */
  readonly schema: JsonSchema;
  /** What a restored input can be held against in bounded time. */
  readonly checked: JsonSchema;
  /**
   * Brings an input in the form that the server declared, which it is sent. Pure; never throws.
   *
   * @default The input as it is.
   */
  readonly restore?: (input: Record<string, unknown>) => Record<string, unknown>;
}

/**
 * Adapts what a server declared for providers without losing meaning. Pure; never throws, whatever
 * the server sent.
 */
export type SchemaAdapter = (declared: Readonly<Record<string, unknown>>) => AdaptedSchema;

/** What the core is given to speak to MCP servers: none of it is loaded before a run needs it. */
export interface McpParts {
  /** Makes connections. */
  readonly connect: McpConnector;
  /** Adapts schemas of tools. */
  readonly adaptSchema: SchemaAdapter;
  /** Makes the tools that look after servers. */
  readonly createTools: (desk: McpDesk) => readonly HostTool[];
}
