/** What is at a path: links are followed. */
export interface FoundPath {
  /** As it was asked for, absolute. */
  readonly path: string;
  /** Where it really leads; where nothing is, where it would lead. */
  readonly real: string;
  /** What is there; `missing` also for what cannot be looked at. */
  readonly kind: "folder" | "file" | "missing";
}

/** How long a look may take. */
const LOOK_LIMIT_MS = 2_000;

/** One field for what it is and one for where it leads, for each path; no program but the shell. */
const SCRIPT = `
for path; do
  if [ -d "$path" ]; then
    printf 'd\\0%s\\0' "$(cd -P -- "$path" 2>/dev/null && pwd -P)"
  elif [ -e "$path" ]; then
    if [ -L "$path" ]; then
      printf 'f\\0%s\\0' "$(readlink -f -- "$path")"
    else
      printf 'f\\0%s\\0' "$(cd -P -- "\${path%/*}/" 2>/dev/null && pwd -P)/\${path##*/}"
    fi
  else
    printf 'm\\0%s\\0' "$path"
  fi
done`;

/**
 * Looks at paths that this process may not look at itself, by a short child.
 *
 * @param paths Absolute paths.
 * @returns In the same order; everything is missing where there is no shell to look with.
 */
export async function lookAtPaths(paths: readonly string[]): Promise<readonly FoundPath[]> {
  const fields = await runScript(paths);
  return paths.map((path, index) => {
    const kind = fields[2 * index];
    const real = fields[2 * index + 1] ?? "";
    if (!real.startsWith("/")) return { path, real: path, kind: "missing" };
    const clean = real.replace(/^\/\/+/, "/");
    if (kind === "d") return { path, real: clean, kind: "folder" };
    return kind === "f" ? { path, real: clean, kind: "file" } : { path, real, kind: "missing" };
  });
}

async function runScript(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0 || Deno.build.os === "windows") return [];
  try {
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", SCRIPT, "sh", ...paths],
      // The directory of this process may be gone.
      cwd: "/",
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(LOOK_LIMIT_MS),
    }).output();
    return new TextDecoder().decode(stdout).split("\0");
  } catch {
    return [];
  }
}
