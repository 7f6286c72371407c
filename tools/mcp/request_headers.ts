import { McpError } from "../../core/mcp/mcp_connection.ts";
import type { McpServerSettings } from "../../core/config/configuration.ts";

const VARIABLE_REGEXP = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Names of the variables that headers of a server take values from. Pure.
 *
 * @param headers As configured.
 */
export function headerVariables(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(headers).flatMap((value) =>
    [...value.matchAll(VARIABLE_REGEXP)].flatMap(([, name]) => name ?? [])
  );
}

/**
 * The headers that a person configured for each request to a server, with the values of their
 * variables, and the token of `bearerTokenEnv`. Pure.
 *
 * @param settings The server.
 * @param env Environment of Alisio.
 * @throws {McpError} With the code `sign_in_needed` if a variable is not set, or holds what no
 * header can.
 */
export function configuredHeaders(
  { headers, bearerTokenEnv }: Pick<McpServerSettings, "headers" | "bearerTokenEnv">,
  env: Readonly<Record<string, string>>,
): Headers {
  const made = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    const filled = value.replace(VARIABLE_REGEXP, (_, variable) => variableValue(variable, env));
    made.set(name, filled);
  }
  if (bearerTokenEnv !== undefined) {
    made.set("authorization", `Bearer ${variableValue(bearerTokenEnv, env)}`);
  }
  return made;
}

function variableValue(name: string, env: Readonly<Record<string, string>>): string {
  const value = (Object.hasOwn(env, name) ? env[name] : undefined)?.trim() ?? "";
  if (value === "") {
    throw new McpError("sign_in_needed", `the environment variable ${name} is not set; export it`);
  }
  if (!/^[\t\x20-\x7e]+$/.test(value)) {
    throw new McpError(
      "sign_in_needed",
      `the environment variable ${name} holds characters that no header can; correct it`,
    );
  }
  return value;
}

/**
 * Whether a person configured what requests are authorized with, so that no sign-in is needed. Pure.
 *
 * @param settings The server.
 */
export function hasOwnAuthorization(
  { headers, bearerTokenEnv }: Pick<McpServerSettings, "headers" | "bearerTokenEnv">,
): boolean {
  return bearerTokenEnv !== undefined ||
    Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
