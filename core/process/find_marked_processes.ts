import type { ProcessMark } from "./process_mark.ts";

/** Longest look through the process table. */
const LOOK_LIMIT_MS = 2_000;

/** Kills what shows the mark, and again what that started meanwhile. */
const KILL_SCRIPT = `
bound=
command -v timeout >/dev/null && bound='timeout -s KILL 1'
own=$3
for round in 1 2 3; do
  found=$($bound grep -lsF -e "$1" /proc/[0-9]*/"$2")
  [ -n "$found" ] || exit 0
  for file in $found; do
    file=\${file#/proc/}
    [ "\${file%%/*}" = "$own" ] || kill -KILL "\${file%%/*}" 2>/dev/null
  done
done`;

/**
 * Finds the running processes that were started under a mark, wherever they moved: into another
 * process group, another session, or to another parent.
 *
 * Linux only. The look is made by a short child, because the runtime opens `/proc` to nobody who
 * has less than all permissions. Where the mark is in the environment alone, a process that dropped
 * its environment is not found.
 *
 * @param mark The mark.
 * @param leader The process that was started under it.
 * @returns The process ids, or null where it cannot be known.
 */
export async function findMarkedProcesses(
  mark: ProcessMark,
  leader: number,
): Promise<readonly number[] | null> {
  const { text, file } = whereShown(mark);
  const shown = await search(["-lF", "-e", text], file);
  if (shown === null || shown === "") return shown === null ? null : [];
  const ids = [...shown.matchAll(/^\/proc\/([0-9]+)\//gm)].map((match) => Number(match[1]));
  if (file === "environ") return ids;
  const table = await search(["-H", "-e", "^State:", "-e", "^PPid:"], "status");
  return table === null ? null : ids.filter((id) => isOurs(id, leader, parseTable(table)));
}

/**
 * Kills the processes that were started under a mark, and waits until it is done: for a process
 * that has no more time than this. Linux only; takes at most a few seconds, and as a rule a few
 * milliseconds.
 *
 * @param mark The mark.
 */
export function killMarkedProcesses(mark: ProcessMark): void {
  if (Deno.build.os !== "linux") return;
  const { text, file } = whereShown(mark);
  try {
    new Deno.Command("/bin/sh", {
      ...LOOK_OPTIONS,
      args: ["-c", KILL_SCRIPT, "sh", text, file, String(Deno.pid)],
      stdout: "null",
    }).outputSync();
  } catch {
    // It may not be started, or not any more.
  }
}

const LOOK_OPTIONS = {
  // The directory of this process may be gone.
  cwd: "/",
  clearEnv: true,
  env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
  stdin: "null",
  stderr: "null",
} as const;

function whereShown(
  { variable, fileLocks }: ProcessMark,
): { readonly text: string; readonly file: "environ" | "limits" } {
  return fileLocks === null
    ? { text: variable, file: "environ" }
    : { text: ` ${fileLocks} `, file: "limits" };
}

/** What `grep` prints about a file of every process, or null where it cannot be known. */
async function search(options: readonly string[], file: string): Promise<string | null> {
  if (Deno.build.os !== "linux") return null;
  try {
    const { code, stdout } = await new Deno.Command("/bin/sh", {
      ...LOOK_OPTIONS,
      args: ["-c", `exec grep -s "$@" /proc/[0-9]*/${file}`, "sh", ...options],
      stdout: "piped",
      signal: AbortSignal.timeout(LOOK_LIMIT_MS),
    }).output();
    // 0 some found, 1 none, 2 some could not be read; all else means that there was no look.
    return code <= 2 ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}

interface ProcessFacts {
  /** Whether it has ended and only waits to be reaped, which its limits survive. */
  readonly hasEnded: boolean;
  readonly parent: number;
}

function parseTable(text: string): ReadonlyMap<number, ProcessFacts> {
  const table = new Map<number, ProcessFacts>();
  const lines = /^\/proc\/([0-9]+)\/status:State:\s*(\S).*\n.*:PPid:\s*([0-9]+)$/gm;
  for (const [, id, state = "", parent] of text.matchAll(lines)) {
    table.set(Number(id), { hasEnded: /[ZX]/.test(state), parent: Number(parent) });
  }
  return table;
}

/**
 * Whether a process with the mark runs and comes from the one that was started under it. Another
 * thread may have started one in the same moment; that one is a child of this process, while what
 * escapes from a command belongs to whoever takes in orphans.
 */
function isOurs(id: number, leader: number, table: ReadonlyMap<number, ProcessFacts>): boolean {
  if (id === Deno.pid || table.get(id)?.hasEnded !== false) return false;
  for (let at = id; at > 1; at = table.get(at)?.parent ?? 0) {
    if (at === leader) return true;
    if (at === Deno.pid) return false;
  }
  return true;
}
