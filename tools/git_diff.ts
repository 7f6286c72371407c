import type { HostTool } from "../core/tools/host_tool.ts";
import { runGit } from "./_git.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { GIT_DIFF } from "./tool_definitions.ts";

/**
 * Creates `git_diff`: changes of the workspace that are not staged.
 *
 * @param ports Where Git is.
 */
export function createGitDiffTool(ports: ProgramPorts): HostTool {
  return {
    ...GIT_DIFF,
    execute: (_input, context) =>
      runGit(ports, context, ["diff", "--no-ext-diff", "--no-textconv", "--no-color"]),
  };
}
