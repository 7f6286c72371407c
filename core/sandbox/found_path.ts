import { errorMessage } from "../errors.ts";
import { basename, dirname, join } from "../paths/path.ts";
import { CommandError } from "../process/command_error.ts";

/** What is at a path: links are followed. */
export interface FoundPath {
  /** As it was asked for, absolute. */
  readonly path: string;
  /** Where it really leads; where nothing is, where it would lead. */
  readonly real: string;
  /** What is there; `missing` is a name in a folder that is there. */
  readonly kind: "folder" | "file" | "missing";
}

/** How long a look may take. */
const LOOK_LIMIT_MS = 2_000;

/** One field for what it is and one for where it leads, for each path; no program but the shell. */
const SCRIPT = `
for path; do
  around="\${path%/*}/"
  if [ -d "$path" ]; then
    cd -P -- "$path" && printf 'd\\0%s\\0' "$PWD" || printf 'x\\0\\0'
  elif [ -e "$path" ] && [ -L "$path" ]; then
    printf 'f\\0%s\\0' "$(readlink -f -- "$path")"
  elif [ -e "$path" ]; then
    cd -P -- "$around" && printf 'f\\0%s/%s\\0' "$PWD" "\${path##*/}" || printf 'x\\0\\0'
  elif [ -d "$around" ] && [ ! -L "$path" ]; then
    cd -P -- "$around" && printf 'm\\0%s/%s\\0' "$PWD" "\${path##*/}" || printf 'x\\0\\0'
  else
    printf 'x\\0\\0'
  fi
done`;

const KINDS: Readonly<Record<string, FoundPath["kind"]>> = {
  d: "folder",
  f: "file",
  m: "missing",
};

/**
 * Looks at paths, by itself where the runtime lets it and by a short child where not.
 *
 * @param paths Absolute paths.
 * @returns As {@linkcode lookAtPaths}, in any order.
 * @throws {CommandError} `sandbox_failed` if something could not be looked at.
 */
export async function findPaths(paths: readonly string[]): Promise<readonly FoundPath[]> {
  const looks = await Promise.all(paths.map(lookAt));
  const refused = paths.filter((_, index) => looks[index] === "refused");
  const found = looks.filter((look) => look !== "refused" && look !== "absent");
  return [...found, ...await lookAtPaths(refused)];
}

async function lookAt(path: string): Promise<FoundPath | "absent" | "refused"> {
  try {
    const [real, { isDirectory }] = await Promise.all([Deno.realPath(path), Deno.stat(path)]);
    return { path, real, kind: isDirectory ? "folder" : "file" };
  } catch (error) {
    // A loop of links, a folder without rights: the child tells them apart.
    if (!(error instanceof Deno.errors.NotFound)) return "refused";
  }
  try {
    await Deno.lstat(path);
    return "absent";
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return "refused";
  }
  try {
    const folder = await Deno.realPath(dirname(path));
    return { path, real: join(folder, basename(path)), kind: "missing" };
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "absent" : "refused";
  }
}

/**
 * Looks at paths by a short child, because the runtime lets this process look at none that a
 * profile closes, nor at most folders of the system.
 *
 * @param paths Absolute paths.
 * @returns What was found, in the same order. Paths in folders that are not there are left out, and
 * so are links that lead to nothing.
 * @throws {CommandError} `sandbox_failed` if nothing could be looked at.
 */
export async function lookAtPaths(paths: readonly string[]): Promise<readonly FoundPath[]> {
  const fields = await runScript(paths);
  return paths.flatMap((path, index) => {
    const kind = KINDS[fields[2 * index] ?? ""];
    const real = (fields[2 * index + 1] ?? "").replace(/^\/\/+/, "/");
    return kind === undefined || !real.startsWith("/") ? [] : [{ path, real, kind }];
  });
}

async function runScript(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0 || Deno.build.os === "windows") return [];
  try {
    const { success, stdout } = await new Deno.Command("/bin/sh", {
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
    const fields = new TextDecoder().decode(stdout).split("\0");
    // What is not known to be closed would be open.
    if (!success || fields.length !== 2 * paths.length + 1) throw new Error("it was stopped");
    return fields;
  } catch (error) {
    throw new CommandError(
      "sandbox_failed",
      `Cannot set up the sandbox: the folders could not be looked at (${
        errorMessage(error).slice(0, 200)
      }); nothing was started`,
      { cause: error },
    );
  }
}
