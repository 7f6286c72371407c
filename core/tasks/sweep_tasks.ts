import { join } from "../paths/path.ts";
import type { TaskStore } from "./task_store.ts";

const DAY_MS = 86_400_000;

/**
 * Deletes tasks that ended long ago, with their logs.
 *
 * @param store The record.
 * @param stateRoot The state folder.
 * @param options How long they stay, 0 for ever, and what time it is.
 * @returns How many were deleted.
 */
export function sweepTasks(
  store: TaskStore,
  stateRoot: string,
  { retentionDays, nowMs }: { readonly retentionDays: number; readonly nowMs: number },
): number {
  if (retentionDays === 0) return 0;
  const old = store.endedBefore(nowMs - retentionDays * DAY_MS);
  for (const { id, logPath } of old) {
    // First the log: when this is cut short, the task is still there to be deleted again.
    removeLog(join(stateRoot, logPath));
    store.remove(id);
  }
  return old.length;
}

function removeLog(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
