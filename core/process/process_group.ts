import { findMarkedProcesses } from "./find_marked_processes.ts";
import { settlesWithin } from "./settles_within.ts";

/** How often a group that was asked to end is looked at. */
const POLL_MS = 50;
/** How long the system may take to report the end of a process that was killed. */
const KILLED_LIMIT_MS = 2_000;
/** How often leftovers that keep starting new ones are killed before they are given up. */
const KILL_ROUNDS = 3;

/**
 * What a command left running.
 *
 * - `none`: nothing was found
 * - `killed`: something was found and killed
 * - `unknown`: something may still run: it holds an output stream, or could not be looked for
 */
export type LeftBehind = "none" | "killed" | "unknown";

/** The processes that one command started: its process group, and those that left the group. */
export class ProcessGroup {
  readonly #child: Deno.ChildProcess;
  readonly #marker: string | null;
  #isLeaderGone = false;

  /**
   * Watches a command that was just started.
   *
   * @param child The leader of the group.
   * @param marker Its environment marker when escaped processes are to be found, or null.
   */
  constructor(child: Deno.ChildProcess, marker: string | null) {
    this.#child = child;
    this.#marker = marker;
    child.status.then(() => this.#isLeaderGone = true, () => this.#isLeaderGone = true);
  }

  /**
   * Kills the group when this process exits while the command runs. What left the group stays:
   * there is no time to look for it.
   *
   * @returns Takes the order back.
   */
  killOnExit(): () => void {
    const kill = () => {
      if (signalTarget(-this.#child.pid, "SIGKILL")) return;
      try {
        this.#child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
    };
    globalThis.addEventListener("unload", kill);
    return () => globalThis.removeEventListener("unload", kill);
  }

  /**
   * Asks the group to end, and forces it after a grace period, also when the leader has gone
   * before.
   *
   * @param graceMs How long to wait between the two.
   * @returns What outlived the leader.
   */
  async stop(graceMs: number): Promise<LeftBehind> {
    const forceAt = performance.now() + graceMs;
    await this.#signal("SIGTERM");
    // A stopped process gets the request only when it goes on.
    await this.#signal("SIGCONT");
    await settlesWithin(this.#leaderEnd(), graceMs);
    if (!this.#isLeaderGone) await this.#signal("SIGKILL");
    await settlesWithin(this.#leaderEnd(), KILLED_LIMIT_MS);
    return await this.endLeftovers(forceAt - performance.now());
  }

  /**
   * Ends what is left after the leader has gone, first politely.
   *
   * @param graceMs How long the polite way may take.
   */
  async endLeftovers(graceMs: number): Promise<LeftBehind> {
    if (Deno.build.os === "windows") return "none";
    const forceAt = performance.now() + graceMs;
    const first = await this.#findMembers();
    let members = first;
    if (members !== null && members.length > 0) {
      for (const target of members) {
        signalTarget(target, "SIGTERM");
        signalTarget(target, "SIGCONT");
      }
      while (members !== null && members.length > 0 && performance.now() < forceAt) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        members = await this.#findMembers();
      }
    }
    // The group is signalled unseen, too: a member may have dropped its environment.
    await this.#signal("SIGKILL");
    for (let round = 0; round < KILL_ROUNDS && members !== null && members.length > 0; round++) {
      for (const target of members) signalTarget(target, "SIGKILL");
      members = await this.#findMembers();
    }
    if (first === null) return "unknown";
    return first.length > 0 ? "killed" : "none";
  }

  /** Targets of a signal: process ids, or a negative id for the group as a whole. */
  async #findMembers(): Promise<readonly number[] | null> {
    if (this.#marker === null) return [];
    if (Deno.build.os === "linux") return await findMarkedProcesses(this.#marker);
    return isRunning(-this.#child.pid) ? [-this.#child.pid] : [];
  }

  async #signal(signal: Deno.Signal): Promise<void> {
    if (Deno.build.os === "windows") {
      if (signal === "SIGKILL" || signal === "SIGTERM") await killTree(this.#child.pid);
      return;
    }
    if (signalTarget(-this.#child.pid, signal) || this.#isLeaderGone) return;
    // Without permission to signal just any process, the leader can still be reached.
    try {
      this.#child.kill(signal);
    } catch {
      // It ended meanwhile.
    }
  }

  async #leaderEnd(): Promise<void> {
    try {
      await this.#child.status;
    } catch {
      // Its status is lost, so it is taken as ended.
    }
  }
}

/** Whether the signal was sent. */
function signalTarget(target: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}

function isRunning(target: number): boolean {
  try {
    Deno.kill(target, 0);
    return true;
  } catch {
    return false;
  }
}

/** Windows has no process groups; its own program ends a process and all it started. */
async function killTree(pid: number): Promise<void> {
  try {
    await new Deno.Command("taskkill", {
      args: ["/PID", String(pid), "/T", "/F"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
  } catch {
    // Without it the leader is all that can be reached, and the caller closes the pipes.
  }
}
