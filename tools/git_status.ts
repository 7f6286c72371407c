import type { HostTool } from "../core/tools/host_tool.ts";
import { runGit } from "./_git.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { GIT_STATUS } from "./tool_definitions.ts";

/**
 * Creates `git_status`: what has changed in the workspace.
 *
 * @param ports Where Git is.
 */
export function createGitStatusTool(ports: ProgramPorts): HostTool {
  return {
    ...GIT_STATUS,
    execute: (_input, context) => runGit(ports, context, ["status", "--porcelain=v1"]),
  };
}
