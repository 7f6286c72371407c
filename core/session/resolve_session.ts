import { AlisioError } from "../errors.ts";
import type { SessionRecord } from "./session_records.ts";
import type { SessionStore } from "./session_store.ts";

const MAX_QUOTED_CHARS = 80;

/**
 * Finds the one session that a person means.
 *
 * @param store The store.
 * @param idOrPrefix A whole id, or at least 4 characters that only one id begins with.
 * @throws {AlisioError} `session_not_found` or `session_ambiguous`.
 */
export function resolveSession(store: SessionStore, idOrPrefix: string): SessionRecord {
  const found = store.findSessions(idOrPrefix);
  const [session] = found;
  const quoted = JSON.stringify(idOrPrefix.slice(0, MAX_QUOTED_CHARS));
  if (session === undefined) {
    const message = `Cannot find session ${quoted}: give an id of "alisio sessions list", or at ` +
      "least 4 characters of one";
    throw new AlisioError("session_not_found", message);
  }
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(", ");
    const message = `Cannot tell which session ${quoted} is: give more of the id, one of ${ids}`;
    throw new AlisioError("session_ambiguous", message);
  }
  return session;
}
