import type { BackgroundTask } from "../core/tasks/background_task.ts";
import { previewText } from "../core/text/bound_text.ts";

/** How much of a command a list shows. */
const MAX_COMMAND_CHARS = 200;

/**
 * A task as a model is told of it.
 *
 * @param task The task.
 */
export function taskFacts(task: BackgroundTask): Readonly<Record<string, unknown>> {
  return {
    id: task.id,
    label: task.label,
    status: task.status,
    ...endFacts(task),
    output_bytes: task.outputBytes,
    ...(task.isTruncated ? { output_truncated: true } : {}),
    command: previewText(task.command, MAX_COMMAND_CHARS),
    cwd: task.cwd,
    ...(task.pid === undefined ? {} : { pid: task.pid }),
    timeout_ms: task.timeoutMs,
    created_at: isoTime(task.createdAt),
    ...(task.startedAt === undefined ? {} : { started_at: isoTime(task.startedAt) }),
    ...(task.endedAt === undefined ? {} : { ended_at: isoTime(task.endedAt) }),
  };
}

/**
 * How a task ended, as far as it did.
 *
 * @param task The task.
 */
export function endFacts(task: BackgroundTask): Readonly<Record<string, unknown>> {
  const error = [task.errorCode, task.error].filter((part) => part !== undefined).join(": ");
  return {
    ...(task.exitCode === undefined ? {} : { exit_code: task.exitCode }),
    ...(task.signal === undefined ? {} : { signal: task.signal }),
    ...(error === "" ? {} : { error }),
    ...(task.stoppedBy === undefined ? {} : { stopped_by: task.stoppedBy }),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
