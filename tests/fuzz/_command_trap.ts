import type { ShellDialect } from "../../core/gate/shell/shell_syntax.ts";

/** A throw-away folder in which command lines are run and dangerous programs leave a trace. */
export interface CommandTrap extends AsyncDisposable {
  /**
   * Runs a command line.
   *
   * @param command The command line.
   * @param dialect Which shell runs it.
   * @returns What it did that it should not have, or null.
   */
  run(command: string, dialect: ShellDialect): Promise<string | null>;
}

const RUN_TIMEOUT_MS = 2_000;
const SHELLS: Readonly<Record<ShellDialect, string>> = { bash: "/bin/bash", sh: "/bin/sh" };

/** Programs that leave a trace whenever they start. */
const DANGEROUS = "rm curl wget ssh chmod dd evil tee mv cp touch sudo nc kill".split(" ");
/** Programs that do nothing, except to tell that a variable could have changed them. */
const HARMLESS = "ls cat grep wc head git pwd test printf true echo watch busybox".split(" ");
/** Programs of the system that start others by the search path, or run code that they are given. */
const REAL = "env xargs timeout nohup nice setsid stdbuf sed awk sort sh bash dash".split(" ");
const VARIABLES = "LD_PRELOAD PAGER BASH_ENV GIT_SSH_COMMAND";
const FILES: Readonly<Record<string, string>> = { x: "a\n", y: "b\n", "-delete": "", "-exec": "" };

/**
 * Makes a trap: the folder, the stubs, and a few files that have to stay as they are.
 */
export async function openCommandTrap(): Promise<CommandTrap> {
  const root = await Deno.makeTempDir({ prefix: "shell-policy-" });
  const folder = `${root}/work/deep/inside`;
  const bin = `${root}/bin`;
  const trace = `${root}/trace`;
  await Deno.mkdir(bin);
  await makeStubs(bin);
  await resetFolder(folder);
  const env = { PATH: bin, HOME: folder, TRACE: trace, LC_ALL: "C.UTF-8" };
  return {
    run: async (command, dialect) => {
      await Deno.writeTextFile(trace, "");
      const before = await describeFolder(folder);
      await runBounded(SHELLS[dialect], ["-c", command], { cwd: folder, env });
      const started = (await Deno.readTextFile(trace)).trim();
      const after = await describeFolder(folder);
      if (before !== after) await resetFolder(folder);
      if (started !== "") return `started ${started.split("\n").join(", ")}`;
      return before === after ? null : `changed ${before} to ${after}`;
    },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

async function makeStubs(bin: string): Promise<void> {
  const leave = (what: string) => `echo "${what} $*" >> "$TRACE"`;
  const script = (body: string) => `#!/bin/sh\n${body}`;
  const dangerous = DANGEROUS.map((name) => [name, script(`${leave(name)}\n`)]);
  // `stdbuf` itself preloads a library of its own.
  const tells = VARIABLES.split(" ")
    .map((name) => `case "$${name}" in ""|*/libstdbuf.so) ;; *) ${leave(name)};; esac\n`).join("");
  const harmless = HARMLESS.map((name) => [name, script(`${tells}echo x\n`)]);
  const runsApplet = `${tells}[ $# -gt 0 ] && exec "$@"\n`;
  const git = `${tells}for a; do case "$a" in
  -c*|config|--config-env*|--exec-path=*) ${leave("git")}; break;;
  -*) ;;
  *) break;;
esac; done\n`;
  const python = `${tells}case "$1" in ""|-|-[a-zA-Z]*[cm]*|-[cm]*) ${leave("python3")};; esac\n`;
  const stubs = [
    ...dangerous,
    ...harmless,
    ["busybox", script(runsApplet)],
    ["watch", script(`${tells}case "$1" in -*) ;; *) exec sh -c "$*";; esac\n`)],
    ["git", script(git)],
    ["python3", script(python)],
    ["find", script(findStub(leave))],
  ];
  for (const [name = "", text = ""] of stubs) {
    await Deno.writeTextFile(`${bin}/${name}`, text, { mode: 0o755 });
  }
  for (const name of REAL) {
    for (const folder of ["/usr/bin", "/bin"]) {
      const isThere = await Deno.stat(`${folder}/${name}`).then(() => true, () => false);
      if (!isThere) continue;
      await Deno.symlink(`${folder}/${name}`, `${bin}/${name}`);
      break;
    }
  }
}

/** The real one could delete more than the folder; this one acts on its dangerous words alone. */
function findStub(leave: (what: string) => string): string {
  return `while [ $# -gt 0 ]; do
  case "$1" in
    -delete|-fprint|-fprint0|-fprintf|-fls) ${leave("find")};;
    -exec|-execdir|-ok|-okdir) ${leave("find")}; shift; exec "$@";;
  esac
  shift
done
`;
}

async function resetFolder(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  for (const name of ["evil", "ls", "cat", "git"]) {
    const text = `#!/bin/sh\necho "planted ${name}" >> "$TRACE"\n`;
    await Deno.writeTextFile(`${folder}/${name}`, text, { mode: 0o755 });
  }
}

async function describeFolder(folder: string): Promise<string> {
  const names = [];
  for await (const entry of Deno.readDir(folder)) {
    const size = entry.isFile ? (await Deno.stat(`${folder}/${entry.name}`)).size : "-";
    names.push(`${entry.name}:${size}`);
  }
  return names.sort().join(" ");
}

/**
 * Runs a program in a process group that ends itself: when the program has ended, or when it is told
 * to, the supervisor in front of it kills the group that both are in. Nobody else sends a signal to
 * the group, so none can reach a process that has taken over its identifier.
 */
async function runBounded(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<void> {
  const supervisor = `trap 'kill -s KILL -- -$$' TERM
"$@" &
wait $!
kill -s KILL -- -$$`;
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", supervisor, "sh", program, ...args],
    ...options,
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
  const timer = setTimeout(() => endChild(child), RUN_TIMEOUT_MS);
  await child.status;
  clearTimeout(timer);
}

function endChild(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended by itself.
  }
}
