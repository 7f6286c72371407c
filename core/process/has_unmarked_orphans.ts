/** Longest look through the process table. */
const LOOK_LIMIT_MS = 2_000;

/**
 * Prints a line when a process of this user works in a folder, began less than some hundredths of
 * a second ago, and belongs to no program but the one that takes in orphans.
 */
const SCRIPT = `
folder=$1
read -r now rest </proc/uptime
since=$((\${now%.*}\${now#*.} - $2))
for process in /proc/[0-9]*; do
  [ -O "$process" ] && [ "$process/cwd" -ef "$folder" ] || continue
  read -r stat <"$process/stat" || continue
  set -- \${stat##*) }
  [ "$1" != Z ] && [ "\${20}" -ge "$since" ] || continue
  [ "$2" -eq 1 ] || [ "$(cat "/proc/$2/comm")" = systemd ] || continue
  echo found
  break
done`;

/**
 * Whether there is an orphan that a command may have left: one of this user, in the folder where
 * the command ran, and not older than the command. It may as well be somebody else's, so it is
 * something to tell of, not something to end.
 *
 * Linux only, for where processes cannot be marked well.
 *
 * @param cwd The folder.
 * @param startedAt When the command was started, on the clock of `performance.now()`.
 * @returns Whether there is one, or null where it cannot be known.
 */
export async function hasUnmarkedOrphans(cwd: string, startedAt: number): Promise<boolean | null> {
  if (Deno.build.os !== "linux") return null;
  // The kernel counts in hundredths of a second, and the look takes a moment itself.
  const hundredths = Math.ceil((performance.now() - startedAt) / 10) + 1;
  try {
    const { success, stdout } = await new Deno.Command("/bin/sh", {
      cwd: "/",
      args: ["-c", SCRIPT, "sh", cwd, String(hundredths)],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(LOOK_LIMIT_MS),
    }).output();
    return success ? stdout.length > 0 : null;
  } catch {
    return null;
  }
}
