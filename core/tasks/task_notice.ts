import type { BackgroundTask } from "./background_task.ts";

/** Longer lists are counted. */
const MAX_NAMED = 20;

/** What a model and a person are told of tasks that ended. */
export interface TaskNotice {
  /** For the model. */
  readonly prompt: string;
  /** For the person, on one line. */
  readonly display: string;
}

/**
 * Tells of tasks that ended by themselves. Pure.
 *
 * @param tasks The tasks, at least one.
 */
export function formatTaskNotice(tasks: readonly BackgroundTask[]): TaskNotice {
  const named = tasks.slice(0, MAX_NAMED);
  const more = tasks.length - named.length;
  const lines = named.map((task) => `- ${task.id} ${JSON.stringify(task.label)}: ${endOf(task)}`);
  const what = tasks.length === 1 ? "A background task has ended:" : "Background tasks have ended:";
  const also = more > 0 ? [`- ${more} more, which bg_list shows`] : [];
  const how = "Read output with bg_output and the id, as far as you need it.";
  const labels = named.map((task) => `${task.label} (${task.status})`);
  return {
    prompt: [what, ...lines, ...also, how].join("\n"),
    display: `Background task${tasks.length === 1 ? "" : "s"} finished: ${labels.join(", ")}` +
      (more > 0 ? ` and ${more} more` : ""),
  };
}

function endOf({ status, exitCode, signal, error }: BackgroundTask): string {
  const how = exitCode !== undefined
    ? `exit code ${exitCode}`
    : signal !== undefined
    ? `ended by ${signal}`
    : undefined;
  const details = [how, error].filter((part) => part !== undefined).join("; ");
  return details === "" ? status : `${status} (${details})`;
}
