import type { McpAnnotations } from "./mcp_connection.ts";

/** What a server is doing. Whether it is configured, allowed and offered are facts of their own. */
export type McpState =
  | "disabled"
  | "disconnected"
  | "connecting"
  | "connected"
  | "failed"
  | "needs_authentication"
  | "needs_restart";

/** A server as a person is shown it. Plain data, which holds no argument, variable or address. */
export interface McpServerStatus {
  /** Its name in the configuration. */
  readonly name: string;
  readonly transport: "stdio" | "http" | "sse";
  /** Whether the configuration switches it on. */
  readonly enabled: boolean;
  readonly state: McpState;
  /** Why it is in that state, one sentence; absent where there is nothing to say. */
  readonly reason?: string;
  /** The last lines of the error output of a program that failed. */
  readonly errorTail?: string;
  /** Tools that are loaded. */
  readonly tools: number;
  /** What its lists left out, one sentence each. */
  readonly faults: readonly string[];
  /** What it calls itself; absent until it was connected once. */
  readonly serverName?: string;
  readonly serverVersion?: string;
  /** What it says that it has; absent while it is not connected. */
  readonly offers?: {
    readonly tools: boolean;
    readonly resources: boolean;
    readonly prompts: boolean;
  };
}

/** A loaded tool as a person is shown it. */
export interface McpToolStatus {
  /** The name that a model uses. */
  readonly name: string;
  /** Name of the server in the configuration. */
  readonly server: string;
  /** The name at the server. */
  readonly tool: string;
  readonly title?: string;
  readonly description: string;
  /** What the server says of it, which decides nothing. */
  readonly annotations?: McpAnnotations;
}

/** Whether servers may be started and reached at all. */
export interface McpPermission {
  readonly isGranted: boolean;
  /** Who granted it. */
  readonly source?: "flag" | "global" | "session";
  /** Why nobody can grant it. */
  readonly blocked?: string;
}
