import { START_SCRIPT } from "../process/process_start.ts";
import type { ProcessMark } from "../process/process_mark.ts";

/**
 * Waits for a line. Where none comes because whoever would write it has died, it kills the group,
 * unless its leader is another process by now, and whatever shows the mark.
 */
const SCRIPT = `${START_SCRIPT}
trap '' HUP INT TERM
read -r line
[ "$line" = ended ] && exit 0
if [ "$(start_of "$1")" = "$2" ]; then kill -KILL "-$1" 2>/dev/null; fi
[ -d /proc/1 ] || exit 0
for round in 1 2 3; do
  found=$(grep -lsF -e "$3" /proc/[0-9]*/"$4")
  [ -n "$found" ] || exit 0
  for file in $found; do
    file=\${file#/proc/}
    [ "\${file%%/*}" = "$$" ] || kill -KILL "\${file%%/*}" 2>/dev/null
  done
done`;

/** What ends a task when this process is killed and can do nothing itself. */
export interface TaskGuard {
  /** Sends it away: the task has ended. Does not throw. */
  dismiss(): Promise<void>;
}

const NO_GUARD: TaskGuard = { dismiss: () => Promise.resolve() };

/**
 * Has a small process of its own group watch over a task, which it kills with all that it started
 * if this process dies without a word. Windows has none.
 *
 * @param task The leader of its group, when that began, and the mark of all its processes.
 * @returns One that does nothing, where none can be started.
 */
export function guardTask(
  task: { readonly pid: number; readonly start: string; readonly mark: ProcessMark },
): TaskGuard {
  if (Deno.build.os === "windows") return NO_GUARD;
  const { variable, fileLocks } = task.mark;
  const [text, file] = fileLocks === null ? [variable, "environ"] : [` ${fileLocks} `, "limits"];
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("/bin/sh", {
      cwd: "/",
      args: ["-c", SCRIPT, "sh", String(task.pid), task.start, text, file],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
  } catch {
    return NO_GUARD;
  }
  const status = child.status.catch(() => null);
  return {
    async dismiss() {
      const writer = child.stdin.getWriter();
      try {
        await writer.write(new TextEncoder().encode("ended\n"));
        await writer.close();
      } catch {
        // It was killed.
      }
      await status;
    },
  };
}
