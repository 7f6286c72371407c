import type { LoadedConfiguration } from "../../core/config/load_config.ts";
import {
  type McpOverview,
  permissionText,
  serverSource,
  stateLabel,
  toolClaims,
  toolCount,
} from "../../core/mcp/describe_mcp.ts";
import type {
  McpPermission,
  McpServerStatus,
  McpState,
  McpToolStatus,
} from "../../core/mcp/mcp_state.ts";
import { previewText } from "../../core/text/bound_text.ts";
import type { Section } from "../commands/layout.ts";
import type { PickerItem } from "../panels/list_picker.ts";

/** A line of the panel: a server, or what can be done about the consent. */
export type McpLine =
  | { readonly kind: "server"; readonly server: McpServerStatus }
  | { readonly kind: "consent"; readonly action: "grant" | "revoke" };

/** What can be done with a server. */
export type McpAction =
  | "connect"
  | "sign_in"
  | "sign_out"
  | "disconnect"
  | "enable"
  | "disable"
  | "tools"
  | "details";

const MARKS: Readonly<Record<McpState, string>> = {
  disabled: "[-]",
  disconnected: "[ ]",
  connecting: "[~]",
  connected: "[x]",
  failed: "[!]",
  needs_authentication: "[?]",
  needs_restart: "[*]",
};

/** A tool's description is there to be recognised; a server may write any number of pages. */
const MAX_DESCRIPTION_CHARS = 300;
const MAX_FAULTS = 20;

/**
 * Lines of the panel: servers by where they are configured, then the consent. Pure.
 *
 * @param overview What there is.
 * @param loaded Says where each server is configured.
 */
export function mcpItems(
  { permission, servers }: McpOverview,
  loaded: Pick<LoadedConfiguration, "layers">,
): readonly PickerItem<McpLine>[] {
  const items = servers.map((server): PickerItem<McpLine> => ({
    value: { kind: "server", server },
    label: server.name,
    description: [
      stateLabel(server.state),
      ...(server.tools > 0 ? [toolCount(server.tools)] : []),
      server.transport,
    ].join(" · "),
    mark: MARKS[server.state],
    group: serverSource(loaded, server.name),
    keywords: `${server.serverName ?? ""} ${server.reason ?? ""}`,
  }));
  const grouped = [...new Set(items.map(({ group }) => group))]
    .flatMap((group) => items.filter((item) => item.group === group));
  return [...grouped, ...consentItems(permission, servers.length > 0)];
}

function consentItems(
  { isGranted, source, blocked }: McpPermission,
  hasServers: boolean,
): readonly PickerItem<McpLine>[] {
  if (blocked !== undefined || (!isGranted && !hasServers)) return [];
  const item = (action: "grant" | "revoke", label: string): PickerItem<McpLine> => ({
    value: { kind: "consent", action },
    label,
    mark: "   ",
    group: "Permission",
  });
  if (!isGranted) return [item("grant", "Allow MCP servers")];
  return [
    item("revoke", source === "global" ? "Revoke global MCP consent" : "Take the consent back"),
  ];
}

/**
 * Said below the list of the selected line. Pure.
 *
 * @param line The line.
 * @param permission Whether servers may be used.
 */
export function mcpDetail(line: McpLine, permission: McpPermission): string {
  if (line.kind === "consent") {
    return line.action === "grant"
      ? "Starts programs and reaches addresses; you are asked first"
      : `${sentence(permissionText(permission))}. Taking it back ends every connection`;
  }
  const { reason, state } = line.server;
  if (permission.blocked !== undefined) return sentence(permissionText(permission));
  if (reason !== undefined) return reason;
  if (state === "connected") return "Its tools are offered to the model";
  return state === "disabled"
    ? "Nothing connects it until it is enabled"
    : "It is connected when you or the model ask for it";
}

/**
 * What can be done with a server at this moment. Pure.
 *
 * @param server The server.
 * @param permission Whether servers may be used.
 * @param isSignedIn Whether a sign-in at it is stored.
 */
export function mcpActions(
  server: McpServerStatus,
  permission: McpPermission,
  isSignedIn = false,
): readonly PickerItem<McpAction>[] {
  const item = (value: McpAction, label: string, description = ""): PickerItem<McpAction> => ({
    value,
    label,
    ...(description === "" ? {} : { description }),
  });
  const details = item("details", "Show details");
  if (permission.blocked !== undefined) return [details];
  const disable = item("disable", "Disable", "in its configuration");
  const signOut = isSignedIn ? [item("sign_out", "Sign out")] : [];
  switch (server.state) {
    case "disabled":
      return [item("enable", "Enable and connect", "in its configuration"), ...signOut, details];
    case "connecting":
      return [item("disconnect", "Stop connecting"), details];
    case "connected":
      return [
        item("tools", "Show tools"),
        item("disconnect", "Disconnect"),
        ...signOut,
        disable,
        details,
      ];
    case "needs_authentication":
      return [
        ...(server.transport === "stdio" ? [] : [item("sign_in", "Sign in", "in a browser")]),
        item("connect", "Connect again"),
        ...signOut,
        disable,
        details,
      ];
    case "failed":
      return [item("connect", "Connect again"), ...signOut, disable, details];
    case "disconnected":
      return [item("connect", "Connect"), ...signOut, disable, details];
    case "needs_restart":
      return [
        item("tools", "Show tools"),
        item("disconnect", "Disconnect"),
        ...signOut,
        disable,
        details,
      ];
  }
}

/**
 * Everything that is known of a server. Pure.
 *
 * @param server The server.
 * @param overview Whether servers may be used, and where this one is configured.
 */
export function serverSections(
  server: McpServerStatus,
  { permission, source, isEnabled }: {
    readonly permission: McpPermission;
    readonly source: string;
    /** Whether the configuration switches it on. */
    readonly isEnabled: boolean;
  },
): readonly Section[] {
  const { serverName, serverVersion, offers } = server;
  const offered = Object.entries(offers ?? {}).filter(([, isThere]) => isThere).map(([name]) =>
    name
  );
  const fields: readonly (readonly [string, string])[] = [
    ["configured in", source],
    ["transport", server.transport],
    ["configuration", isEnabled ? "enabled" : "disabled"],
    ["permission", permissionText(permission)],
    ["connection", stateLabel(server.state)],
    ["reason", server.reason ?? ""],
    ["loaded tools", String(server.tools)],
    ["calls itself", [serverName, serverVersion].filter((part) => part !== undefined).join(" ")],
    ["offers", offered.join(", ")],
  ];
  const left = server.faults.length - MAX_FAULTS;
  return [
    { heading: "", entries: entriesOf(fields) },
    {
      heading: "Left out of its lists",
      entries: [
        ...server.faults.slice(0, MAX_FAULTS).map((text) => ({ name: "-", text })),
        ...(left > 0 ? [{ name: "-", text: `${left} more` }] : []),
      ],
    },
    {
      heading: "Last lines of its error output",
      entries: (server.errorTail ?? "").split("\n").filter((line) => line.trim() !== "")
        .map((text) => ({ name: "|", text })),
    },
  ];
}

/**
 * The tools of a server, with what the server says of them. Pure.
 *
 * @param tools The tools.
 */
export function toolSections(tools: readonly McpToolStatus[]): readonly Section[] {
  return [{
    heading: "What a server says of its tools is not checked, and permits nothing.",
    entries: tools.map(({ name, tool, title, description, annotations }) => {
      const claims = toolClaims(annotations);
      const says = claims.length === 0 ? "it says nothing of itself" : claims.join(", ");
      return {
        name: tool,
        text: `[${says}] ${previewText(title ?? description, MAX_DESCRIPTION_CHARS)} (${name})`,
      };
    }),
  }];
}

/**
 * Title of the panel. Pure.
 *
 * @param permission Whether servers may be used.
 */
export function mcpTitle(permission: McpPermission): string {
  return `MCP servers, ${
    permission.blocked === undefined ? permissionText(permission) : "blocked in this run"
  }`;
}

function entriesOf(fields: readonly (readonly [string, string])[]): Section["entries"] {
  return fields.filter(([, text]) => text !== "").map(([name, text]) => ({ name, text }));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
