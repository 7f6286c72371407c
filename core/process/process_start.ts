/** Longest look at a process. */
const LOOK_LIMIT_MS = 2_000;

/**
 * Prints when a process began, as far as it can be told apart from a later one of the same id: on
 * Linux the boot and the ticks since, elsewhere a time. Nothing where there is no such process.
 */
export const START_SCRIPT = `
start_of() {
  if [ -r "/proc/$1/stat" ]; then
    read -r boot </proc/sys/kernel/random/boot_id || return
    read -r stat <"/proc/$1/stat" || return
    set -- \${stat##*) }
    [ "$1" = Z ] || echo "$boot:\${20}"
  else
    LC_ALL=C ps -o lstart= -p "$1"
  fi
}`;

/**
 * When a process began: a text that no other process of the same id ever has.
 *
 * The look is made by a short child, because the runtime opens `/proc` to nobody who has less than
 * all permissions.
 *
 * @param pid The process.
 * @returns Null where it has ended or that cannot be known, as on Windows.
 */
export async function processStart(pid: number): Promise<string | null> {
  if (Deno.build.os === "windows") return null;
  try {
    const { success, stdout } = await new Deno.Command("/bin/sh", {
      // The directory of this process may be gone.
      cwd: "/",
      args: ["-c", `${START_SCRIPT}\nstart_of "$1"`, "sh", String(pid)],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(LOOK_LIMIT_MS),
    }).output();
    const text = new TextDecoder().decode(stdout).trim();
    return success && text !== "" ? text : null;
  } catch {
    return null;
  }
}
