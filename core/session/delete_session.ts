import { AlisioError } from "../errors.ts";
import { join } from "../paths/path.ts";
import type { Database } from "./database.ts";
import { explainFileError } from "./database_file.ts";
import { isLockHeld, type LockFile, tryLockFile } from "./lock_file.ts";
import {
  blobPath,
  isSessionId,
  lockPath,
  outputsPath,
  taskLogsPath,
  taskOwnerPath,
} from "./session_files.ts";

const SELECT_FAMILY = `
  WITH RECURSIVE family (id) AS (
    VALUES (?) UNION SELECT s.id FROM sessions s JOIN family f ON s.parent_id = f.id
  )
  SELECT id FROM family`;
const SELECT_BLOBS = "SELECT hash FROM session_blobs WHERE session_id = ?";
/**
 * Owner of the state that holds side questions, whose keys are sessions. No plugin can have this id.
 */
export const SIDE_QUESTIONS_STATE = "core:btw";

const DELETE_SIDE_QUESTIONS = "DELETE FROM plugin_state WHERE plugin = ? AND key = ?";
const DELETE_UNUSED_BLOB = `
  DELETE FROM blobs WHERE hash = ?1
    AND NOT EXISTS (SELECT 1 FROM session_blobs WHERE hash = ?1)`;

const SELECT_LIVE_TASKS = `
  SELECT owner_token FROM background_tasks
  WHERE root_session_id = ? AND status IN ('queued', 'running', 'stopping')`;

/**
 * Deletes a session with its children, all their rows, the blobs that no other session uses,
 * their output logs and their artifacts. What was deleted is overwritten in the file, not just forgotten.
 *
 * @param db The database.
 * @param stateRoot The folder of the database.
 * @param sessionId A session that exists.
 * @throws {AlisioError} `session_locked` while one of them is in use or has a background task that
 * runs, by this process or another.
 */
export function deleteSession(db: Database, stateRoot: string, sessionId: string): void {
  const family = db.all(SELECT_FAMILY, sessionId).map((row) => String(row.id));
  const locks = lockAll(stateRoot, family.filter(isSessionId));
  try {
    assertNoTaskRuns(db, stateRoot, family);
    // First the files: when this is cut short, the session is still there to be deleted again.
    for (const id of family.filter(isSessionId)) {
      remove(outputsPath(stateRoot, id));
      remove(taskLogsPath(stateRoot, id));
      for (const folder of artifactFolders(stateRoot, id)) remove(folder);
    }
    for (const hash of deleteRows(db, sessionId, family)) remove(blobPath(stateRoot, hash));
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** A session may have gone on in another workspace, each of which has a folder of its own. */
function artifactFolders(stateRoot: string, sessionId: string): readonly string[] {
  const root = join(stateRoot, "artifacts");
  try {
    return [...Deno.readDirSync(root)].filter(({ isDirectory }) => isDirectory)
      .map(({ name }) => join(root, name, sessionId));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return [];
    }
    throw explainFileError(error, root);
  }
}

function deleteRows(
  db: Database,
  sessionId: string,
  family: readonly string[],
): readonly string[] {
  const unused = db.transaction(() => {
    const rows = family.flatMap((id) => db.all(SELECT_BLOBS, id));
    const hashes = new Set(rows.map((row) => String(row.hash)));
    db.run("DELETE FROM sessions WHERE id = ?", sessionId);
    for (const id of family) db.run(DELETE_SIDE_QUESTIONS, SIDE_QUESTIONS_STATE, id);
    return [...hashes].filter((hash) => db.run(DELETE_UNUSED_BLOB, hash) > 0);
  });
  // The log still holds the pages as they were.
  db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  return unused;
}

function lockAll(stateRoot: string, ids: readonly string[]): readonly LockFile[] {
  const locks: LockFile[] = [];
  try {
    for (const id of ids) {
      const lock = tryLockFile(lockPath(stateRoot, id));
      if (lock === null) {
        const message = `Cannot delete session "${id}": it is in use. End the process that uses ` +
          "it, then try again";
        throw new AlisioError("session_locked", message);
      }
      locks.push(lock);
    }
    return locks;
  } catch (error) {
    for (const lock of locks) lock.release();
    throw explainFileError(error, stateRoot);
  }
}

function assertNoTaskRuns(db: Database, stateRoot: string, ids: readonly string[]): void {
  const id = ids.find((each) =>
    db.all(SELECT_LIVE_TASKS, each)
      .some(({ owner_token: token }) => isLockHeld(taskOwnerPath(stateRoot, String(token))))
  );
  if (id === undefined) return;
  const message = `Cannot delete session "${id}": a background task of it runs. Stop it, or end ` +
    "the process of Alisio that started it, then try again";
  throw new AlisioError("session_locked", message);
}

function remove(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw explainFileError(error, path);
  }
}
