import type { HostTool } from "../core/tools/host_tool.ts";
import { runGit } from "./_git.ts";
import type { ProgramPorts } from "./_program_ports.ts";

/**
 * Creates `git_diff`: changes of the workspace that are not staged.
 *
 * @param ports Where Git is.
 */
export function createGitDiffTool(ports: ProgramPorts): HostTool {
  return {
    name: "git_diff",
    description: "Shows changes that are not staged, as a patch (git diff).",
    effect: "read",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    execute: (_input, context) =>
      runGit(ports, context, ["diff", "--no-ext-diff", "--no-textconv", "--no-color"]),
  };
}
