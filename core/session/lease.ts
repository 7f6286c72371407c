import { AlisioError } from "../errors.ts";
import { explainFileError } from "./database_file.ts";
import { type LockFile, tryLockFile } from "./lock_file.ts";
import { lockPath } from "./session_files.ts";
import type { LeaseOwner } from "./session_records.ts";
import type { SessionStore } from "./session_store.ts";

/** The right to change a session, held by one owner at a time. */
export interface SessionLease {
  /** The session. */
  readonly sessionId: string;
  /** Gives it up. Safe to call twice; never throws. */
  release(): void;
}

/** Looking whether a lease is held takes its lock for a moment, so one refusal proves nothing. */
const ATTEMPTS = 6;
const RETRY_MS = 25;

/**
 * Takes the lease of a session.
 *
 * The lease is a lock of the operating system on a file of the session. It ends with the process
 * that took it, however that ends, and a process that is later given the same id does not hold it.
 * Children of the owner do not inherit it.
 *
 * @param store The store that holds the session.
 * @param sessionId The session.
 * @throws {AlisioError} `session_not_found`; `session_locked` while another owner, in this process
 * or another, holds it.
 */
export async function acquireLease(
  store: SessionStore,
  sessionId: string,
): Promise<SessionLease> {
  if (store.session(sessionId) === undefined) {
    throw new AlisioError("session_not_found", `Cannot find session "${sessionId}"`);
  }
  const lock = await takeLock(store, sessionId);
  try {
    const token = startToken(Deno.pid);
    const owner = { pid: Deno.pid, since: Date.now(), ...(token === undefined ? {} : { token }) };
    store.recordOwner(sessionId, owner);
  } catch (error) {
    lock.release();
    throw error;
  }
  return { sessionId, release: () => release(store, sessionId, lock) };
}

async function takeLock(store: SessionStore, sessionId: string): Promise<LockFile> {
  const path = lockPath(store.stateRoot, sessionId);
  for (let attempt = 1;; attempt++) {
    let lock: LockFile | null;
    try {
      lock = tryLockFile(path);
    } catch (error) {
      throw explainFileError(error, path);
    }
    if (lock !== null) return lock;
    if (attempt === ATTEMPTS) throw lockedError(store.session(sessionId)?.owner);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function release(store: SessionStore, sessionId: string, lock: LockFile): void {
  try {
    store.recordOwner(sessionId, null);
  } catch {
    // A note that stays is only a note: the lock tells whether the session is in use.
  }
  lock.release();
}

function lockedError(owner: LeaseOwner | undefined): AlisioError {
  const advice = "End that process, or work in another session";
  if (owner === undefined || !isStillThere(owner)) {
    return new AlisioError("session_locked", `Session is already in use. ${advice}`);
  }
  const since = owner.since === undefined ? "" : ` since ${new Date(owner.since).toISOString()}`;
  const message = owner.pid === Deno.pid
    ? `Session is already in use by this process${since}. Wait until its run has ended`
    : `Session is already in use by process ${owner.pid}${since}. ${advice}`;
  return new AlisioError("session_locked", message);
}

/** Whether the noted process may be the one that holds the lock: ids are given out again. */
function isStillThere(owner: LeaseOwner): boolean {
  const token = startToken(owner.pid);
  return owner.token === undefined || token === undefined || token === owner.token;
}

/** When a process started, in ticks since the system did; undefined where it cannot be read. */
function startToken(pid: number): string | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name, in parentheses, may hold spaces; the start time is field 22, the 20th after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
