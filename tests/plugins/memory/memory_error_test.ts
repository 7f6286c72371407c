import assert from "node:assert/strict";
import { memoryError, sqliteErrorOf } from "../../../plugins/memory/memory_error.ts";

/** An error as `node:sqlite` throws it. */
function sqlite(message: string, errcode?: number): Error {
  const result = errcode === undefined ? {} : { errcode };
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", ...result });
}

Deno.test("sqliteErrorOf() finds what SQLite said below other errors, with longer codes too", () => {
  const busy = sqlite("database is locked", 5 | (1 << 8));
  const wrapped = new Error("Cannot open database", { cause: busy });
  assert.deepEqual(sqliteErrorOf(wrapped), {
    message: "database is locked",
    isLocked: true,
    isFull: false,
  });
  const broken = sqlite("database disk image is malformed", 11);
  assert.deepEqual(sqliteErrorOf(broken), {
    message: broken.message,
    isLocked: false,
    isFull: false,
  });
  const script = sqlite("database is locked");
  assert.deepEqual(sqliteErrorOf(script), {
    message: script.message,
    isLocked: true,
    isFull: false,
  });
  assert.equal(sqliteErrorOf(new Error("database is locked")), undefined);
  assert.equal(sqliteErrorOf("locked"), undefined);
});

Deno.test("memoryError() says what to do about a memory in use or without room, and leaves others as they are", () => {
  const { message } = memoryError(sqlite("database table is locked", 6), "/m.sqlite");
  assert.match(message, /^Cannot use the memory "\/m\.sqlite": another program holds it/);
  const full = memoryError(sqlite("database or disk is full", 13), "/m.sqlite");
  assert.match(
    full.message,
    /^Cannot use the memory "\/m\.sqlite": no space is left on its disk; free/,
  );
  const other = new RangeError("Nothing to keep");
  assert.equal(memoryError(other, "/m.sqlite"), other);
});
