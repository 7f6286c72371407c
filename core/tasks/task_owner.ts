import { isLockHeld, type LockFile, tryLockFile } from "../session/lock_file.ts";
import { taskOwnerPath } from "../session/session_files.ts";

/** This process as the owner of tasks: a lock that the system takes from it when it dies. */
export class TaskOwner {
  /** Names the lock. */
  readonly token: string = crypto.randomUUID();
  readonly #stateRoot: string;
  #lock: LockFile | null = null;

  /** @param stateRoot The state folder. */
  constructor(stateRoot: string) {
    this.#stateRoot = stateRoot;
  }

  /**
   * Takes the lock, unless it is held already.
   *
   * @throws If its file cannot be created.
   */
  hold(): void {
    this.#lock ??= tryLockFile(taskOwnerPath(this.#stateRoot, this.token));
  }

  /** Gives the lock up. */
  release(): void {
    this.#lock?.release();
    this.#lock = null;
  }
}

/**
 * Whether the owner of a task lives.
 *
 * @param stateRoot The state folder.
 * @param token Its token.
 */
export function isOwnerAlive(stateRoot: string, token: string): boolean {
  return isLockHeld(taskOwnerPath(stateRoot, token));
}
