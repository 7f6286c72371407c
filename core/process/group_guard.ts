/** Environment variable that says where the guard of an agent listens. */
export const GROUP_GUARD_VARIABLE = "ALISIO_GROUP_GUARD";

/** Environment variable that guarded processes are recognised by. */
export const GROUP_MARK_VARIABLE = "ALISIO_GROUP_ID";

/** One group of processes that is guarded. */
export interface GuardedGroup {
  /** Asks all of it to end. */
  ask(): void;
  /** Ends all of it. */
  kill(): void;
  /** The leader has ended: what it left is asked to end and then made to, and forgotten. */
  leave(): void;
}

/** Ends groups of processes where the runtime lets this process signal none. */
export class GroupGuard {
  readonly #orders: Deno.FsFile;

  /** @param orders Where it reads its orders. */
  constructor(orders: Deno.FsFile) {
    this.#orders = orders;
    this.#order("hello");
  }

  /**
   * Starts the leader of a group under guard: all of its group, and whoever left the group and kept
   * its environment, ends when this process does.
   *
   * @param start Starts it, with a variable for its environment.
   * @returns The leader, and its group.
   * @throws What `start` throws.
   */
  start(
    start: (variable: Readonly<Record<string, string>>) => Deno.ChildProcess,
  ): { readonly child: Deno.ChildProcess; readonly group: GuardedGroup } {
    const mark = crypto.randomUUID();
    this.#order("mark", mark);
    const leave = () => this.#order("leave", mark);
    try {
      const child = start({ [GROUP_MARK_VARIABLE]: mark });
      this.#order("group", mark, String(child.pid));
      return {
        child,
        group: {
          ask: () => this.#order("ask", mark),
          kill: () => this.#order("kill", mark),
          leave,
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #order(...words: readonly string[]): void {
    this.#orders.writeSync(new TextEncoder().encode(`${words.join(" ")}\n`));
  }
}

let opened: GroupGuard | null | undefined;

/**
 * The guard that whoever started this process left for it.
 *
 * @returns Null where there is none.
 */
export function openGroupGuard(): GroupGuard | null {
  opened ??= open(Deno.env.get(GROUP_GUARD_VARIABLE) ?? "");
  return opened;
}

function open(path: string): GroupGuard | null {
  if (path === "") return null;
  try {
    // Opened for both, a pipe lets nobody wait for its other end.
    return new GroupGuard(Deno.openSync(path, { read: true, write: true }));
  } catch {
    return null;
  }
}
