import assert from "node:assert/strict";
import { WriteLocks } from "../../../../plugins/subagents/writers/write_locks.ts";

const { signal } = new AbortController();

/** Whether a promise has been settled by what was done up to now. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol();
  const first = await Promise.race([promise, Promise.resolve().then(() => pending)]);
  return first !== pending;
}

Deno.test("WriteLocks gives a folder to one after another, in order, and forgets who gave up", async () => {
  const locks = new WriteLocks();
  const order: string[] = [];
  const enter = async (id: string, stop = signal) => {
    await locks.acquire({ id, folder: "/f", ancestors: ["root"] }, stop);
    order.push(id);
  };
  await enter("a");
  const gone = new AbortController();
  const waits = [enter("b", gone.signal), enter("c"), enter("d")];
  await locks.acquire({ id: "x", folder: "/g", ancestors: ["root"] }, signal);
  gone.abort(new Error("gone"));
  await assert.rejects(waits[0] ?? Promise.resolve(), /gone/);
  assert.deepEqual(order, ["a"]);
  locks.release("a");
  await waits[1];
  assert.deepEqual(order, ["a", "c"]);
  locks.release("c");
  await waits[2];
  assert.deepEqual(order, ["a", "c", "d"]);
});

Deno.test("WriteLocks lends the folder of a writer that waits to its own tasks alone", async () => {
  const locks = new WriteLocks();
  await locks.acquire({ id: "a", folder: "/f", ancestors: ["root"] }, signal);
  const other = locks.acquire({ id: "b", folder: "/f", ancestors: ["root"] }, signal);
  const own = { id: "a1", folder: "/f", ancestors: ["a", "root"] };
  assert.ok(locks.isTaken("/f", own.ancestors));
  locks.pause("a");
  await locks.acquire(own, signal);
  const back = locks.resume("a", signal);
  assert.equal(await isSettled(back), false);
  locks.release("a1");
  await back;
  assert.equal(await isSettled(other), false);
  locks.release("a");
  await other;
});

Deno.test("WriteLocks.resume() ends with its signal, because the writer is about to end", async () => {
  const locks = new WriteLocks();
  await locks.acquire({ id: "a", folder: "/f", ancestors: ["root"] }, signal);
  locks.pause("a");
  await locks.acquire({ id: "a1", folder: "/f", ancestors: ["a", "root"] }, signal);
  await locks.resume("a", AbortSignal.abort());
  locks.release("a");
  const next = locks.acquire({ id: "b", folder: "/f", ancestors: ["root"] }, signal);
  assert.equal(await isSettled(next), false);
  locks.release("a1");
  await next;
});
