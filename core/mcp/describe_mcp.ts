import type { Application } from "../application.ts";
import type { LoadedConfiguration } from "../config/load_config.ts";
import { isObject } from "../config/is_object.ts";
import type { McpAnnotations } from "./mcp_connection.ts";
import type { McpPermission, McpServerStatus, McpState } from "./mcp_state.ts";

const STATES: Readonly<Record<McpState, string>> = {
  disabled: "disabled",
  disconnected: "disconnected",
  connecting: "connecting",
  connected: "connected",
  failed: "failed",
  needs_authentication: "needs authentication",
  needs_restart: "restart required",
};

/** Whether servers may be used, and what each of them is doing. */
export interface McpOverview {
  readonly permission: McpPermission;
  readonly servers: readonly McpServerStatus[];
}

/**
 * What a server is doing, in words.
 *
 * @param state Its state.
 */
export function stateLabel(state: McpState): string {
  return STATES[state];
}

/**
 * How many tools of a server are loaded, in words.
 *
 * @param tools How many.
 */
export function toolCount(tools: number): string {
  return tools === 1 ? "1 tool" : `${tools} tools`;
}

/**
 * Whether servers may be used, and who said so.
 *
 * @param permission The permission.
 */
export function permissionText({ isGranted, source, blocked }: McpPermission): string {
  if (blocked !== undefined) return `blocked: ${blocked}`;
  if (!isGranted) return "not allowed yet";
  switch (source) {
    case "flag":
      return "allowed by --allow-mcp";
    case "global":
      return "allowed at every start by mcp.allow";
    default:
      return "allowed for this session";
  }
}

/**
 * What a server says of a tool. It proves nothing, and a tool of which nothing is said is not taken
 * for a destructive one.
 *
 * @param annotations What it says; absent where it says nothing.
 */
export function toolClaims(annotations: McpAnnotations | undefined): readonly string[] {
  const { readOnlyHint, destructiveHint, openWorldHint }: McpAnnotations = annotations ?? {};
  return [
    ...(readOnlyHint === true ? ["read-only"] : readOnlyHint === false ? ["not read-only"] : []),
    ...(destructiveHint === true
      ? ["destructive"]
      : destructiveHint === false
      ? ["not destructive"]
      : []),
    ...(openWorldHint === true ? ["open world"] : openWorldHint === false ? ["closed world"] : []),
  ];
}

/**
 * The servers of an application, those that cannot be connected in this run among them.
 *
 * @param application The application.
 */
export function overviewOf(
  application: Pick<Application, "mcp" | "loaded" | "permissionMode">,
): McpOverview {
  const { mcp, loaded } = application;
  if (mcp !== undefined) return { permission: mcp.permission(), servers: mcp.servers() };
  const blocked = application.permissionMode() === "read-only"
    ? "this run changes nothing; start again without --read-only"
    : "this run cannot use servers; start again with --allow-mcp";
  return { permission: { isGranted: false, blocked }, servers: configuredServers(loaded) };
}

function configuredServers(
  { configuration }: Pick<LoadedConfiguration, "configuration">,
): readonly McpServerStatus[] {
  return Object.entries(configuration.mcp.servers).map(([name, { transport, enabled }]) => ({
    name,
    transport,
    enabled,
    state: enabled ? "disconnected" : "disabled",
    tools: 0,
    faults: [],
  }));
}

/**
 * Where a server is configured.
 *
 * @param loaded The configuration.
 * @param name The server.
 * @returns For a heading.
 */
export function serverSource(
  { layers }: Pick<LoadedConfiguration, "layers">,
  name: string,
): string {
  const layer = layers.findLast(({ values: { mcp } }) =>
    isObject(mcp) && isObject(mcp.servers) && Object.hasOwn(mcp.servers, name)
  )?.source.layer;
  switch (layer) {
    case "project":
      return "This project";
    case "explicit":
      return "--config";
    default:
      return "Your configuration";
  }
}

/**
 * The servers as lines of text, for a terminal without panels.
 *
 * @param overview What there is.
 */
export function formatServers({ permission, servers }: McpOverview): string {
  if (servers.length === 0) return "No MCP server is configured; docs/mcp.md says how";
  return [
    `MCP servers: ${permissionText(permission)}`,
    ...servers.map(({ name, transport, state, tools, reason }) => {
      const facts = [transport, stateLabel(state), ...(tools > 0 ? [toolCount(tools)] : [])];
      return `  ${name}: ${facts.join(", ")}${reason === undefined ? "" : ` - ${reason}`}`;
    }),
  ].join("\n");
}
