import { childEnvironment } from "../process/child_environment.ts";
import type { McpServerSettings } from "../config/configuration.ts";

/**
 * The whole environment of a server that is a program: the short list that every program gets, what
 * `envAllow` names, and on top of both what `env` says. It is handed to that program alone and never
 * shown.
 *
 * @param settings The server.
 * @param parent The environment of Alisio.
 */
export function serverEnvironment(
  { envAllow, env }: Pick<McpServerSettings, "envAllow" | "env">,
  parent: Readonly<Record<string, string>>,
): Record<string, string> {
  const allowed = envAllow.flatMap((name) => {
    const value = parent[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...childEnvironment(parent), ...Object.fromEntries(allowed), ...env };
}
