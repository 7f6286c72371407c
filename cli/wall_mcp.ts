import type { McpServerSettings, McpSettings } from "../core/config/configuration.ts";
import { findServerProgram } from "../core/mcp/server_program.ts";
import { stateHome } from "../core/config/directories.ts";
import { join } from "../core/paths/path.ts";
import { hostAndPort } from "../core/wall/ceiling.ts";
import type { WallRequest } from "./wall_facts.ts";

/**
 * What the wall must let through for MCP servers: the hosts of those that are reached and of the
 * services that renew sign-ins at them, and the programs of those that are started, under the name
 * that they are found by and under their real one. What such a program starts itself is none of the
 * wall's business: it runs with the rights of the person.
 *
 * @param request The run.
 * @param workspace Real path of the workspace.
 * @param settings The servers.
 */
export async function readForServers(
  { env, canAsk = false }: WallRequest,
  workspace: string,
  settings: McpSettings,
): Promise<{ readonly hosts: readonly string[]; readonly executables: readonly string[] }> {
  // A person may switch one on while Alisio runs.
  const servers = Object.values(settings.servers).filter(({ enabled }) => enabled || canAsk);
  const programs = await Promise.all(
    servers.filter(({ transport }) => transport === "stdio")
      .map((server) => programOf(server, { env, workspace })),
  );
  const services = await Promise.all(servers.map((server) => servicesOf(server, env)));
  return {
    hosts: [...new Set([...servers.flatMap(hostOf), ...services.flat()])],
    executables: [...new Set(programs.flat())],
  };
}

async function programOf(
  server: McpServerSettings,
  places: Parameters<typeof findServerProgram>[1],
): Promise<readonly string[]> {
  const program = await findServerProgram(server, places);
  if (program === null) return [];
  try {
    return [program, await Deno.realPath(program)];
  } catch {
    return [program];
  }
}

/** Where a sign-in is renewed, which may be elsewhere than the server. */
async function servicesOf(
  { transport, url }: McpServerSettings,
  env: WallRequest["env"],
): Promise<readonly string[]> {
  const server = transport === "stdio" ? null : URL.parse(url ?? "");
  if (server === null) return [];
  const { readSignIn } = await import("../tools/mcp/oauth/sign_in_store.ts");
  const signIn = await readSignIn(join(stateHome(env), "mcp"), server);
  return signIn === null ? [] : hostOf({ transport, url: signIn.tokenEndpoint });
}

function hostOf(
  { transport, url }: Pick<McpServerSettings, "transport" | "url">,
): readonly string[] {
  if (transport === "stdio" || url === undefined) return [];
  try {
    return [hostAndPort(url)];
  } catch {
    // No address that a connection can be made to: nothing to permit.
    return [];
  }
}
