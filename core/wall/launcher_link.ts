/** Environment variable that names the file between a launcher and its agent. */
const LINK_VARIABLE = "ALISIO_LAUNCHER_LINK";

/** How often the agent looks. */
const POLL_MS = 100;
/** How long an orderly end may take after the launcher is gone. */
const END_LIMIT_MS = 10_000;

/** A signal that a launcher passes on. */
export type PassedSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** What stands for each signal in the file. */
const LETTERS: Readonly<Record<PassedSignal, string>> = { SIGINT: "I", SIGTERM: "T", SIGHUP: "H" };

/** Signals that a launcher can listen for on this system. */
export function passedSignals(): readonly PassedSignal[] {
  return Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];
}

/**
 * The launcher's end of the link to an agent that runs as its child: a locked file. The lock tells
 * the agent that the launcher lives, because the system releases it however the launcher ends.
 * Written into the file is every signal that the launcher got; the agent raises those that did not
 * reach it by themselves, as a Ctrl+C does that goes to the whole foreground group.
 */
export class LauncherLink {
  /** The file. */
  readonly path: string;
  readonly #file: Deno.FsFile;

  /**
   * Creates the file and takes its lock.
   *
   * @param folder Where to create it; the agent must be able to read there.
   */
  constructor(folder: string) {
    this.path = Deno.makeTempFileSync({ dir: folder, prefix: "launcher-" });
    this.#file = Deno.openSync(this.path, { read: true, write: true });
    this.#file.lockSync(true);
  }

  /** What the agent's environment needs. */
  get env(): Readonly<Record<string, string>> {
    return { [LINK_VARIABLE]: this.path };
  }

  /**
   * Tells the agent about a signal that the launcher got.
   *
   * @param signal The signal.
   */
  pass(signal: PassedSignal): void {
    this.#file.writeSync(new TextEncoder().encode(LETTERS[signal]));
  }

  /** Gives the lock up and removes the file. */
  close(): void {
    this.#file.close();
    try {
      Deno.removeSync(this.path);
    } catch {
      // An empty file stays, which nobody reads.
    }
  }
}

/**
 * The agent's end: raises the signals that only the launcher got, and asks this process to end
 * when the launcher is gone. Does nothing in a process that was not started by one, and keeps no
 * process alive. To be called before anything else listens for signals.
 *
 * @param path The file, from the environment.
 */
export function followLauncher(path: string | undefined = Deno.env.get(LINK_VARIABLE)): void {
  if (path === undefined) return;
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true });
  } catch {
    // No launcher of ours: the variable was inherited or made up.
    return;
  }
  const received = { SIGINT: 0, SIGTERM: 0, SIGHUP: 0 };
  const suspected = { SIGINT: 0, SIGTERM: 0, SIGHUP: 0 };
  for (const signal of passedSignals()) {
    Deno.addSignalListener(signal, () => received[signal]++);
  }
  const timer = setInterval(() => {
    if (isFree(file)) {
      clearInterval(timer);
      file.close();
      endThisProcess();
      return;
    }
    const letters = readLetters(path);
    for (const signal of passedSignals()) {
      const count = letters.split(LETTERS[signal]).length - 1;
      // A signal to both is on its way to this process too: only what is still missing at the
      // next look was meant for the launcher alone.
      const missing = Math.max(0, count - received[signal]);
      const lost = Math.min(missing, suspected[signal]);
      suspected[signal] = missing - lost;
      for (let n = 0; n < lost; n++) Deno.kill(Deno.pid, signal);
    }
  }, POLL_MS);
  Deno.unrefTimer(timer);
}

function isFree(file: Deno.FsFile): boolean {
  try {
    return file.tryLockSync(true);
  } catch {
    return false;
  }
}

function readLetters(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    // Windows lets nobody read what is locked; there, Ctrl+C reaches the agent by itself.
    return "";
  }
}

function endThisProcess(): void {
  const timer = setTimeout(() => Deno.exit(143), END_LIMIT_MS);
  Deno.unrefTimer(timer);
  Deno.kill(Deno.pid, "SIGTERM");
}
