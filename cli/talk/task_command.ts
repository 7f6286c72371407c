import type { Application } from "../../core/application.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { BackgroundTask } from "../../core/tasks/background_task.ts";
import { type BackgroundTasks, TaskRefusal } from "../../core/tasks/background_tasks.ts";
import { describeTask, statusLabel, taskDuration } from "../../tui/tasks/task_text.ts";

/** What the tasks of a session are shown with. */
export interface TaskCommandPorts {
  readonly application: Pick<Application, "tasks">;
  /** The session, once one is open. */
  readonly sessionId: string | undefined;
}

const MAX_LISTED = 50;
/** How much of the end of the output is shown. */
const TAIL_BYTES = 4_096;
const NONE = "There are no background tasks in this session";

/**
 * What `/tasks` says between lines: the tasks of the session, one of them with the end of its output,
 * or what became of one that it stops.
 *
 * @param words What follows the command.
 * @param ports Where the tasks are.
 */
export async function tasksText(
  words: readonly string[],
  { application, sessionId }: TaskCommandPorts,
): Promise<string> {
  if (sessionId === undefined) return NONE;
  const tasks = await application.tasks();
  const all = tasks.list(sessionId, { limit: MAX_LISTED });
  if (all.length === 0) return NONE;
  if (words.length === 0) return listOf(all);
  const isStop = words[0] === "stop";
  const [number = "", ...rest] = isStop ? words.slice(1) : words;
  const task = /^\d{1,2}$/.test(number) ? all[Number(number) - 1] : undefined;
  if (task === undefined || rest.length > 0) {
    return `Write /tasks, or /tasks and /tasks stop with a number from 1 to ${all.length}`;
  }
  return isStop ? await stopped(tasks, sessionId, task) : await shown(tasks, sessionId, task);
}

function listOf(all: readonly BackgroundTask[]): string {
  const now = Date.now();
  return all.map((task, index) => {
    const facts = [statusLabel(task), taskDuration(task, now)].filter((fact) => fact !== "");
    return `${String(index + 1).padStart(2)}  ${facts.join(" · ")}  ${visibleName(task.label)}`;
  }).join("\n");
}

async function shown(
  tasks: BackgroundTasks,
  sessionId: string,
  { id, outputBytes, ...task }: BackgroundTask,
): Promise<string> {
  const offset = Math.max(0, outputBytes - TAIL_BYTES);
  const { text } = await tasks.read(sessionId, id, { offset, limit: TAIL_BYTES });
  const cut = offset > 0 ? "…\n" : "";
  const facts = describeTask({ id, outputBytes, ...task }, Date.now());
  return `${facts}\n${text === "" ? "It has printed nothing" : cut + text.trimEnd()}`;
}

async function stopped(
  tasks: BackgroundTasks,
  sessionId: string,
  { id }: BackgroundTask,
): Promise<string> {
  try {
    const task = await tasks.stop(sessionId, id, "user");
    return `${statusLabel(task)}: ${visibleName(task.label)}`;
  } catch (error) {
    if (error instanceof TaskRefusal) return error.message;
    throw error;
  }
}
