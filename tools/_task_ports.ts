import { textResult, type ToolResult } from "@alisio/sdk";
import { CommandError } from "../core/process/command_error.ts";
import { type BackgroundTasks, TaskRefusal } from "../core/tasks/background_tasks.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";

/** What tools of background tasks are given. */
export interface TaskPorts {
  /** The tasks; loaded by the first call. */
  readonly tasks: () => Promise<BackgroundTasks>;
}

/**
 * Answers a call about tasks. What cannot be done is said to the model.
 *
 * @param ports The tasks.
 * @param context The call.
 * @param act Does it, for a session.
 */
export async function answerAboutTasks(
  ports: TaskPorts,
  context: HostToolContext,
  act: (tasks: BackgroundTasks, sessionId: string) => Promise<ToolResult> | ToolResult,
): Promise<ToolResult> {
  try {
    return await act(await ports.tasks(), context.session ?? "");
  } catch (error) {
    if (!(error instanceof TaskRefusal) && !(error instanceof CommandError)) throw error;
    return textResult(error.message, true);
  }
}
