import type { McpServerSettings } from "../config/configuration.ts";
import { isAbsolute, resolve } from "../paths/path.ts";
import { findExecutable } from "../process/find_executable.ts";

/**
 * Finds the program of a server, the same for the wall that must let it be started and for whoever
 * starts it. A bare name is looked for in `PATH`, never in the workspace; a path, which the person
 * or a trusted project wrote, is taken as it is.
 *
 * @param settings The server.
 * @param options The environment to look in, and the workspace.
 * @returns Its absolute path, or null if there is no such program.
 */
export async function findServerProgram(
  { command = "", env: own }: Pick<McpServerSettings, "command" | "env">,
  { env, workspace }: {
    readonly env: Readonly<Record<string, string>>;
    readonly workspace: string;
  },
): Promise<string | null> {
  if (/[/\\]/.test(command)) return isAbsolute(command) ? command : resolve(workspace, command);
  return await findExecutable(command, {
    path: own["PATH"] ?? env["PATH"],
    pathExt: env["PATHEXT"],
    exclude: [workspace],
  });
}
