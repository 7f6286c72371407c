/**
 * The tools that come with Alisio.
 *
 * @module
 */
import type { HostTool } from "../core/tools/host_tool.ts";
import type { CommandPorts } from "./_command_ports.ts";
import { createEditFileTool } from "./edit_file.ts";
import { createGitDiffTool } from "./git_diff.ts";
import { createGitStatusTool } from "./git_status.ts";
import { createListFilesTool } from "./list_files.ts";
import { createReadFileTool } from "./read_file.ts";
import { createRunProcessTool } from "./run_process.ts";
import { createSearchTextTool } from "./search_text.ts";
import { createShellTool } from "./shell.ts";
import { createWriteFileTool } from "./write_file.ts";

export type { CommandPorts } from "./_command_ports.ts";

/**
 * Creates every built-in tool, in the order in which a model is offered them.
 *
 * @param ports What the tools work with.
 */
export function createBuiltinTools(ports: CommandPorts): readonly HostTool[] {
  return [
    createReadFileTool(),
    createListFilesTool(ports),
    createSearchTextTool(ports),
    createGitStatusTool(ports),
    createGitDiffTool(ports),
    createWriteFileTool(),
    createEditFileTool(),
    createRunProcessTool(ports),
    createShellTool(ports),
  ];
}
