import { stateHome } from "../core/config/directories.ts";
import { join, resolve } from "../core/paths/path.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { openSessionStore, type SessionStore } from "../core/session/session_store.ts";
import type { CommandContext } from "./command_context.ts";

/**
 * Calls `fn` with the database of a command line, and closes it.
 *
 * @param context The command.
 * @param mode `read` changes nothing, and takes a missing file for an empty one.
 * @param fn Uses the database.
 * @throws {AlisioError} With a `database_*` code.
 */
export async function withStore(
  context: CommandContext,
  mode: "read" | "write",
  fn: (store: SessionStore) => number | Promise<number>,
): Promise<number> {
  const path = context.flags.db === undefined
    ? join(stateHome(context.env), "sessions.sqlite")
    : resolve(context.cwd, context.flags.db);
  const onNotice = ({ message }: { readonly message: string }) =>
    context.err(`${visibleName(message)}\n`);
  const isChosen = context.flags.db !== undefined;
  const store = openSessionStore(path, { mode, isChosen, onNotice });
  try {
    return await fn(store);
  } finally {
    store.close();
  }
}
