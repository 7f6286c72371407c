/** Longest look through the process table. */
const LOOK_LIMIT_MS = 2_000;

/**
 * Finds the running processes that were started with a marker in their environment, wherever they
 * moved: into another process group, another session, or to another parent.
 *
 * Linux only. The look is made by a short child, because the runtime opens `/proc` to nobody who
 * has less than all permissions. A process that dropped its environment is not found, and neither
 * is one that only waits to be reaped.
 *
 * @param marker `NAME=value`, with a value that occurs nowhere else.
 * @returns The process ids, or null where it cannot be known.
 */
export async function findMarkedProcesses(marker: string): Promise<readonly number[] | null> {
  if (Deno.build.os !== "linux") return null;
  try {
    const { code, stdout } = await new Deno.Command("/bin/sh", {
      // The directory of this process may be gone.
      cwd: "/",
      args: ["-c", 'exec grep -lsF -e "$1" /proc/[0-9]*/environ', "sh", marker],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(LOOK_LIMIT_MS),
    }).output();
    // 0 some found, 1 none, 2 some could not be read; all else means that there was no look.
    return code <= 2 ? parseProcessIds(new TextDecoder().decode(stdout)) : null;
  } catch {
    return null;
  }
}

function parseProcessIds(text: string): readonly number[] {
  return [...text.matchAll(/^\/proc\/([0-9]+)\/environ$/gm)].map((match) => Number(match[1]));
}
