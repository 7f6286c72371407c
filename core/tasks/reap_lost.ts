import { join } from "../paths/path.ts";
import { processStart } from "../process/process_start.ts";
import type { BackgroundTask } from "./background_task.ts";
import { isOwnerAlive } from "./task_owner.ts";
import type { TaskStore } from "./task_store.ts";

/**
 * Marks the tasks as lost whose process of Alisio died, those of others that live never. What still
 * runs of them is killed, where its leader is certainly the process that was started then. A process that
 * may not end them leaves them as they are, for the next one that may.
 *
 * @param store The record.
 * @param stateRoot The state folder.
 * @returns The tasks that are lost now.
 */
export async function reapLost(
  store: TaskStore,
  stateRoot: string,
): Promise<readonly BackgroundTask[]> {
  if (!maySignal()) return [];
  const lost: BackgroundTask[] = [];
  for (const task of store.live()) {
    if (isOwnerAlive(stateRoot, task.ownerToken)) continue;
    if (!store.lose(task, sizeOf(join(stateRoot, task.logPath)), Date.now())) continue;
    await killSurvivors(task);
    lost.push(task);
  }
  return lost;
}

/** One that runs no programs can neither look at a process nor signal it. */
function maySignal(): boolean {
  return Deno.permissions.querySync({ name: "run" }).state === "granted";
}

async function killSurvivors({ pid, processStart: start }: BackgroundTask): Promise<void> {
  if (pid === undefined || start === undefined || await processStart(pid) !== start) return;
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch {
    // It ended meanwhile, or this process may not signal it: the task shows its id.
  }
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}
