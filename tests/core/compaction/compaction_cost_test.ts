import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { says, withRun } from "../../support/run_harness.ts";
import { answer, prompt, result } from "./_conversation.ts";
import { SummarisingModel, SUMMARY } from "./_summarising_model.ts";

/** The goal is 300 ms; what else the machine does must fail nothing. */
const MOST_MS = 6_000;

/** A turn of four messages, of which a result is the longest. */
const turn = (index: number) => [
  prompt(`prompt ${index} ${"p".repeat(200)}`),
  answer(`look ${index}`, `c${index}`),
  result(`c${index}`, "r".repeat(1_200)),
  answer(`answer ${index} ${"a".repeat(400)}`),
];

Deno.test("OpenSession.compact() takes little time of its own for 10,000 messages", async () => {
  const limits = { maxContextChars: 8_000_000 };
  await withRun({ compaction: {}, limits }, async (harness) => {
    harness.store.transaction(() => {
      for (let index = 0; index < 2_500; index++) {
        for (const message of turn(index)) {
          harness.store.appendMessage(harness.sessionId, message, Date.now());
        }
      }
    });
    const model = new SummarisingModel([says("done")], [says(SUMMARY)]);
    const session = await harness.open(model);
    const signal = new AbortController().signal;
    const startedAt = performance.now();
    const cpu = cpuUsage();
    const outcome = await session.compact({ signal, observers: [] });
    const ms = performance.now() - startedAt;
    const { user, system } = cpuUsage(cpu);
    const cpuMs = ((user + system) / 1_000).toFixed(0);
    // deno-lint-ignore no-console -- a figure for whoever runs it
    console.log(`10,000 messages: ${ms.toFixed(0)} ms, of the processor ${cpuMs} ms`);
    assert.ok(outcome.status === "completed");
    assert.equal(outcome.replaced, 9_992);
    assert.ok(ms < MOST_MS, `${ms} ms`);
    const from = performance.now();
    assert.equal(harness.messages().length, 9);
    // deno-lint-ignore no-console -- a figure for whoever runs it
    console.log(`reading what is left: ${(performance.now() - from).toFixed(1)} ms`);
    await session.close();
  });
});
