import assert from "node:assert/strict";
import { ActiveClock } from "../../../core/run/active_clock.ts";

function stoppedTime(): { now: () => number; forward: (ms: number) => void } {
  let time = 1_000;
  return { now: () => time, forward: (ms) => time += ms };
}

Deno.test("ActiveClock counts active time and stands still while a person is asked", async () => {
  const time = stoppedTime();
  const clock = new ActiveClock({ limitMs: 60_000, onExpired: () => {}, now: time.now });
  time.forward(100);
  await clock.pauseWhile(() => {
    time.forward(5_000);
    return Promise.resolve();
  });
  time.forward(50);
  assert.equal(clock.activeMs(), 150);
  assert.equal(clock.remainingMs(), 59_850);
  clock.close();
});

Deno.test("ActiveClock goes on only when the last of overlapping waits ends", async () => {
  const time = stoppedTime();
  const clock = new ActiveClock({ limitMs: 60_000, onExpired: () => {}, now: time.now });
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const waits = [
    clock.pauseWhile(() => first.promise),
    clock.pauseWhile(() => second.promise),
  ];
  time.forward(1_000);
  first.resolve();
  await waits[0];
  time.forward(1_000);
  assert.equal(clock.activeMs(), 0);
  second.resolve();
  await waits[1];
  time.forward(10);
  assert.equal(clock.activeMs(), 10);
  clock.close();
});

Deno.test("ActiveClock fires once when the limit is reached", async () => {
  const expired = Promise.withResolvers<void>();
  let times = 0;
  const clock = new ActiveClock({
    limitMs: 20,
    onExpired: () => {
      times += 1;
      expired.resolve();
    },
  });
  await expired.promise;
  assert.equal(times, 1);
  assert.equal(clock.remainingMs(), 0);
  clock.close();
});
