import type { McpSettings } from "../core/config/configuration.ts";

/** The MCP servers that a run could use. None is started or reached to find out. */
export interface McpReport {
  /** How many are configured. */
  readonly configured: number;
  /** How many of them are switched on. */
  readonly enabled: number;
  /** Whether the run may start and reach them. */
  readonly permission: "granted" | "needed" | "blocked";
}

/**
 * Finds out what is configured. Nothing is started or reached.
 *
 * @param settings What the configuration says.
 * @param flags The flags of the run.
 * @returns Null where no server is configured.
 */
export function examineMcp(
  settings: McpSettings,
  { readOnly, allowMcp }: { readonly readOnly: boolean; readonly allowMcp: boolean },
): McpReport | null {
  const servers = Object.values(settings.servers);
  if (servers.length === 0) return null;
  return {
    configured: servers.length,
    enabled: servers.filter(({ enabled }) => enabled).length,
    permission: readOnly ? "blocked" : allowMcp || settings.allow ? "granted" : "needed",
  };
}

const PERMISSIONS: Readonly<Record<McpReport["permission"], string>> = {
  granted: 'may be started and reached; "alisio mcp doctor" connects them',
  needed: 'not started or reached without --allow-mcp or "mcp.allow"',
  blocked: "not started or reached with --read-only",
};

/**
 * The same in words.
 *
 * @param report What was found out.
 */
export function formatMcp({ configured, enabled, permission }: McpReport): string {
  const off = configured - enabled;
  const count = off === 0 ? String(enabled) : `${enabled}, and ${off} switched off`;
  return `${count}: ${PERMISSIONS[permission]}`;
}
