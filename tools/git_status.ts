import type { HostTool } from "../core/tools/host_tool.ts";
import { runGit } from "./_git.ts";
import type { ProgramPorts } from "./_program_ports.ts";

/**
 * Creates `git_status`: what has changed in the workspace.
 *
 * @param ports Where Git is.
 */
export function createGitStatusTool(ports: ProgramPorts): HostTool {
  return {
    name: "git_status",
    description: "Shows changed and untracked files (git status --porcelain=v1).",
    effect: "read",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    execute: (_input, context) => runGit(ports, context, ["status", "--porcelain=v1"]),
  };
}
