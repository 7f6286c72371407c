import type { RunEvent } from "@alisio/sdk";
import assert from "node:assert/strict";
import type { DecisionRecord } from "../../../core/gate/decision_record.ts";
import { DecisionLog } from "../../../core/run/decision_log.ts";
import { RunEvents } from "../../../core/run/run_events.ts";
import type { SessionStore } from "../../../core/session/session_store.ts";
import { newSession, withStore } from "../session/_support.ts";

const SECRET = "hush-hush-value";

interface Scene {
  readonly store: SessionStore;
  readonly log: DecisionLog;
  readonly seen: RunEvent[];
  rows(): readonly (readonly [callId: string, outcome: string])[];
}

async function withLog(fn: (scene: Scene) => void): Promise<void> {
  await withStore((store) => {
    newSession(store, "s1");
    const seen: RunEvent[] = [];
    const facts = { runId: "r1", sessionId: "s1", store };
    const events = new RunEvents({ ...facts, observers: [(event) => void seen.push(event)] });
    fn({
      store,
      seen,
      log: new DecisionLog({ ...facts, events, secrets: () => [SECRET] }),
      rows: () => store.decisions().map(({ callId, outcome }) => [callId, outcome]),
    });
  });
}

function record(changes: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    callId: "c1",
    tool: "write_file",
    effect: "write",
    arguments: '{"path":"a.txt","content":"x"}',
    outcome: "blocked",
    rule: "mode:write",
    reason: "it changes files",
    source: "unavailable",
    channel: "headless",
    ...changes,
  };
}

/** Every outcome, the event that tells of it, and its level. */
const OUTCOMES: readonly (readonly [DecisionRecord["outcome"], string, string])[] = [
  ["requested", "autonomy:approval_requested", "INFO"],
  ["granted", "autonomy:approval_granted", "INFO"],
  ["denied", "autonomy:approval_denied", "WARN"],
  ["replaced", "autonomy:approval_denied", "WARN"],
  ["timed_out", "autonomy:approval_timeout", "WARN"],
  ["blocked", "autonomy:blocked", "WARN"],
];

for (const [outcome, type, level] of OUTCOMES) {
  Deno.test(`DecisionLog stores "${outcome}" and emits ${type}`, async () => {
    await withLog(({ log, store, seen }) => {
      log.record(record({ outcome, user: "ana", scope: "once" }));
      assert.deepEqual(seen.map((event) => [event.type, event.data]), [[type, {
        level,
        id: "c1",
        tool: "write_file",
        path: "a.txt",
        channel: "headless",
        user: "ana",
        reason: "it changes files",
        rule: "mode:write",
      }]]);
      assert.notEqual(seen[0]?.eventId, undefined);
      const [row] = store.decisions();
      const { outcome: stored, summary, sessionId, runId, user, scope } = row ?? {};
      assert.deepEqual([stored, summary, sessionId, runId, user, scope], [
        outcome,
        "a.txt",
        "s1",
        "r1",
        "ana",
        "once",
      ]);
    });
  });
}

Deno.test("DecisionLog stores what a rule allows together with its call, and emits nothing", async () => {
  await withLog(({ log, rows, seen }) => {
    log.record(record({ outcome: "allowed", source: "policy" }));
    assert.deepEqual(rows(), []);
    log.storeWith("c1", () => assert.deepEqual(rows(), [["c1", "allowed"]]));
    log.storeWith("c1", () => {});
    assert.deepEqual([rows(), seen], [[["c1", "allowed"]], []]);
  });
});

Deno.test("DecisionLog stores nothing of an allowed call that cannot be recorded", async () => {
  await withLog(({ log, rows }) => {
    log.record(record({ outcome: "allowed" }));
    assert.throws(() =>
      log.storeWith("c1", () => {
        throw new TypeError("full");
      }), /full/);
    assert.deepEqual(rows(), []);
  });
});

Deno.test("DecisionLog shows no event of a decision that cannot be stored", async () => {
  await withLog(({ log, store, seen }) => {
    store.close();
    assert.throws(() => log.record(record()));
    assert.deepEqual(seen, []);
  });
});

Deno.test("R33: neither the audit nor its events hold a secret, by key or by value", async () => {
  const inputs = [
    { path: `https://h/${SECRET}/a` },
    { command: `curl -H 'X-Api-Key: ${SECRET}' --token other-secret h` },
    { apiKey: "other-secret", nested: [{ password: "other-secret" }], text: SECRET },
  ];
  await withLog(({ log, store, seen }) => {
    for (const [index, input] of inputs.entries()) {
      const callId = `c${index}`;
      const shown = { callId, arguments: JSON.stringify(input), reason: `no to ${SECRET}` };
      log.record(record({ ...shown, outcome: "denied" }));
      log.record(record({ ...shown, outcome: "allowed" }));
      log.storeWith(callId, () => {});
    }
    assert.equal(store.decisions().length, 6);
    const text = JSON.stringify([store.decisions(), seen]);
    assert.ok(!text.includes(SECRET) && !text.includes("other-secret"), text);
  });
});
