import { dirname } from "../paths/path.ts";

/** An exclusive lock that the operating system ends with its owner, however the owner ends. */
export interface LockFile {
  /** Gives the lock up. Safe to call twice. */
  release(): void;
}

/**
 * Takes an exclusive lock on a file, which is created (0600) with its folder (0700) if need be.
 *
 * The file is removed on release. Whoever opened it just before would then hold a lock on a file
 * that nobody else can find, so a lock counts only while the path still leads to the locked file.
 *
 * @param path The lock file.
 * @returns Null when another owner, in this process or elsewhere, holds it.
 * @throws {Deno.errors.PermissionDenied | Error} If the file cannot be created.
 */
export function tryLockFile(path: string): LockFile | null {
  for (;;) {
    const file = openLockFile(path);
    try {
      if (!file.tryLockSync(true)) {
        file.close();
        return null;
      }
      if (isSameFile(file, path)) return new HeldLock(file, path);
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
}

/**
 * Whether somebody holds a lock right now. Creates nothing.
 *
 * Looking takes the lock for a moment, so whoever wants it must try more than once.
 *
 * @param path The lock file.
 */
export function isLockHeld(path: string): boolean {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
  try {
    return !file.tryLockSync(true);
  } finally {
    file.close();
  }
}

class HeldLock implements LockFile {
  #file: Deno.FsFile | null;
  readonly #path: string;

  constructor(file: Deno.FsFile, path: string) {
    this.#file = file;
    this.#path = path;
  }

  release(): void {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      // Removed while the lock is held: a later owner finds no file, never this one.
      Deno.removeSync(this.#path);
    } catch {
      // Left behind, an unlocked file is free for the next owner.
    } finally {
      file.close();
    }
  }
}

function openLockFile(path: string): Deno.FsFile {
  const options = { read: true, write: true, create: true, mode: 0o600 };
  try {
    return Deno.openSync(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return Deno.openSync(path, options);
  }
}

function isSameFile(file: Deno.FsFile, path: string): boolean {
  try {
    const held = file.statSync();
    const found = Deno.statSync(path);
    return held.ino === found.ino && held.dev === found.dev;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
