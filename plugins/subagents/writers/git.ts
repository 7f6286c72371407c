/** What a Git command came to. */
export interface GitOutcome {
  /** Null where it was stopped. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether output was left out. */
  readonly isCut: boolean;
}

/** How a Git command is run. */
export interface GitOptions {
  readonly signal?: AbortSignal;
  /** Settings of this command alone, as `name=value`. */
  readonly settings?: readonly string[];
}

/** A Git command that did not do what it should. */
export class GitError extends Error {
  /** Discriminates this error from others. */
  readonly code = "git_failed";
  override readonly name = "GitError";
}

const TIME_LIMIT_MS = 120_000;
const GRACE_MS = 5_000;
const MAX_OUTPUT_BYTES = 4_000_000;
const MAX_REASON_CHARS = 400;

/** The only variables that Git is given of those of this process. */
const VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CONFIG_HOME",
  "SYSTEMROOT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
];

/** Nothing asks, nothing is fetched, nothing opens an editor. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
};

/** Settings that take the place of those that name programs, or start some later. */
const SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=",
  "core.sshCommand=",
  "core.askPass=",
  "core.quotePath=false",
  "credential.helper=",
  "diff.external=",
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  "commit.gpgSign=false",
  "merge.verifySignatures=false",
  "merge.default=text",
  "rerere.enabled=false",
  "branch.autoSetupMerge=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

/**
 * Runs Git with an environment of its own, in bounded time and with bounded output, and without
 * hooks, prompts, signatures, pagers and downloads.
 *
 * @param cwd Where.
 * @param args The command.
 * @param options What stops it.
 * @throws {GitError} If Git cannot be started; the reason of the signal if that aborts.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  { signal, settings = [] }: GitOptions = {},
): Promise<GitOutcome> {
  signal?.throwIfAborted();
  const child = await startGit(cwd, [
    "--no-pager",
    ...[...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]),
    ...args,
  ]);
  let forced: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    end(child, "SIGTERM");
    forced ??= setTimeout(() => end(child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(stop, TIME_LIMIT_MS);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const [status, stdout, stderr] = await Promise.all([
      child.status,
      readBounded(child.stdout),
      readBounded(child.stderr),
    ]);
    signal?.throwIfAborted();
    return {
      exitCode: status.signal === null ? status.code : null,
      stdout: stdout.text,
      stderr: stderr.text,
      isCut: stdout.isCut,
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(forced);
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Runs Git where it has to succeed.
 *
 * @param cwd Where.
 * @param args The command.
 * @param options What stops it.
 * @returns Its output.
 * @throws {GitError} That says in Git's words why it did not.
 */
export async function askGit(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const outcome = await runGit(cwd, args, options);
  if (outcome.exitCode !== 0) throw new GitError(reasonOf(outcome));
  if (outcome.isCut) throw new GitError(`git ${args[0]} says more than can be looked at`);
  return outcome.stdout;
}

/**
 * Why a command failed, on one line.
 *
 * @param outcome What it came to.
 */
export function reasonOf({ exitCode, stderr }: GitOutcome): string {
  if (exitCode === null) return "git was stopped before its end";
  const words = stderr.trim().replaceAll(/\s+/g, " ").slice(0, MAX_REASON_CHARS);
  return words === "" ? `git ended with ${exitCode}` : words;
}

/**
 * The parts of output that ends each with a zero.
 *
 * @param output The output.
 */
export function zeroParts(output: string): readonly string[] {
  const parts = output.split("\0");
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

async function startGit(cwd: string, args: readonly string[]): Promise<Deno.ChildProcess> {
  try {
    const program = await gitProgram(cwd);
    return new Deno.Command(program, {
      args: [...args],
      cwd,
      clearEnv: true,
      env: { ...ownVariables(), ...ENVIRONMENT, ...whereItStartsItself(program) },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    throw new GitError("git cannot be started here", { cause: error });
  }
}

/** Nothing that lies where agents write is taken for Git. */
async function gitProgram(cwd: string): Promise<string> {
  const isWindows = Deno.build.os === "windows";
  for (const folder of (Deno.env.get("PATH") ?? "").split(isWindows ? ";" : ":")) {
    const isAbsolute = isWindows ? /^[A-Za-z]:[\\/]/.test(folder) : folder.startsWith("/");
    if (!isAbsolute || `${folder}/`.startsWith(`${cwd}/`)) continue;
    const path = `${folder}/git${isWindows ? ".exe" : ""}`;
    try {
      if ((await Deno.stat(path)).isFile) return path;
    } catch {
      // Not here, or not to be looked at.
    }
  }
  throw new GitError("git is not in PATH");
}

/** The kernel may let nothing run but the program that was found, and Git starts itself by name. */
function whereItStartsItself(program: string): Readonly<Record<string, string>> {
  if (Deno.build.os === "windows") return {};
  return { GIT_EXEC_PATH: program.slice(0, program.lastIndexOf("/")) };
}

function ownVariables(): Readonly<Record<string, string>> {
  return Object.fromEntries(VARIABLES.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

function end(child: Deno.ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended by itself.
  }
}

async function readBounded(
  stream: ReadableStream<Uint8Array>,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) text += decoder.decode(chunk, { stream: true });
  }
  return { text, isCut: bytes > MAX_OUTPUT_BYTES };
}
