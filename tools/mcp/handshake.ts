import { isObject } from "../../core/config/is_object.ts";
import { McpError } from "../../core/mcp/mcp_connection.ts";
import { visibleText } from "../../core/process/visible_text.ts";
import { boundText } from "../../core/text/bound_text.ts";
import { VERSION } from "../../core/version.ts";
import type { Peer, RequestLimits } from "./protocol_peer.ts";

/** Versions of the protocol that are spoken, newest first. */
const PROTOCOL_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];
const MAX_INSTRUCTIONS_CHARS = 8_192;

/** What a server said of itself. */
export interface Handshake {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  /** Bounded; empty if there are none. */
  readonly instructions: string;
  readonly offers: {
    readonly tools: boolean;
    readonly resources: boolean;
    readonly prompts: boolean;
  };
}

/** What a handshake works with. */
export interface HandshakePorts {
  /** What this side offers. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly limits: RequestLimits;
  /** Makes a text that the server wrote safe and short. */
  readonly safe: (text: string) => string;
  /** Is told the version before anything else is sent. */
  readonly onVersion: (version: string) => void;
}

/**
 * Shakes hands with a server.
 *
 * @param peer This side.
 * @param ports What it works with.
 * @throws {McpError | Error} If the server refuses, or speaks another version.
 */
export async function shakeHands(peer: Peer, ports: HandshakePorts): Promise<Handshake> {
  const { capabilities, signal, limits, safe, onVersion } = ports;
  const result = await peer.request({
    method: "initialize",
    params: {
      protocolVersion: PROTOCOL_VERSIONS[0],
      capabilities,
      clientInfo: { name: "alisio", title: "Alisio", version: VERSION },
    },
    signal,
    limits,
  });
  const { protocolVersion } = result;
  if (typeof protocolVersion !== "string" || !PROTOCOL_VERSIONS.includes(protocolVersion)) {
    throw new McpError(
      "protocol",
      `it speaks version ${JSON.stringify(safe(String(protocolVersion)))} of the protocol, which ` +
        "Alisio does not know; update Alisio or the server",
    );
  }
  onVersion(protocolVersion);
  peer.notify("notifications/initialized");
  return { protocolVersion, ...describeServer(result, safe) };
}

function describeServer(
  { serverInfo, capabilities, instructions }: Readonly<Record<string, unknown>>,
  safe: (text: string) => string,
): Omit<Handshake, "protocolVersion"> {
  const { name, title, version }: Readonly<Record<string, unknown>> = isObject(serverInfo)
    ? serverInfo
    : {};
  const offered: Readonly<Record<string, unknown>> = isObject(capabilities) ? capabilities : {};
  const shown = [title, name].find((each) => typeof each === "string" && each.trim() !== "");
  return {
    serverName: safe(String(shown ?? "")),
    serverVersion: safe(typeof version === "string" ? version : ""),
    instructions: typeof instructions === "string"
      ? visibleText(boundText(instructions, MAX_INSTRUCTIONS_CHARS).text.toWellFormed())
      : "",
    offers: {
      tools: isObject(offered["tools"]),
      resources: isObject(offered["resources"]),
      prompts: isObject(offered["prompts"]),
    },
  };
}
