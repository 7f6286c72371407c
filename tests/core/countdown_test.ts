import assert from "node:assert/strict";
import { Countdown } from "../../core/countdown.ts";

Deno.test("Countdown calls once when the time is over", async () => {
  const over = Promise.withResolvers<void>();
  let calls = 0;
  const countdown = new Countdown(() => {
    calls += 1;
    over.resolve();
  });
  const startedAt = performance.now();
  countdown.start(20);
  await over.promise;
  assert.ok(performance.now() - startedAt >= 20);
  await timeout(30);
  assert.equal(calls, 1);
});

Deno.test("Countdown that is put off waits for the later end", async () => {
  const over = Promise.withResolvers<void>();
  const countdown = new Countdown(() => over.resolve());
  countdown.start(20);
  await timeout(10);
  const startedAt = performance.now();
  countdown.start(60);
  await over.promise;
  assert.ok(performance.now() - startedAt >= 60);
});

Deno.test("Countdown that is started for less ends earlier", async () => {
  const over = Promise.withResolvers<void>();
  const countdown = new Countdown(() => over.resolve());
  countdown.start(600_000);
  countdown.start(10);
  await over.promise;
});

Deno.test("Countdown that was stopped is silent, and starts again after its timer fired", async () => {
  const over = Promise.withResolvers<void>();
  let calls = 0;
  const countdown = new Countdown(() => {
    calls += 1;
    over.resolve();
  });
  countdown.start(10);
  countdown.stop();
  await timeout(40);
  assert.equal(calls, 0);
  countdown.start(10);
  await over.promise;
  assert.equal(calls, 1);
});

Deno.test("Countdown keeps no process alive once it was stopped", async () => {
  const script = `import { Countdown } from ${
    JSON.stringify(import.meta.resolve("../../core/countdown.ts"))
  };
const countdown = new Countdown(() => {});
countdown.start(600_000);
countdown.stop();`;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    signal: AbortSignal.timeout(60_000),
  }).output();
  assert.ok(success);
});

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
