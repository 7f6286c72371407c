import assert from "node:assert/strict";
import { join } from "node:path";
import type { ToolResult } from "@alisio/sdk";
import type { McpServerSettings } from "../../../core/config/configuration.ts";
import {
  type McpConnection,
  type McpConnectOptions,
  McpError,
  type McpRequestOptions,
} from "../../../core/mcp/mcp_connection.ts";
import { type ConnectionLimits, connectMcpServer } from "../../../tools/mcp/connect_mcp_server.ts";
import { withTempDir } from "../../support/temp.ts";

/** Settings of a server, with the defaults of the configuration. */
export function serverSettings(settings: Partial<McpServerSettings>): McpServerSettings {
  return {
    transport: "stdio",
    enabled: true,
    args: [],
    envAllow: [],
    env: {},
    headers: {},
    timeoutMs: 60_000,
    callTimeoutMs: 60_000,
    ...settings,
  };
}

/** Settings of the server that behaves as badly as it is told. */
export function hostileServer(
  mode: string,
  settings: Partial<McpServerSettings> = {},
): McpServerSettings {
  const script = join(import.meta.dirname ?? "", "_servers", "stdio_server.ts");
  return serverSettings({
    command: Deno.execPath(),
    args: ["run", "-A", "--no-config", "--no-lock", script, mode],
    ...settings,
  });
}

/** What a connection told while it was there. */
export interface Told {
  readonly diagnostics: string[];
  readonly changes: string[];
  readonly hidden: string[];
}

/** Options of {@linkcode withConnection}. */
export interface ConnectionScene {
  readonly options?: Partial<McpConnectOptions>;
  readonly limits?: ConnectionLimits;
}

/** Connects to a server for as long as `fn` takes. */
export async function withConnection(
  settings: McpServerSettings,
  fn: (connection: McpConnection, told: Told) => Promise<void>,
  { options = {}, limits }: ConnectionScene = {},
): Promise<void> {
  await withTempDir(async (workspace) => {
    const told: Told = { diagnostics: [], changes: [], hidden: [] };
    const connection = await connect(settings, workspace, {
      told,
      options,
      ...limits && { limits },
    });
    try {
      await fn(connection, told);
    } finally {
      await connection.close();
    }
  });
}

/** Connects to a server. */
export async function connect(
  settings: McpServerSettings,
  workspace: string,
  { told, options, limits }: ConnectionScene & { readonly told?: Told } = {},
): Promise<McpConnection> {
  const all: McpConnectOptions = {
    name: "test",
    settings,
    workspace,
    roots: [workspace],
    env: Deno.env.toObject(),
    signInFolder: join(workspace, "sign-in"),
    signal: new AbortController().signal,
    timeoutMs: settings.timeoutMs,
    hideSecrets: (secrets) => void told?.hidden.push(...secrets),
    onChanged: (list) => void told?.changes.push(list),
    onDiagnostic: (text) => void told?.diagnostics.push(text),
    ...options,
  };
  return limits === undefined ? await connectMcpServer(all) : await connectMcpServer(all, limits);
}

/** A request that nobody cancels. */
export const NO_LIMIT: McpRequestOptions = { signal: new AbortController().signal };

/** The text of a result. */
export function textOf({ content }: ToolResult): string {
  return content.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n");
}

/** Calls a tool and answers the text of its result. */
export async function callText(
  connection: McpConnection,
  name: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return textOf(await connection.callTool(name, input, NO_LIMIT));
}

/** What a request that must fail failed with. */
export async function failureOf(promise: Promise<unknown>): Promise<McpError> {
  try {
    await promise;
  } catch (error) {
    assert(error instanceof McpError, String(error));
    return error;
  }
  throw new Error("It did not fail");
}

/** Waits until a process is gone; a test that waits in vain is ended by its runner. */
export async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      const state = await Deno.readTextFile(`/proc/${pid}/stat`);
      if (/\) [ZX] /.test(state)) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
