import { textResult, type ToolResult } from "@alisio/sdk";
import { runCommand } from "../core/process/run_command.ts";
import { type ShellProgram, shellProgram } from "../core/process/shell_program.ts";
import type { TaskEndNotice } from "../core/tasks/background_task.ts";
import type { BackgroundTasks } from "../core/tasks/background_tasks.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import type { CommandPorts } from "./_command_ports.ts";
import { jsonResult } from "./_json_result.ts";
import { answerAboutTasks, type TaskPorts } from "./_task_ports.ts";
import { BG_RUN } from "./tool_definitions.ts";

/** What `bg_run` is given. */
export interface BgRunPorts extends CommandPorts, TaskPorts {
  /** What the model is told to expect. */
  readonly endNotice: TaskEndNotice;
}

const NOTES: Readonly<Record<TaskEndNotice, string>> = {
  woken:
    "You are told when it ends. Read its output with bg_output; do not wait for it by asking " +
    "again and again.",
  at_end: "You are told when it ends, once you have answered. Read its output with bg_output.",
  untold: "Nothing tells you when it ends; it runs on while the person stays in this " +
    "conversation. Read its output with bg_output.",
  never: "Nothing tells you when it ends, and it is stopped when this run ends: read its output " +
    "with bg_output before you answer.",
};

/**
 * Creates `bg_run`: a command line, as `shell` runs it, beside the conversation.
 *
 * @param ports Where tasks are kept, and what `shell` is given.
 */
export function createBgRunTool(ports: BgRunPorts): HostTool {
  return {
    ...BG_RUN,
    execute: (input, context) =>
      answerAboutTasks(
        ports,
        context,
        (tasks, session) => startTask(ports, tasks, { input, context, session }),
      ),
  };
}

async function startTask(
  ports: BgRunPorts,
  tasks: BackgroundTasks,
  { input, context, session }: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly context: HostToolContext;
    readonly session: string;
  },
): Promise<ToolResult> {
  const { command, cwd, label, timeoutMs } = input;
  if (typeof command !== "string" || command.trim() === "") {
    return textResult('Cannot start a task: "command" is empty', true);
  }
  const bash = await ports.findExecutable("bash");
  const task = await tasks.start({
    sessionId: session,
    command,
    ...(typeof label === "string" ? { label } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    spec: {
      ...inOneStream(shellProgram(command, { os: Deno.build.os, bash })),
      cwd: typeof cwd === "string" ? context.path(cwd).real : context.workspace,
      env: ports.environment(),
      createRedactor: ports.createRedactor,
    },
    run: ports.sandbox?.()?.run ?? runCommand,
  });
  // Whatever became of it meanwhile, it was started.
  return jsonResult({
    id: task.id,
    label: task.label,
    status: "running",
    timeout_ms: task.timeoutMs,
    note: NOTES[ports.endNotice],
  });
}

/** Both streams through one pipe: through two, their order would be a matter of chance. */
function inOneStream(shell: ShellProgram): ShellProgram {
  if (Deno.build.os === "windows") return shell;
  const args = ["-c", 'exec "$@" 2>&1', "sh", shell.program, ...shell.args];
  return { program: "/bin/sh", args, windowsRawArguments: false };
}
