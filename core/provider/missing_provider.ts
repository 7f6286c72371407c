import { AlisioError } from "../errors.ts";
import type { FindLocalServersOptions } from "./local_servers.ts";

/**
 * Adds the commands that use a model server of this machine to the error that says that none is
 * configured. Any other error is returned as it is.
 *
 * @param error What was thrown.
 * @param options Where to look, for tests.
 */
export async function withLocalServers(
  error: unknown,
  options: FindLocalServersOptions = {},
): Promise<unknown> {
  if (!(error instanceof AlisioError) || error.code !== "provider_not_configured") return error;
  const { findLocalServers } = await import("./local_servers.ts");
  const servers = await findLocalServers(options);
  if (servers.length === 0) return error;
  const lines = servers.map(({ name, baseURL, command }) =>
    `${name} answers at ${baseURL}; to use it, run\n  ${command}`
  );
  return new AlisioError(error.code, [error.message, ...lines].join("\n"), { cause: error });
}
