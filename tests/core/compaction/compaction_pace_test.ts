import assert from "node:assert/strict";
import { CompactionPace } from "../../../core/compaction/compaction_pace.ts";
import { newSession, withStore } from "../session/_support.ts";

Deno.test("CompactionPace waits until a conversation has grown, and longer after each failure", async () => {
  await withStore((store) => {
    newSession(store);
    const pace = () => new CompactionPace(store, "s1", "m");
    assert.deepEqual([pace().isDue(0), pace().isGivenUp], [true, false]);
    pace().failed(100_000);
    assert.deepEqual([pace().isDue(109_999), pace().isDue(110_000)], [false, true]);
    pace().failed(110_000);
    assert.deepEqual([pace().isDue(131_999), pace().isDue(132_000)], [false, true]);
    // What was cut does not count as waited for.
    pace().reduced(50_000);
    assert.deepEqual([pace().isDue(81_999), pace().isDue(82_000)], [false, true]);
    assert.equal(pace().isGivenUp, false);
    pace().failed(82_000);
    assert.equal(pace().isGivenUp, true);
    assert.equal(new CompactionPace(store, "s1", "other").isGivenUp, false, "another model");
    const later = () => Date.now() + 3_600_001;
    assert.equal(new CompactionPace(store, "s1", "m", later).isGivenUp, false, "an hour later");
    pace().helped();
    assert.deepEqual(store.session("s1")?.options, {});
  });
});

Deno.test("CompactionPace waits after what did not help, and counts no failure", async () => {
  await withStore((store) => {
    newSession(store);
    const pace = new CompactionPace(store, "s1", "m");
    for (let time = 0; time < 5; time++) pace.didNotHelp(1_000);
    assert.deepEqual([pace.isGivenUp, pace.isDue(2_999), pace.isDue(3_000)], [false, false, true]);
    store.updateSession("s1", { options: { compaction: { failures: "x", model: "m" } } });
    assert.deepEqual([pace.isGivenUp, pace.isDue(0)], [false, true], "nonsense is nothing");
  });
});
