import { textResult, type ToolResult } from "@alisio/sdk";
import { CommandError } from "../core/process/command_error.ts";
import { installHint } from "../core/process/install_hint.ts";
import { outputLogName } from "../core/process/output_folder.ts";
import { runCommand } from "../core/process/run_command.ts";
import { visibleName } from "../core/process/visible_text.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import type { CommandPorts } from "./_command_ports.ts";
import { commandResult } from "./_command_result.ts";
import { quoted } from "./_json_result.ts";
import { LiveOutput } from "./_live_output.ts";
import { RUN_PROCESS } from "./tool_definitions.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** How much of a command line is shown to people. */
const MAX_TITLE_CHARS = 2_000;

/**
 * Creates `run_process`: one program with an array of arguments, without a shell.
 *
 * @param ports The environment of the program, and what is taken out of its output.
 */
export function createRunProcessTool(ports: CommandPorts): HostTool {
  return {
    ...RUN_PROCESS,
    execute: (input, context) => runProcess(ports, input, context),
  };
}

async function runProcess(
  ports: CommandPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const program = typeof input["command"] === "string" ? input["command"] : "";
  const args = Array.isArray(input["args"]) ? input["args"].map(String) : [];
  const wantedMs = typeof input["timeoutMs"] === "number" ? input["timeoutMs"] : DEFAULT_TIMEOUT_MS;
  const timeoutMs = Math.min(wantedMs, ports.maxCommandMs ?? wantedMs);
  if (isCommandLine(program)) return textResult(explainCommandLine(program), true);
  using live = new LiveOutput((data) => context.emit(data));
  try {
    const run = ports.sandbox?.()?.run ?? runCommand;
    const outcome = await run({
      program,
      args,
      timeoutMs,
      cwd: context.workspace,
      env: ports.environment(),
      signal: context.signal,
      findEscaped: true,
      log: { workspace: context.workspace, name: outputLogName(context.callId) },
      createRedactor: ports.createRedactor,
      onOutput: live.take,
    });
    return commandResult(outcome, {
      command: [program, ...args].map(shownWord).join(" ").slice(0, MAX_TITLE_CHARS),
      cwd: context.workspace,
      timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return textResult(explainStart(program, error), true);
  }
}

/** Words in a program's name are arguments in the wrong place, unless they are part of a path. */
function isCommandLine(program: string): boolean {
  return /\s/.test(program.trim()) && !/[/\\]/.test(program.trim().split(/\s/)[0] ?? "");
}

function explainCommandLine(program: string): string {
  const [first = "", ...rest] = program.trim().split(/\s+/);
  const form = JSON.stringify({ command: first, args: rest.slice(0, 20) });
  return `Cannot run ${
    quoted(program)
  }: "command" is the program alone and "args" its arguments; ` +
    `pass ${form.length > 500 ? '{"command":"…","args":["…"]}' : form}, ` +
    "or use the tool shell for a command line";
}

function explainStart(program: string, error: CommandError): string {
  if (error.code !== "program_not_found" || /[/\\]/.test(program)) return error.message;
  const advice = program === "rg" || program === "git"
    ? `install it: ${installHint(program, Deno.build.os)}`
    : "check the name, or install it first";
  return `${error.message}; ${advice}`;
}

/** A word as a shell would need it, so that its bounds can be seen. */
function shownWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return visibleName(`'${word.replaceAll("'", `'\\''`)}'`);
}
