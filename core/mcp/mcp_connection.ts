import type { ToolResult } from "@alisio/sdk";
import type { McpServerSettings } from "../config/configuration.ts";
import type { QuestionAsker } from "../tools/user_question.ts";

/** What a server says of a tool. Shown to the person, and never believed. */
export interface McpAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as its server declares it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What the server sent, unchanged; an empty object where it sent none. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: McpAnnotations;
}

/** A resource, or a template of addresses of resources. */
export interface McpResource {
  /** Its address; of a template, with placeholders as RFC 6570 writes them. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
}

/** A prompt that a server offers. */
export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly isRequired: boolean;
  }[];
}

/** What a server lists, all pages of it. */
export interface McpListing<T> {
  readonly entries: readonly T[];
  /** What was left out and why, one sentence each: invalid entries, and pages above the limits. */
  readonly faults: readonly string[];
}

/** Why a connection is over. */
export interface McpClosed {
  /** One sentence. */
  readonly reason: string;
  /** The last lines of the error output of a server that is a program; safe to show. */
  readonly errorTail?: string;
}

/** How far a call is. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What limits one request to a server. */
export interface McpRequestOptions {
  /** Cancels the request alone: the server is told, and goes on serving. */
  readonly signal: AbortSignal;
  /** Is told how far the request is. */
  readonly onProgress?: (progress: McpProgress) => void;
}

/**
 * A connection to one server.
 *
 * Contract: every method rejects with an {@linkcode McpError}, within a second of the end of the
 * connection and at the latest at its own limit; none buffers without bound. Parts of results are
 * mapped and bounded already.
 */
export interface McpConnection {
  /** What the server calls itself. */
  readonly serverName: string;
  readonly serverVersion: string;
  /** What the server tells a model to know of it, bounded. */
  readonly instructions?: string;
  /** What it says that it has. */
  readonly offers: {
    readonly tools: boolean;
    readonly resources: boolean;
    readonly prompts: boolean;
  };
  /** Settles when the connection is over, whoever ended it. Never rejects. */
  readonly closed: Promise<McpClosed>;
  listTools(options: McpRequestOptions): Promise<McpListing<McpTool>>;
  /**
   * Calls a tool.
   *
   * @param name Its name at the server.
   * @param input What the server declared, unchanged by adaptations of its schema.
   */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: McpRequestOptions,
  ): Promise<ToolResult>;
  listResources(options: McpRequestOptions): Promise<McpListing<McpResource>>;
  readResource(uri: string, options: McpRequestOptions): Promise<ToolResult>;
  listPrompts(options: McpRequestOptions): Promise<McpListing<McpPrompt>>;
  getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    options: McpRequestOptions,
  ): Promise<ToolResult>;
  /** Ends the connection, and the program behind it. Never rejects. */
  close(): Promise<void>;
}

/** How a connection is made. */
export interface McpConnectOptions {
  /** Name of the server in the configuration. */
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Real path of the workspace: where a program starts. */
  readonly workspace: string;
  /** Real paths that the server is told of as roots. */
  readonly roots: readonly string[];
  /** Environment of Alisio, of which a program receives what it is allowed. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of sign-ins of servers, mode 0700, made when it is needed. */
  readonly signInFolder: string;
  /** Gives up. */
  readonly signal: AbortSignal;
  /** How long the handshake may take. */
  readonly timeoutMs: number;
  /** Puts questions of the server to the person, one after the other; absent where nobody is there. */
  readonly ask?: QuestionAsker;
  /** Stores bytes that no model can be shown and answers their path; absent where nothing is stored. */
  readonly saveBlob?: (bytes: Uint8Array, mimeType: string) => Promise<string>;
  /** Keeps values out of everything that is stored and sent from now on. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
  /** Is told that lists of the server have changed. */
  readonly onChanged: (list: "tools" | "resources" | "prompts") => void;
  /** Is told what went wrong without ending anything: one sentence that names the server. */
  readonly onDiagnostic: (text: string) => void;
}

/** Makes connections. The code of the protocol is loaded by the first one. */
export type McpConnector = (options: McpConnectOptions) => Promise<McpConnection>;

/** What kind of failure it is. */
export type McpErrorCode =
  | "unreachable"
  | "timeout"
  | "closed"
  | "sign_in_needed"
  | "refused"
  | "protocol"
  | "too_large"
  | "cancelled";

/** A failure of a server or of the way to it. The message says what failed and holds no secret. */
export class McpError extends Error {
  /** Always `McpError`. */
  override readonly name = "McpError";
  /** What kind of failure it is. */
  readonly code: McpErrorCode;

  /**
   * Creates the error.
   *
   * @param code What kind of failure it is.
   * @param message What failed, why, and what to do.
   * @param options The error behind it.
   */
  constructor(code: McpErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
