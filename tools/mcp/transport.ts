import type { McpClosed, McpError } from "../../core/mcp/mcp_connection.ts";
import type { MessageId } from "./read_message.ts";

/** A message that is sent. */
export interface OutgoingMessage {
  readonly jsonrpc: "2.0";
  /** Absent in a notification. */
  readonly id?: MessageId;
  /** Absent in an answer. */
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Who is told of what comes from a server. None of it may throw. */
export interface TransportEvents {
  /** Is given every message: parsed JSON, of which nothing else is known. */
  readonly onMessage: (value: unknown) => void;
  /** Is told that a request will not be answered, and why. */
  readonly onFailed: (id: MessageId, error: McpError) => void;
  /** Is told what went wrong without ending anything. May be called often. */
  readonly onDiagnostic: (text: string) => void;
}

/**
 * A way to a server that messages take.
 *
 * Contract: nothing rejects but `start`. A message that cannot be sent is told of as failed if it
 * is a request; where nothing can be sent any more, the transport ends.
 */
export interface Transport {
  /** Settles when nothing comes any more. Never rejects. */
  readonly closed: Promise<McpClosed>;
  /**
   * Makes the way.
   *
   * @param events Who is told.
   * @param signal Gives up.
   * @throws {McpError} If there is none.
   */
  start(events: TransportEvents, signal: AbortSignal): Promise<void>;
  /** Sends a message. */
  send(message: OutgoingMessage): void;
  /** Is told what both sides agreed on. */
  setProtocolVersion(version: string): void;
  /** Ends it, and the program behind it. */
  close(): Promise<void>;
}
