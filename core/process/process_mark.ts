/** Environment variable that marks everything a command starts. */
export const MARK_VARIABLE = "ALISIO_CALL_ID";
/** Marks have 48 bits, so that no two are equal and no limit is set so by hand. */
const MARK_BITS = 48;
/** How long it may take to give the limit back. */
const GIVE_BACK_LIMIT_MS = 2_000;

/** What a command and everything that it starts can be recognised by, wherever it moves. */
export interface ProcessMark {
  /** `NAME=value`, in the environment of each process that has not dropped it. */
  readonly variable: string;
  /**
   * A resource limit of each process, which none drops by accident: neither with its environment
   * nor with its parent, session or group. Null where it could not be set.
   */
  readonly fileLocks: number | null;
}

/** A process that was started under a mark. */
export interface MarkedStart<T> {
  /** What `start` returned. */
  readonly child: T;
  /** Its mark, as far as is known at once. */
  readonly mark: ProcessMark;
  /** Its mark, once it is known whether the limit is to be relied on. Does not reject. */
  readonly confirmed: Promise<ProcessMark>;
}

/**
 * Starts a process under a mark.
 *
 * On Linux the mark is the limit of file locks, which has had no effect for two decades. Children
 * inherit it and `/proc/PID/limits` shows it to everybody. This process takes it on, starts the
 * child in the same go, and gives the limit back while the child runs already. Where another call
 * or thread changes it in between, the limit is not relied on.
 *
 * @param start Starts the process, with a variable for its environment.
 * @throws What `start` throws.
 */
export function startMarked<T>(
  start: (variable: Readonly<Record<string, string>>) => T,
): MarkedStart<T> {
  const id = crypto.randomUUID();
  const variable = `${MARK_VARIABLE}=${id}`;
  const wanted = randomMark();
  const before = changeFileLocks(String(wanted));
  try {
    const child = start({ [MARK_VARIABLE]: id });
    const mark = { variable, fileLocks: before === null ? null : wanted };
    const confirmed = giveBack(before).then((shown) =>
      shown === String(wanted) ? mark : { variable, fileLocks: null }
    );
    return { child, mark, confirmed };
  } catch (error) {
    if (before !== null) changeFileLocks(before);
    throw error;
  }
}

function randomMark(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  // The highest bit is set: a short number could stand elsewhere by chance.
  return 2 ** (MARK_BITS - 1) + (high % 2 ** (MARK_BITS - 33)) * 2 ** 32 + low;
}

/** The limit that there was before, or null if it cannot be changed. */
function changeFileLocks(limit: string): string | null {
  if (Deno.build.os !== "linux") return null;
  try {
    return shownLimit(new Deno.Command("prlimit", fileLocksOptions(limit)).outputSync());
  } catch {
    return null;
  }
}

/** The limit that this process had until now, or null if that is not known. */
async function giveBack(limit: string | null): Promise<string | null> {
  if (limit === null) return null;
  try {
    const signal = AbortSignal.timeout(GIVE_BACK_LIMIT_MS);
    const options = { ...fileLocksOptions(limit), signal };
    return shownLimit(await new Deno.Command("prlimit", options).output());
  } catch {
    return null;
  }
}

function fileLocksOptions(limit: string): Deno.CommandOptions {
  return {
    // The directory of this process may be gone.
    cwd: "/",
    // The first "--locks" shows the limit, the second one changes it.
    args: [
      ...["--pid", String(Deno.pid), "--raw", "--noheadings", "--output=SOFT"],
      ...["--locks", `--locks=${limit}:`],
    ],
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  };
}

function shownLimit({ success, stdout }: Deno.CommandOutput): string | null {
  const shown = new TextDecoder().decode(stdout).trim();
  return success && /^(?:[0-9]+|unlimited)$/.test(shown) ? shown : null;
}
