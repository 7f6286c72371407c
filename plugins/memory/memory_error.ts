/** Results of SQLite that say that another connection holds the file. */
const LOCKED: readonly number[] = [5, 6];
/** The same in words: what runs a whole script of SQL throws without a result. */
const LOCKED_REGEXP = /^database(?: table| schema)? is locked/;
const FULL_REGEXP = /^database or disk is full/;

/**
 * What SQLite said, wherever in the causes of an error it stands.
 *
 * @param error Any value that was thrown.
 * @returns Undefined if it was not SQLite.
 */
export function sqliteErrorOf(
  error: unknown,
):
  | { readonly message: string; readonly isLocked: boolean; readonly isFull: boolean }
  | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!("code" in each) || each.code !== "ERR_SQLITE_ERROR") continue;
    // The low byte is the kind, the others say more of it.
    const isLocked = "errcode" in each && typeof each.errcode === "number"
      ? LOCKED.includes(each.errcode & 0xff)
      : LOCKED_REGEXP.test(each.message);
    return { message: each.message, isLocked, isFull: FULL_REGEXP.test(each.message) };
  }
  return undefined;
}

/**
 * What a person or a model is told of a failure of the memory. One that is only in use, or
 * that has no room, is never to be moved away: what others write, or is there, would be lost.
 *
 * @param error What was thrown.
 * @param path The database.
 */
export function memoryError(error: unknown, path: string): Error {
  if (sqliteErrorOf(error)?.isLocked === true) {
    return new Error(
      `Cannot use the memory "${path}": another program holds it at the moment; try again later, ` +
        "or start with --disable-plugin memory",
      { cause: error },
    );
  }
  if (sqliteErrorOf(error)?.isFull === true) {
    return new Error(
      `Cannot use the memory "${path}": no space is left on its disk; free some, or start with ` +
        "--disable-plugin memory",
      { cause: error },
    );
  }
  return error instanceof Error ? error : new Error(String(error));
}
