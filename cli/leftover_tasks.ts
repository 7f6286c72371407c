import type { Application } from "../core/application.ts";
import { visibleName } from "../core/process/visible_text.ts";

/** More are counted, not named. */
const MAX_NAMED = 5;

/**
 * Stops the background tasks that still run when a run without a screen ends.
 *
 * @param application The application. One that never had a task is left alone.
 * @param say Is told which were stopped.
 */
export async function stopLeftoverTasks(
  application: Application,
  say: (text: string) => void,
): Promise<void> {
  if (!application.hasTasks) return;
  const tasks = await application.tasks();
  const live = tasks.live();
  await tasks.close();
  if (live.length === 0) return;
  const named = live.slice(0, MAX_NAMED).map(({ label, id }) => `${visibleName(label)} (${id})`);
  const more = live.length > MAX_NAMED ? ` and ${live.length - MAX_NAMED} more` : "";
  const what = live.length === 1 ? "1 background task" : `${live.length} background tasks`;
  say(`Stopped ${what} at the end of the run: ${named.join(", ")}${more}\n`);
}
