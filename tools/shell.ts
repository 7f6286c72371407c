import { textResult, type ToolResult } from "@alisio/sdk";
import { CommandError } from "../core/process/command_error.ts";
import { outputLogName } from "../core/process/output_folder.ts";
import { runCommand } from "../core/process/run_command.ts";
import { shellProgram } from "../core/process/shell_program.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import type { CommandPorts } from "./_command_ports.ts";
import { commandResult } from "./_command_result.ts";
import { LiveOutput } from "./_live_output.ts";
import { SHELL } from "./tool_definitions.ts";

const TIMEOUT_MS = 30_000;

/**
 * Creates `shell`: one command line, run by bash where it is installed, else by `/bin/sh`, and on
 * Windows by `cmd.exe`.
 *
 * @param ports Where bash is, the environment, and what is taken out of the output.
 */
export function createShellTool(ports: CommandPorts): HostTool {
  return {
    ...SHELL,
    execute: (input, context) => runShell(ports, input, context),
  };
}

async function runShell(
  ports: CommandPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const command = typeof input["command"] === "string" ? input["command"] : "";
  if (command.trim() === "") {
    return textResult('Cannot run a command line: "command" is empty', true);
  }
  const timeoutMs = Math.min(TIMEOUT_MS, ports.maxCommandMs ?? TIMEOUT_MS);
  const bash = await ports.findExecutable("bash");
  using live = new LiveOutput((data) => context.emit(data));
  try {
    const run = ports.sandbox?.()?.run ?? runCommand;
    const outcome = await run({
      ...shellProgram(command, { os: Deno.build.os, bash }),
      timeoutMs,
      cwd: context.workspace,
      env: ports.environment(),
      signal: context.signal,
      findEscaped: true,
      log: { workspace: context.workspace, name: outputLogName(context.callId) },
      createRedactor: ports.createRedactor,
      onOutput: live.take,
    });
    return commandResult(outcome, { command, cwd: context.workspace, timeoutMs });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return textResult(error.message, true);
  }
}
