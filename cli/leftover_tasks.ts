import type { Application } from "../core/application.ts";
import { AlisioError } from "../core/errors.ts";
import { settlesWithin } from "../core/process/settles_within.ts";
import { visibleName } from "../core/process/visible_text.ts";
import type { BackgroundTask } from "../core/tasks/background_task.ts";
import type { BackgroundTasks } from "../core/tasks/background_tasks.ts";
import { formatTaskNotice, type TaskNotice } from "../core/tasks/task_notice.ts";
import { untilAborted } from "../core/until_aborted.ts";

/** More are counted, not named. */
const MAX_NAMED = 5;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const MAX_WAIT_MS = 86_400_000;

/**
 * Reads the flag `--wait-tasks`.
 *
 * @param value The value of the flag.
 * @returns How long tasks are waited for at most; null without the flag, infinite without a limit.
 * @throws {AlisioError} `usage`.
 */
export function parseWaitTasks(
  value: string | boolean | readonly string[] | undefined,
): number | null {
  if (typeof value !== "string") return value === true ? Infinity : null;
  const [, count = "", unit = ""] = /^(\d{1,6})([smh])$/.exec(value) ?? [];
  const limitMs = Number(count) * (UNIT_MS[unit] ?? 0);
  if (limitMs > 0 && limitMs <= MAX_WAIT_MS) return limitMs;
  throw new AlisioError(
    "usage",
    'Flag "--wait-tasks" needs a duration such as 90s, 10m or 2h, 24h at most, or none, found ' +
      JSON.stringify(value.slice(0, 80)),
  );
}

/**
 * Waits for the background tasks of a session and for its agents, and says what its model has not heard of.
 *
 * @param application The application.
 * @param sessionId The session.
 * @param options How long it is waited at most, and what ends the wait.
 * @returns What the model is to be told, and is taken to know from now on; null for nothing.
 * @throws The reason of the signal, if that aborts.
 */
export async function waitForTasks(
  application: Application,
  sessionId: string,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<TaskNotice | null> {
  const { children, store } = application;
  const tasks = application.hasTasks ? await application.tasks() : undefined;
  const watched = [tasks, children].filter((each) => each !== undefined);
  const ended = Promise.withResolvers<void>();
  const look = () => {
    if (watched.every((each) => each.live().length === 0)) ended.resolve();
  };
  const leave = watched.map((each) => each.subscribe(look));
  look();
  try {
    const waited = Number.isFinite(limitMs) ? settlesWithin(ended.promise, limitMs) : ended.promise;
    await untilAborted(Promise.resolve(waited), signal);
  } finally {
    leave.forEach((each) => each());
  }
  const notice = tasks === undefined ? null : claimNotice(tasks, sessionId);
  // What agents reported stands before the next prompt, whatever that is.
  return notice ?? (store.hasMail(sessionId) ? AGENTS_NOTICE : null);
}

const AGENTS_NOTICE: TaskNotice = {
  prompt: "The tasks in the background have ended, as told above. Go on with what they report.",
  display: "Tasks of agents finished",
};

function claimNotice(tasks: BackgroundTasks, sessionId: string): TaskNotice | null {
  const announced = tasks.list(sessionId, { limit: 1_000 }).filter((task) =>
    task.rootSessionId === sessionId && tasks.isAnnounced(task)
  );
  const claim = tasks.claim(announced.map(({ id }) => id));
  return claim.tasks.length === 0 ? null : formatTaskNotice(claim.tasks);
}

/**
 * Stops the tasks of agents that still run when a run without a screen, or a conversation, ends.
 * Called before its session is closed.
 *
 * @param application The application.
 * @param sessionId The session.
 * @param say Is told which were stopped.
 * @param when What it says of the moment.
 */
export function stopLeftoverAgents(
  { children }: Application,
  sessionId: string,
  say: (text: string) => void,
  when = "at the end of the run",
): void {
  const live = children?.live() ?? [];
  if (live.length === 0) return;
  const named = live.slice(0, MAX_NAMED).map(({ agent, title, id }) =>
    `${visibleName(`${agent}: ${title}`)} (${id})`
  );
  const more = live.length > MAX_NAMED ? ` and ${live.length - MAX_NAMED} more` : "";
  const what = live.length === 1 ? "1 task of an agent" : `${live.length} tasks of agents`;
  children?.stopBelow(sessionId);
  say(`Stopped ${what} ${when}: ${named.join(", ")}${more}; each can be resumed by its id\n`);
}

/**
 * Stops the background tasks that still run when a run without a screen, or a conversation, ends.
 *
 * @param application The application. One that never had a task is left alone.
 * @param say Is told which were stopped.
 * @param when What it says of the moment.
 */
export async function stopLeftoverTasks(
  application: Application,
  say: (text: string) => void,
  when = "at the end of the run",
): Promise<void> {
  if (!application.hasTasks) return;
  const tasks = await application.tasks();
  const live = tasks.live();
  await tasks.close();
  if (live.length > 0) say(`${describeStopped(live, when)}\n`);
}

function describeStopped(live: readonly BackgroundTask[], when: string): string {
  const named = live.slice(0, MAX_NAMED).map(({ label, id }) => `${visibleName(label)} (${id})`);
  const more = live.length > MAX_NAMED ? ` and ${live.length - MAX_NAMED} more` : "";
  const what = live.length === 1 ? "1 background task" : `${live.length} background tasks`;
  return `Stopped ${what} ${when}: ${named.join(", ")}${more}`;
}
