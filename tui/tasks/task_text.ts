import { type BackgroundTask, isLive } from "../../core/tasks/background_task.ts";
import { formatDuration } from "../text/format_duration.ts";

/**
 * Where a task stands, in words for a person, such as `failed · exit 2`. Pure.
 *
 * @param task The task.
 */
export function statusLabel(task: BackgroundTask): string {
  switch (task.status) {
    case "queued":
    case "running":
    case "stopping":
    case "lost":
      return task.status;
    case "succeeded":
      return "done";
    case "failed":
      return `failed · ${failureOf(task)}`;
    case "cancelled":
      return `stopped · ${stopperOf(task)}`;
    default:
      return task.status satisfies never;
  }
}

/**
 * How long a task has run, or ran. Pure.
 *
 * @param task The task.
 * @param nowMs Epoch milliseconds.
 */
export function taskDuration(task: BackgroundTask, nowMs: number): string {
  const { startedAt, endedAt = isLive(task) ? nowMs : task.startedAt } = task;
  return startedAt === undefined || endedAt === undefined
    ? ""
    : formatDuration(endedAt - startedAt);
}

/**
 * What is shown of a task above its output. Pure.
 *
 * @param task The task.
 * @param nowMs Epoch milliseconds.
 */
export function describeTask(task: BackgroundTask, nowMs: number): string {
  const facts = [
    statusLabel(task),
    taskDuration(task, nowMs),
    task.pid === undefined ? "" : `process ${task.pid}`,
    task.error ?? "",
  ];
  return [
    `Command: ${task.command}`,
    `Directory: ${task.cwd}`,
    `Status: ${facts.filter((fact) => fact !== "").join(" · ")}`,
  ].join("\n");
}

function failureOf({ exitCode, signal, errorCode }: BackgroundTask): string {
  if (errorCode === "timeout") return "time limit";
  if (errorCode !== undefined) return "not started";
  return exitCode === undefined ? signal ?? "unknown" : `exit ${exitCode}`;
}

function stopperOf({ stoppedBy }: BackgroundTask): string {
  if (stoppedBy === "shutdown") return "with Alisio";
  return stoppedBy === undefined ? "unknown" : `by ${stoppedBy}`;
}
