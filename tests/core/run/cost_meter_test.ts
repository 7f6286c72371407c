import { equal, match, ok } from "node:assert/strict";
import { ProviderError } from "@alisio/sdk";
import { CostMeter } from "../../../core/run/cost_meter.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { calls, fails, type PlayedTurn, says, withRun } from "../../support/run_harness.ts";
import { withTempDir } from "../../support/temp.ts";

/** A dollar for each million tokens. */
const PRICE = { inputPerMillion: 1, outputPerMillion: 1 };
const CENT = { input: 10_000, output: 0 };
const LIMIT = { maxCentsPerDay: 2, key: "riskProfiles.p.maxCostPerDayCents" };
const NOON = new Date(2026, 2, 9, 12).getTime();
const HOUR_MS = 3_600_000;

Deno.test("CostMeter permits requests until the day has cost as much as the limit", async () => {
  await withTempDir((dir) => {
    const store = openSessionStore(`${dir}/state/sessions.sqlite`);
    const meter = new CostMeter({ store, price: PRICE, limit: LIMIT, now: () => NOON });
    equal(meter.refusal(), null);
    meter.count(CENT);
    equal(meter.refusal(), null);
    meter.count(CENT);
    equal(
      meter.refusal(),
      "The limit of costs for a day is reached, so nothing more is sent to the model: 2.0 cents " +
        'are spent today, "riskProfiles.p.maxCostPerDayCents" is 2: go on tomorrow, or raise it',
    );
    store.close();
  });
});

Deno.test("CostMeter counts the runs of every process that uses the database", async () => {
  await withTempDir((dir) => {
    const path = `${dir}/state/sessions.sqlite`;
    const stores = [openSessionStore(path), openSessionStore(path)];
    const [first, second] = stores.map((store) =>
      new CostMeter({ store, price: PRICE, limit: LIMIT, now: () => NOON })
    );
    first?.count(CENT);
    second?.count(CENT);
    for (const meter of [first, second]) match(meter?.refusal() ?? "", /2\.0 cents are spent/);
    for (const store of stores) store.close();
    // A run without a profile counts too, and one that starts later finds what was counted.
    const store = openSessionStore(path);
    new CostMeter({ store, price: PRICE, now: () => NOON }).count(CENT);
    const later = new CostMeter({ store, limit: LIMIT, now: () => NOON });
    match(later.refusal() ?? "", /3\.0 cents are spent/);
    store.close();
  });
});

Deno.test("CostMeter begins a day at midnight of the local calendar, and ends none early", async () => {
  await withTempDir((dir) => {
    const store = openSessionStore(`${dir}/state/sessions.sqlite`);
    let now = NOON;
    const meter = new CostMeter({
      store,
      price: PRICE,
      limit: { ...LIMIT, maxCentsPerDay: 1 },
      now: () => now,
    });
    meter.count(CENT);
    now = NOON + 12 * HOUR_MS - 1;
    match(meter.refusal() ?? "", /reached/);
    now = NOON + 12 * HOUR_MS;
    equal(meter.refusal(), null);
    // A clock that is put back finds the day as it was.
    now = NOON;
    match(meter.refusal() ?? "", /reached/);
    store.close();
  });
});

Deno.test("CostMeter permits nothing with a limit of 0, whatever the price", async () => {
  await withTempDir((dir) => {
    const store = openSessionStore(`${dir}/state/sessions.sqlite`);
    const limit = { ...LIMIT, maxCentsPerDay: 0 };
    for (const price of [undefined, PRICE, { inputPerMillion: 0, outputPerMillion: 0 }]) {
      match(new CostMeter({ store, price, limit }).refusal() ?? "", /is 0, so no request is sent/);
    }
    // Without a limit or a price nothing is refused.
    const unlimited = new CostMeter({ store, price: PRICE });
    unlimited.count({ input: 1e12, output: 1e12 });
    equal(unlimited.refusal(), null);
    const unknown = new CostMeter({ store, limit: LIMIT, now: () => NOON });
    unknown.count({ input: 1e12, output: 1e12 });
    equal(unknown.refusal(), null);
    store.close();
  });
});

Deno.test("CostMeter.countEstimate() takes three characters for a token and rounds up", async () => {
  await withTempDir((dir) => {
    const store = openSessionStore(`${dir}/state/sessions.sqlite`);
    const price = { inputPerMillion: 1e6, outputPerMillion: 1e7 };
    const meter = new CostMeter({ store, price, now: () => NOON });
    meter.countEstimate({ request: 10, response: 1 });
    equal(meter.spentUsd(), 14);
    store.close();
  });
});

Deno.test("runSession() counts the costs of every answer that was begun, well or not", async () => {
  const reported = { input: 100, output: 10 };
  const rows: readonly (readonly [string, readonly PlayedTurn[], (usd: number) => boolean])[] = [
    ["reported", [says("Hi", { usage: reported })], (usd) => usd === 110],
    ["not reported", [says("x".repeat(3_000))], (usd) => usd > 1_000 && usd < 1_500],
    ["two of them", [calls([["look", {}]], { usage: reported }), says("Hi", { usage: reported })], (
      usd,
    ) => usd === 220],
    ["broken off, then whole", [
      fails(new ProviderError("cut", { code: "stream_interrupted", retryable: true }), "abc"),
      says("Hi", { usage: reported }),
    ], (usd) => usd > 110 && usd < 1_000],
    ["broken off for good", [
      fails(new ProviderError("no", { code: "invalid_response" }), "x".repeat(300)),
    ], (usd) => usd > 100],
    ["refused", [fails(new ProviderError("no", { code: "invalid_request" }))], (usd) => usd === 0],
  ];
  for (const [name, turns, isRight] of rows) {
    let meter: CostMeter | undefined;
    const cost = (store: SessionStore) => {
      const price = { inputPerMillion: 1e6, outputPerMillion: 1e6 };
      return meter = new CostMeter({ store, price, now: () => NOON });
    };
    await withRun({ cost }, async (harness) => {
      await harness.run("go", turns).catch(() => {});
      const usd = meter?.spentUsd() ?? NaN;
      ok(isRight(usd), `${name}: ${usd}`);
    });
  }
});
