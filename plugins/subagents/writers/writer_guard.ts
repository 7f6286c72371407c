/** A child that can change files or start programs, before it is made. */
export interface NewWriter {
  /** The id that it gets. */
  readonly id: string;
  /** The session that it works for. */
  readonly parentId: string;
  readonly agent: string;
  readonly title: string;
  /** Whether its caller goes on meanwhile. */
  readonly isBackground: boolean;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** A child that can change files or start programs. */
export interface Writer {
  readonly id: string;
  /** Sessions above it, the nearest first. */
  readonly ancestors: readonly string[];
  /** Where it works. */
  readonly workspace: string;
}

/** Where a writer works, and what its caller should know of that. */
export interface WriterPlace {
  /** Another folder than that of its caller. */
  readonly workspace?: string;
  /** One sentence each, for the result. */
  readonly notes: readonly string[];
}

/**
 * Keeps children that can write apart, where several run at once.
 *
 * - `place` is asked once for each new child, before its session is made; what it throws is told the
 *   caller, and no child is made.
 * - `forget` is called if that session cannot be made, or its run ends before it begins. It never
 *   throws, and does nothing for a writer that it does not know.
 * - `enter` is asked before each run of it, when it has its place among those that run; it runs when
 *   this resolves, and rejects with the reason of the signal if that aborts. What it returns stands
 *   in the result.
 * - `pause` and `resume` are called in pairs while it waits for tasks of its own.
 * - `leave` is called once after each `enter` that resolved, however the run ended. It never throws;
 *   what it returns stands in the result.
 * - `merge` and `discard` are what a person wants with the work of one that has ended; they throw the
 *   reason why not.
 */
export interface WriterGuard {
  place(writer: NewWriter): Promise<WriterPlace>;
  forget(id: string): Promise<void>;
  enter(writer: Writer, signal: AbortSignal): Promise<readonly string[]>;
  pause(id: string): void;
  resume(id: string, signal: AbortSignal): Promise<void>;
  leave(id: string): Promise<readonly string[]>;
  merge(id: string): Promise<string>;
  discard(id: string): Promise<string>;
}

/** Lets all writers share the folder that they work in. */
export const SHARED_WRITERS: WriterGuard = {
  place: () => Promise.resolve({ notes: [] }),
  forget: () => Promise.resolve(),
  enter: () => Promise.resolve([]),
  pause: () => {},
  resume: () => Promise.resolve(),
  leave: () => Promise.resolve([]),
  merge: () => Promise.reject(new Error("There are no worktrees here")),
  discard: () => Promise.reject(new Error("There are no worktrees here")),
};
