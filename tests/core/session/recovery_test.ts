import assert from "node:assert/strict";
import { acquireLease } from "../../../core/session/lease.ts";
import {
  acknowledgeCalls,
  assertRecovered,
  recoverSession,
} from "../../../core/session/recovery.ts";
import {
  INTERRUPTED_TEXT,
  NOT_RUN_TEXT,
  UNCERTAIN_TEXT,
} from "../../../core/session/repair_history.ts";
import {
  assertFails,
  assistant,
  AT,
  newSession,
  result,
  runSql,
  startChild,
  user,
  withStore,
} from "./_support.ts";

const ONE = result("c1", "one");
const NOT_RUN = (id: string) => result(id, NOT_RUN_TEXT, true);

const POINTS = [
  {
    point: "after the assistant message",
    results: [NOT_RUN("c1"), NOT_RUN("c2"), NOT_RUN("c3")],
    uncertain: [],
  },
  {
    point: "during a read",
    results: [result("c1", INTERRUPTED_TEXT, true), NOT_RUN("c2"), NOT_RUN("c3")],
    uncertain: [],
  },
  {
    point: "after a result in the journal",
    results: [ONE, NOT_RUN("c2"), NOT_RUN("c3")],
    uncertain: [],
  },
  {
    point: "after one of three results",
    results: [ONE, NOT_RUN("c2"), NOT_RUN("c3")],
    uncertain: [],
  },
  {
    point: "during a write",
    results: [ONE, result("c2", UNCERTAIN_TEXT, true), NOT_RUN("c3")],
    uncertain: ["c2"],
  },
  {
    point: "inside a transaction",
    results: [ONE, result("c2", UNCERTAIN_TEXT, true), NOT_RUN("c3")],
    uncertain: ["c2"],
  },
] as const;

for (const { point, results, uncertain } of POINTS) {
  Deno.test(`recoverSession() goes on after a kill ${point} (field cases 141, 143)`, async () => {
    await withStore(async (store) => {
      const child = startChild(["crash", store.path, point]);
      assert.equal(await child.line(), point);
      await child.kill();

      assert.equal(
        store.listSessions({ limit: 1 })[0]?.state,
        uncertain.length > 0 ? "needs_recovery" : "idle",
      );
      const lease = await acquireLease(store, "s1");
      const whole = [user("Go"), assistant("", "c1", "c2", "c3"), ...results];
      for (let resume = 0; resume < 3; resume++) {
        const repair = recoverSession(store, "s1", AT + 1);
        assert.deepEqual(repair.messages, whole);
        assert.deepEqual(repair.uncertain.map(({ callId }) => callId), uncertain);
      }
      assert.equal(store.runs("s1")[0]?.status, "interrupted");
      assert.deepEqual(store.pendingCalls("s1").map(({ callId }) => callId), uncertain);
      const { length } = store.loadMessages("s1");
      assert.equal(length, whole.length - uncertain.length);

      const calls = store.uncertainCalls("s1");
      if (calls.length > 0) {
        const error = assertFails("session_needs_recovery", () => assertRecovered("s1", calls));
        assert.match(error.message, /"alisio sessions recover s1 --acknowledge"$/);
      } else assertRecovered("s1", calls);
      acknowledgeCalls(store, "s1", calls.map((call) => ({ call })), AT + 2);
      assert.deepEqual(store.uncertainCalls("s1"), []);
      const repair = recoverSession(store, "s1", AT + 3);
      assert.deepEqual(repair, { messages: whole, missing: [], uncertain: [] });
      store.appendMessage("s1", user("Next"), AT + 4);
      assert.deepEqual(recoverSession(store, "s1", AT + 5).messages, [...whole, user("Next")]);
      lease.release();
    });
  });
}

Deno.test("recoverSession() stores nothing in a session that is in order", async () => {
  await withStore((store) => {
    newSession(store);
    store.appendMessage("s1", user("Go"), AT);
    store.appendMessage("s1", { ...assistant("I wi"), partial: true }, AT);
    for (let resume = 0; resume < 3; resume++) recoverSession(store, "s1", AT);
    assert.equal(store.messagesPage("s1").length, 2);
  });
});

Deno.test("recoverSession() closes a pending read whose message is lost", async () => {
  await withStore((store) => {
    newSession(store);
    const call = { sessionId: "s1", callId: "c1", runId: "r", name: "t", arguments: "{}" };
    store.beginCall({ ...call, effect: "read", startedAt: AT });
    const repair = recoverSession(store, "s1", AT + 1);
    assert.deepEqual(repair.messages, []);
    assert.equal(store.calls("s1")[0]?.status, "completed");
  });
});

Deno.test("recoverSession() gives a call whose result row is damaged its result back", async () => {
  await withStore((store) => {
    newSession(store);
    store.appendMessage("s1", assistant("", "c1"), AT);
    const call = { sessionId: "s1", callId: "c1", runId: "r", name: "tool", arguments: "{}" };
    store.beginCall({ ...call, effect: "write", startedAt: AT });
    store.endCall({ ...ONE, sessionId: "s1", endedAt: AT });
    store.appendMessage("s1", ONE, AT);
    runSql(store.path, `UPDATE messages SET message = '{' WHERE role = 'tool'`);
    assert.deepEqual(recoverSession(store, "s1", AT).messages, [assistant("", "c1"), ONE]);
    assert.equal(recoverSession(store, "s1", AT).missing.length, 0);
  });
});

Deno.test("acknowledgeCalls() tells the model what was found", async () => {
  await withStore((store) => {
    newSession(store);
    store.appendMessage("s1", assistant("", "c1"), AT);
    const call = { sessionId: "s1", runId: "r", name: "write_file", arguments: "{}" };
    store.beginCall({ ...call, callId: "c1", effect: "write", startedAt: AT });
    store.beginCall({ ...call, callId: "lost", effect: "write", startedAt: AT });
    const calls = store.uncertainCalls("s1");
    assert.equal(calls.length, 2);
    const finding = "The file is as it was";
    acknowledgeCalls(store, "s1", calls.map((call) => ({ call, finding })), AT);
    assert.deepEqual(store.loadMessages("s1"), [assistant("", "c1"), {
      ...result("c1", `${UNCERTAIN_TEXT}. The file is as it was`, true),
      name: "write_file",
    }]);
    assert.deepEqual(store.pendingCalls("s1"), []);
  });
});
