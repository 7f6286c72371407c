import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import { RunEvents, type RunObserver } from "../../../core/run/run_events.ts";
import { type RunHarness, withRun } from "../../support/run_harness.ts";

const RUN_ID = "run-1";

/** Refuses to store the end of any run. */
const NO_RUN_END = `
  CREATE TRIGGER refuse BEFORE UPDATE ON runs
  BEGIN SELECT RAISE(ABORT, 'no run may end'); END`;

/** Refuses to store events of a type. */
function noEvent(type: string): string {
  return `CREATE TRIGGER refuse BEFORE INSERT ON events WHEN NEW.type = '${type}'
    BEGIN SELECT RAISE(ABORT, 'no such event'); END`;
}

/** Events of a run that has begun. */
function begin(
  { store, sessionId }: RunHarness,
  ...observers: readonly RunObserver[]
): { readonly events: RunEvents; readonly seen: RunEvent[]; readonly endRun: () => void } {
  const seen: RunEvent[] = [];
  const observe = (event: RunEvent): void => void seen.push(event);
  const run = { runId: RUN_ID, sessionId, store };
  const events = new RunEvents({ ...run, observers: [...observers, observe] });
  store.beginRun({ id: RUN_ID, sessionId, model: "m", startedAt: 1, ownerPid: Deno.pid });
  const endRun = () =>
    void store.endRun({
      id: RUN_ID,
      status: "completed",
      endedAt: 2,
      usage: { input: 0, output: 0 },
    });
  return { events, seen, endRun };
}

function shape(events: readonly RunEvent[]): readonly (readonly [number, string])[] {
  return events.map(({ seq, type }) => [seq, type]);
}

function storedOf({ store, sessionId }: RunHarness): readonly (readonly [number, string])[] {
  return shape(store.eventsOf(sessionId));
}

Deno.test("RunEvents drops what is emitted after the last event", async () => {
  await withRun({}, (harness) => {
    const { events, seen, endRun } = begin(harness);
    events.emit("run_started", { model: "m" });
    events.emitLast("run_completed", { tokens: 0, text: "done" }, endRun);
    events.emit("text_delta", { delta: "late" });
    events.emit("run_warning", { code: "late", message: "late" });
    events.batch(() => events.emit("run_warning", { code: "late", message: "late" }));
    assert.deepEqual(shape(seen), [[1, "run_started"], [2, "run_completed"]]);
    assert.deepEqual(storedOf(harness), [[1, "run_started"], [2, "run_completed"]]);
    return Promise.resolve();
  });
});

Deno.test("RunEvents.emit() leaves no gap in the sequence for an event that cannot be stored", async () => {
  await withRun({}, (harness) => {
    const { events, seen } = begin(harness);
    events.emit("run_started", { model: "m" });
    harness.sql(noEvent("run_warning"));
    const refused = () => events.emit("run_warning", { code: "c", message: "m" });
    assert.throws(refused, /Cannot store/);
    assert.throws(() => events.batch(refused), /Cannot store/);
    events.emit("text_delta", { delta: "x" });
    events.emit("model_changed", { model: "n", previous: "m" });
    assert.deepEqual(shape(seen), [[1, "run_started"], [2, "text_delta"], [3, "model_changed"]]);
    assert.deepEqual(storedOf(harness), [[1, "run_started"], [3, "model_changed"]]);
    return Promise.resolve();
  });
});

Deno.test("RunEvents.batch() shows nothing of what was not stored", async () => {
  await withRun({}, (harness) => {
    const { events, seen } = begin(harness);
    assert.throws(() =>
      events.batch(() => {
        events.emit("run_started", { model: "m" });
        throw new RangeError("the rest cannot be stored");
      }), RangeError);
    assert.deepEqual([seen, storedOf(harness)], [[], []]);
    events.emit("run_started", { model: "m" });
    assert.deepEqual(shape(seen), [[1, "run_started"]]);
    return Promise.resolve();
  });
});

Deno.test("RunEvents.emitLast() stores the end of the run and its event together or not at all", async () => {
  for (const trigger of [NO_RUN_END, noEvent("run_completed")]) {
    await withRun({}, (harness) => {
      const { events, seen, endRun } = begin(harness);
      events.emit("run_started", { model: "m" });
      harness.sql(trigger);
      const last = { tokens: 0, text: "done" };
      assert.throws(() => events.emitLast("run_completed", last, endRun), /Cannot store/);
      assert.deepEqual(storedOf(harness), [[1, "run_started"]], trigger);
      assert.equal(harness.store.runs(harness.sessionId)[0]?.status, "running", trigger);
      harness.sql("DROP TRIGGER refuse");
      events.emitLast("run_completed", last, endRun);
      assert.deepEqual(shape(seen), [[1, "run_started"], [2, "run_completed"]], trigger);
      assert.equal(harness.store.runs(harness.sessionId)[0]?.status, "completed", trigger);
      return Promise.resolve();
    });
  }
});

Deno.test("RunEvents.emitLastAnyway() shows the last event that cannot be stored, and is the last", async () => {
  for (const trigger of [NO_RUN_END, noEvent("run_failed")]) {
    await withRun({}, (harness) => {
      const { events, seen, endRun } = begin(harness);
      events.emit("run_started", { model: "m" });
      harness.sql(trigger);
      const end = events.emitLastAnyway(
        "run_failed",
        { error: "no", code: "internal" },
        endRun,
        () => ({ error: "no, and not stored", code: "internal" }),
      );
      assert.equal(end.isStored, false, trigger);
      assert.deepEqual(seen[1]?.data, { error: "no, and not stored", code: "internal" });
      events.emit("run_warning", { code: "late", message: "late" });
      assert.deepEqual(shape(seen), [[1, "run_started"], [2, "run_failed"]], trigger);
      assert.equal(seen[1]?.eventId, undefined, "it has no place in the record");
      assert.deepEqual(storedOf(harness), [[1, "run_started"]], trigger);
      assert.equal(harness.store.runs(harness.sessionId)[0]?.status, "running", trigger);
      return Promise.resolve();
    });
  }
});

Deno.test("RunEvents shows every event to every observer, whatever one of them does", async () => {
  const failing: readonly (readonly [string, RunObserver])[] = [
    ["throws", () => {
      throw new Error("a broken screen");
    }],
    ["throws no error", () => {
      throw Object.create(null);
    }],
    ["rejects", () => Promise.reject(new Error("a broken screen"))],
    ["rejects later", async () => {
      await Promise.resolve();
      throw new Error("a broken screen");
    }],
    [
      "answers what only looks like a promise",
      (() => ({
        then(_: unknown, reject: (error: Error) => void) {
          reject(new Error("a broken screen"));
        },
      })) as unknown as RunObserver,
    ],
  ];
  for (const [name, observer] of failing) {
    await withRun({}, async (harness) => {
      const { events, seen } = begin(harness, observer);
      events.emit("run_started", { model: "m" });
      events.batch(() => events.emit("run_warning", { code: "c", message: "m" }));
      // A rejection that nobody handles would end the program by now.
      await new Promise((resolve) => setTimeout(resolve));
      assert.deepEqual(shape(seen), [[1, "run_started"], [2, "run_warning"]], name);
    });
  }
});
