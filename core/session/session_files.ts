import { join } from "../paths/path.ts";

const SESSION_ID_REGEXP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const HASH_REGEXP = /^[0-9a-f]{64}$/;

/**
 * Whether a text may be the id of a session. An id names files, so it holds no separator.
 *
 * @param id The text.
 */
export function isSessionId(id: string): boolean {
  return SESSION_ID_REGEXP.test(id);
}

/**
 * The lock file of a session's lease.
 *
 * @param stateRoot The folder of the database.
 * @param sessionId The session.
 */
export function lockPath(stateRoot: string, sessionId: string): string {
  return join(stateRoot, "locks", `${checked(sessionId)}.lock`);
}

/**
 * The folder where tools keep output of a session that is too long for a message.
 *
 * @param stateRoot The folder of the database.
 * @param sessionId The session.
 */
export function outputsPath(stateRoot: string, sessionId: string): string {
  return join(stateRoot, "outputs", checked(sessionId));
}

/**
 * The folder where the logs of background tasks of a session are kept.
 *
 * @param stateRoot The folder of the database.
 * @param sessionId The session at the root of its tree.
 */
export function taskLogsPath(stateRoot: string, sessionId: string): string {
  return join(stateRoot, "tasks", checked(sessionId));
}

/**
 * The lock that a process of Alisio holds while it may run background tasks. It lies in a folder
 * whose name no session has.
 *
 * @param stateRoot The folder of the database.
 * @param token Names the process.
 */
export function taskOwnerPath(stateRoot: string, token: string): string {
  return join(stateRoot, "tasks", ".owners", `${checked(token)}.lock`);
}

/**
 * The file of a blob.
 *
 * @param stateRoot The folder of the database.
 * @param hash SHA-256 of its bytes, in hexadecimal.
 */
export function blobPath(stateRoot: string, hash: string): string {
  if (!HASH_REGEXP.test(hash)) throw new TypeError("Cannot name a blob: its hash is not SHA-256");
  return join(stateRoot, "blobs", "sha256", hash.slice(0, 2), hash);
}

function checked(sessionId: string): string {
  if (isSessionId(sessionId)) return sessionId;
  throw new TypeError("Cannot name files of a session: its id is not letters, digits and . _ -");
}
