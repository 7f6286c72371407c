import { findMarkedProcesses, killMarkedProcesses } from "./find_marked_processes.ts";
import { hasUnmarkedOrphans } from "./has_unmarked_orphans.ts";
import type { MarkedStart } from "./process_mark.ts";
import { settlesWithin } from "./settles_within.ts";

/** How often a group that was asked to end is looked at. */
const POLL_MS = 50;
/** How long the system may take to report the end of a process that was killed. */
const KILLED_LIMIT_MS = 2_000;
/** How long the system may take to end what a keeper kept, and how often that is looked at. */
const KEPT_END_MS = 1_000;
const KEPT_POLL_MS = 2;
/** How often leftovers are killed, for they may start new ones, before they are given up. */
const KILL_ROUNDS = 5;

/**
 * What a command left running.
 *
 * - `none`: nothing was found
 * - `killed`: something was found and killed
 * - `unknown`: something may still run: it holds an output stream, could not be ended, or could not
 *   be looked for
 */
export type LeftBehind = "none" | "killed" | "unknown";

/** What a group is told about its command. */
export interface ProcessGroupOptions {
  /** Its mark when escaped processes are to be found, or null. */
  readonly mark: Pick<MarkedStart<unknown>, "mark" | "confirmed"> | null;
  /** Its working directory. */
  readonly cwd: string;
  /** When it was started, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Whether the leader ends with what it started, and is not to be asked itself. */
  readonly isKeeper: boolean;
}

/** The processes that one command started: its process group, and those that left the group. */
export class ProcessGroup {
  readonly #child: Deno.ChildProcess;
  readonly #options: ProcessGroupOptions;
  #isLeaderGone = false;

  /**
   * Watches a command that was just started.
   *
   * @param child The leader of the group.
   * @param options What is known about it.
   */
  constructor(child: Deno.ChildProcess, options: ProcessGroupOptions) {
    this.#child = child;
    this.#options = options;
    child.status.then(() => this.#isLeaderGone = true, () => this.#isLeaderGone = true);
  }

  /**
   * Kills the group, and what left it under its mark, when this process exits while the command
   * runs.
   *
   * @returns Takes the order back.
   */
  killOnExit(): () => void {
    const kill = () => {
      if (!signalTarget(-this.#child.pid, "SIGKILL")) this.#killLeader();
      if (this.#options.mark !== null) killMarkedProcesses(this.#options.mark.mark);
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
    await this.#askToEnd();
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
    const first = await this.#findLeftovers();
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
    // The group is signalled unseen, too: a member may have dropped its mark.
    await this.#signal("SIGKILL");
    for (let round = 0; round < KILL_ROUNDS && members !== null && members.length > 0; round++) {
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      for (const target of members) signalTarget(target, "SIGKILL");
      members = await this.#findMembers();
    }
    if (members === null || members.length > 0 || await this.#mayHaveOrphans()) return "unknown";
    return first !== null && first.length > 0 ? "killed" : "none";
  }

  /** What a keeper kept ends a moment after it; only what is there later was left behind. */
  async #findLeftovers(): Promise<readonly number[] | null> {
    let members = await this.#findMembers();
    if (!this.#options.isKeeper) return members;
    const lateAt = performance.now() + KEPT_END_MS;
    while (members !== null && members.length > 0 && performance.now() < lateAt) {
      await new Promise((resolve) => setTimeout(resolve, KEPT_POLL_MS));
      members = await this.#findMembers();
    }
    return members;
  }

  async #askToEnd(): Promise<void> {
    const kept = this.#options.isKeeper
      ? (await this.#findMembers() ?? []).filter((id) => id !== this.#child.pid)
      : [];
    for (const id of kept) {
      signalTarget(id, "SIGTERM");
      signalTarget(id, "SIGCONT");
    }
    if (kept.length > 0) return;
    await this.#signal("SIGTERM");
    // A stopped process gets the request only when it goes on.
    await this.#signal("SIGCONT");
  }

  /** Targets of a signal: process ids, or a negative id for the group as a whole. */
  async #findMembers(): Promise<readonly number[] | null> {
    const { mark } = this.#options;
    if (mark === null) return [];
    if (Deno.build.os === "linux") {
      return await findMarkedProcesses(await mark.confirmed, this.#child.pid);
    }
    return isRunning(-this.#child.pid) ? [-this.#child.pid] : [];
  }

  /** Whether something may run that has dropped the only mark there was. */
  async #mayHaveOrphans(): Promise<boolean> {
    const { mark, cwd, startedAt } = this.#options;
    if (mark === null || Deno.build.os !== "linux") return false;
    if ((await mark.confirmed).fileLocks !== null) return false;
    return await hasUnmarkedOrphans(cwd, startedAt) ?? true;
  }

  #killLeader(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
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
