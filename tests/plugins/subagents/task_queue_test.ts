import assert from "node:assert/strict";
import { type QueueLimits, TaskQueue } from "../../../plugins/subagents/task_queue.ts";

const NEVER = new AbortController().signal;

/** A queue that writes down what begins, in order. */
function scene(limits: Partial<QueueLimits>) {
  const queue = new TaskQueue({
    maxConcurrentPerParent: 4,
    maxConcurrentTotal: 8,
    maxQueued: 16,
    ...limits,
  });
  const begun: string[] = [];
  const enter = (id: string, parentId = "root") => {
    const { started, waits } = queue.enter({ id, parentId });
    started.then(() => begun.push(id));
    return waits;
  };
  return { queue, begun, enter };
}

/** Lets everything go on that waits for nothing but a promise that is settled. */
async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve));
}

Deno.test("TaskQueue lets so many of one parent run and the next one wait, at and past each limit", async () => {
  const rows: readonly (readonly [string, Partial<QueueLimits>, string[], boolean[]])[] = [
    ["two of a parent", { maxConcurrentPerParent: 2 }, ["a", "b"], [false, false, true]],
    ["three of a parent", { maxConcurrentPerParent: 3 }, ["a", "b", "c"], [false, false, false]],
    ["one in all", { maxConcurrentTotal: 1 }, ["a"], [false, true, true]],
    ["two in all", { maxConcurrentTotal: 2 }, ["a", "b"], [false, false, true]],
  ];
  for (const [name, limits, expected, waits] of rows) {
    const { begun, enter } = scene(limits);
    assert.deepEqual(["a", "b", "c"].map((id) => enter(id)), waits, name);
    await settled();
    assert.deepEqual(begun, expected, name);
  }
});

Deno.test("TaskQueue turns away whoever would wait beyond the limit", () => {
  const { queue, enter } = scene({ maxConcurrentPerParent: 1, maxQueued: 1 });
  assert.equal(queue.isFull("root", { isAwaited: false }), false);
  enter("a");
  assert.equal(queue.isFull("root", { isAwaited: false }), false, "one may wait");
  enter("b");
  assert.equal(queue.isFull("root", { isAwaited: false }), true);
  assert.equal(
    queue.isFull("other", { isAwaited: false }),
    false,
    "another parent has room, and waits for nobody",
  );
  assert.equal(queue.queued, 1);
  const none = scene({ maxConcurrentTotal: 1, maxQueued: 0 });
  assert.equal(none.queue.isFull("root", { isAwaited: false }), false);
  none.enter("a");
  assert.equal(none.queue.isFull("root", { isAwaited: false }), true, "with 0 nobody waits");
});

Deno.test("TaskQueue begins in the order of arrival, past those whose own parent is busy", async () => {
  const { queue, begun, enter } = scene({ maxConcurrentPerParent: 1, maxConcurrentTotal: 2 });
  for (const [id, parent] of [["a", "x"], ["b", "x"], ["c", "y"], ["d", "z"], ["e", "y"]]) {
    enter(id ?? "", parent);
  }
  await settled();
  assert.deepEqual(begun, ["a", "c"]);
  queue.leave("c");
  await settled();
  assert.deepEqual(begun, ["a", "c", "d"], "d came before e");
  queue.leave("a");
  await settled();
  assert.deepEqual(begun, ["a", "c", "d", "b"]);
  queue.leave("d");
  await settled();
  assert.deepEqual(begun, ["a", "c", "d", "b", "e"]);
});

Deno.test("TaskQueue never begins a task that left while it waited", async () => {
  const { queue, begun, enter } = scene({ maxConcurrentTotal: 1 });
  enter("a");
  enter("b");
  enter("c");
  queue.leave("b");
  queue.leave("a");
  await settled();
  assert.deepEqual(begun, ["a", "c"]);
});

Deno.test("TaskQueue lets a chain of tasks that wait for each other through one place", async () => {
  const { queue, begun, enter } = scene({ maxConcurrentTotal: 1 });
  enter("a");
  queue.pause("a", "b");
  enter("b", "a");
  queue.pause("b", "c");
  enter("c", "b");
  enter("late");
  queue.leave("c");
  await queue.resume("b", "c", NEVER);
  queue.leave("b");
  await queue.resume("a", "b", NEVER);
  await settled();
  assert.deepEqual(begun, ["a", "b", "c"]);
  queue.leave("a");
  await settled();
  assert.deepEqual(begun, ["a", "b", "c", "late"]);
});

Deno.test("TaskQueue gives a task that goes on its place back before others begin", async () => {
  const { queue, begun, enter } = scene({ maxConcurrentTotal: 1 });
  enter("a");
  queue.pause("a", "b");
  enter("b", "a");
  enter("other");
  let isBack = false;
  const back = queue.resume("a", "b", NEVER).then(() => isBack = true);
  await settled();
  assert.equal(isBack, false, "b runs in its place");
  queue.leave("b");
  await back;
  await settled();
  assert.deepEqual(begun, ["a", "b"]);
  queue.leave("a");
  await settled();
  assert.deepEqual(begun, ["a", "b", "other"]);
});

Deno.test("TaskQueue gives the place back when the last of several waits is over", async () => {
  const { queue, begun, enter } = scene({ maxConcurrentTotal: 1 });
  enter("a");
  queue.pause("a", "b");
  queue.pause("a", "c");
  enter("b", "a");
  enter("c", "a");
  await settled();
  queue.leave("b");
  await queue.resume("a", "b", NEVER);
  await settled();
  assert.deepEqual(begun, ["a", "b", "c"], "a still waits for c");
  const controller = new AbortController();
  const back = queue.resume("a", "c", controller.signal);
  controller.abort(new Error("Stop"));
  await back;
  queue.pause("root", "b");
  await queue.resume("root", "b", NEVER);
});

Deno.test("TaskQueue takes a place away again from who waits anew before it came back", async () => {
  const { queue, begun, enter } = scene({ maxConcurrentTotal: 1 });
  enter("a");
  queue.pause("a", "b");
  enter("b", "a");
  enter("other");
  const back = queue.resume("a", "b", NEVER);
  queue.pause("a", "b");
  await back;
  queue.leave("b");
  await queue.resume("a", "b", NEVER);
  await settled();
  assert.deepEqual(begun, ["a", "b"]);
});
