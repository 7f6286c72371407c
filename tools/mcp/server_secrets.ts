import type { McpConnectOptions } from "../../core/mcp/mcp_connection.ts";
import { isSecretName } from "../../core/secret_names.ts";
import { headerVariables } from "./request_headers.ts";

/** Values of a server's settings that must not be seen. */
export interface ServerSecrets {
  /** Whatever the person said for this server alone: kept out of everything about it. */
  readonly values: readonly string[];
  /** What is a secret wherever it turns up. */
  readonly hidden: readonly string[];
}

/**
 * Collects the values of a server that must not be seen. Pure.
 *
 * @param options The server and the environment of Alisio.
 */
export function serverSecrets(
  { settings, env }: Pick<McpConnectOptions, "settings" | "env">,
): ServerSecrets {
  const isStdio = settings.transport === "stdio";
  const own = isStdio ? Object.entries(settings.env) : [];
  const named = isStdio ? settings.envAllow.filter(isSecretName) : [
    settings.bearerTokenEnv ?? "",
    settings.oauth?.clientSecretEnv ?? "",
    ...headerVariables(settings.headers),
  ];
  const passed = named.flatMap((name) => env[name] ?? []);
  const hidden = [...passed, ...own.flatMap(([name, value]) => isSecretName(name) ? value : [])];
  const values = [...passed, ...own.map(([, value]) => value)];
  return { values: unique(values), hidden: unique(hidden) };
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== "");
}
