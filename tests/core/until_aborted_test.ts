import assert from "node:assert/strict";
import { untilAborted } from "../../core/until_aborted.ts";

const REASON = new Error("stop");

Deno.test("untilAborted() answers what the promise does, also when the signal aborts later", async () => {
  const stop = new AbortController();
  assert.equal(await untilAborted(Promise.resolve(1), stop.signal), 1);
  const failure = new Error("no");
  await assert.rejects(untilAborted(Promise.reject(failure), stop.signal), (e) => e === failure);
  stop.abort(REASON);
});

Deno.test("untilAborted() throws the reason of its signal before or while it waits", async () => {
  const stop = new AbortController();
  const never = new Promise<void>(() => {});
  const waiting = untilAborted(never, stop.signal);
  stop.abort(REASON);
  await assert.rejects(waiting, (error) => error === REASON);
  await assert.rejects(untilAborted(never, stop.signal), (error) => error === REASON);
});

Deno.test("untilAborted() leaves no failure of the promise unhandled", async () => {
  const stop = new AbortController();
  const late = Promise.withResolvers<void>();
  const waiting = untilAborted(late.promise, stop.signal);
  stop.abort(REASON);
  await assert.rejects(waiting);
  late.reject(new Error("late"));
  await new Promise((resolve) => setTimeout(resolve, 0));
});
