import type { JsonSchema } from "@alisio/sdk";
import type { HostTool } from "../tools/host_tool.ts";
import type { McpServerSettings } from "../config/configuration.ts";
import type { SignInPorts } from "../provider/auth/sign_in.ts";
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

/** A server that a person signs in at. */
export interface McpSignInRequest {
  /** Name of the server in the configuration. */
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Environment of Alisio. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of sign-ins. */
  readonly folder: string;
  /** Keeps values out of everything that is stored and sent from now on. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
}

/** What a person is told of a sign-in that is done. */
export interface McpSignedIn {
  /** Origin of the service. */
  readonly service: string;
  /** Rights that were granted, if the service says. */
  readonly scopes: readonly string[];
}

/**
 * What became of a sign-in that was forgotten: there was none, the service has revoked it too, or it
 * may still count it.
 */
export type McpSignedOut = "none" | "revoked" | "forgotten";

/** What the core is given to speak to MCP servers: none of it is loaded before a run needs it. */
export interface McpParts {
  /** Makes connections. */
  readonly connect: McpConnector;
  /** Adapts schemas of tools. */
  readonly adaptSchema: SchemaAdapter;
  /**
   * Signs in at a server, at the wish of a person, and stores what comes back. Rejects with a
   * `SignInError`, and nothing is stored then.
   */
  readonly signIn: (request: McpSignInRequest, ports: SignInPorts) => Promise<McpSignedIn>;
  /** Whether a sign-in at a server is stored in the folder of sign-ins. */
  readonly isSignedIn: (settings: McpServerSettings, folder: string) => Promise<boolean>;
  /** Forgets the sign-in at a server, and has the service revoke it where it offers that. */
  readonly signOut: (settings: McpServerSettings, folder: string) => Promise<McpSignedOut>;
  /** Makes the tools that look after servers. */
  readonly createTools: (desk: McpDesk) => readonly HostTool[];
}
