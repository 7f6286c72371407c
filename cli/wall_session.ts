import { openSessionStore } from "../core/session/session_store.ts";

/**
 * The model that a stored session talks to, for what must be readable to go on with it.
 *
 * @param session Its id, or the start of it.
 * @param database Path of the session database.
 * @returns Empty if that cannot be found out: whatever is wrong, the run itself says it.
 */
export function modelOfSession(session: string, database: string): string {
  try {
    const store = openSessionStore(database, { mode: "read" });
    try {
      return store.findSessions(session)[0]?.model ?? "";
    } finally {
      store.close();
    }
  } catch {
    return "";
  }
}
