import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { NewDecision } from "../../../core/session/session_records.ts";
import { openSessionStore } from "../../../core/session/session_store.ts";
import { AT, newSession, withStore } from "./_support.ts";

function decision(changes: Partial<NewDecision> = {}): NewDecision {
  return {
    sessionId: "s1",
    runId: "r1",
    callId: "c1",
    tool: "read_file",
    effect: "read",
    summary: "a.ts",
    outcome: "allowed",
    rule: "mode:read",
    reason: "reading is permitted",
    source: "policy",
    channel: "headless",
    decidedAt: AT,
    ...changes,
  };
}

Deno.test("SessionStore.decisions() gives back what was appended, the newest last", async () => {
  await withStore((store) => {
    const granted = decision({
      outcome: "granted",
      source: "operator",
      user: "ana",
      scope: "once",
    });
    assert.equal(store.appendDecision(decision()), 1);
    assert.equal(store.appendDecision(granted), 2);
    assert.deepEqual(store.decisions(), [{ ...decision(), seq: 1 }, { ...granted, seq: 2 }]);
  });
});

Deno.test("SessionStore.decisions() filters, and pages from the newest to the oldest", async () => {
  await withStore((store) => {
    const rows: readonly Partial<NewDecision>[] = [
      { sessionId: "abcd-1", tool: "shell", outcome: "blocked", decidedAt: AT },
      { sessionId: "abcd-2", tool: "shell", outcome: "granted", decidedAt: AT + 1 },
      { sessionId: "abxx-3", tool: "read_file", outcome: "blocked", decidedAt: AT + 2 },
      { sessionId: "ABCD-4", tool: "shell", outcome: "blocked", decidedAt: AT + 3 },
      { sessionId: "ab%d-5", tool: "shell", outcome: "denied", decidedAt: AT + 4 },
    ];
    for (const row of rows) store.appendDecision(decision(row));
    const seqs = (query: Parameters<typeof store.decisions>[0]) =>
      store.decisions(query).map(({ seq }) => seq);
    assert.deepEqual(seqs({}), [1, 2, 3, 4, 5]);
    assert.deepEqual(seqs({ session: "abcd" }), [1, 2]);
    assert.deepEqual(seqs({ session: "ab%" }), [5]);
    assert.deepEqual(seqs({ tool: "shell" }), [1, 2, 4, 5]);
    assert.deepEqual(seqs({ outcome: "blocked" }), [1, 3, 4]);
    assert.deepEqual(seqs({ since: AT + 2 }), [3, 4, 5]);
    assert.deepEqual(seqs({ tool: "shell", outcome: "blocked", session: "abcd", since: AT }), [1]);
    assert.deepEqual(seqs({ limit: 2 }), [4, 5]);
    assert.deepEqual(seqs({ limit: 2, beforeSeq: 4 }), [2, 3]);
    assert.deepEqual(seqs({ limit: 2, beforeSeq: 2 }), [1]);
  });
});

Deno.test("SessionStore.appendDecision() cuts what is too long and hides configured secrets", async () => {
  await withStore((store) => {
    store.hideSecrets(["hush-hush"]);
    store.appendDecision(decision({
      tool: "t".repeat(5_000),
      summary: `hush-hush ${"s".repeat(500)}`,
      reason: `hush-hush ${"r".repeat(5_000)}`,
      channel: "c".repeat(500),
      user: "hush-hush",
    }));
    const [row] = store.decisions();
    assert.deepEqual(
      [row?.tool.length, row?.summary.length, row?.reason.length, row?.channel.length, row?.user],
      [200, 80, 500, 200, "[redacted]"],
    );
    assert.ok(!JSON.stringify(row).includes("hush"));
  });
});

Deno.test("The audit takes no change, deletion or replacement, whoever asks", async () => {
  await withStore((store) => {
    store.appendDecision(decision());
    const connection = new DatabaseSync(store.path);
    try {
      for (
        const sql of [
          "UPDATE decisions SET outcome = 'granted'",
          "UPDATE decisions SET seq = 7",
          "DELETE FROM decisions",
          "DELETE FROM decisions WHERE seq = 1",
          "REPLACE INTO decisions SELECT * FROM decisions",
          "INSERT INTO decisions SELECT * FROM decisions WHERE true " +
          "ON CONFLICT (seq) DO UPDATE SET outcome = 'granted'",
        ]
      ) assert.throws(() => connection.exec(sql), /decisions are never/, sql);
      connection.exec("UPDATE decisions SET outcome = 'granted' WHERE seq = 2");
    } finally {
      connection.close();
    }
    assert.deepEqual(store.decisions(), [{ ...decision(), seq: 1 }]);
  });
});

Deno.test("The audit outlasts its session", async () => {
  await withStore((store) => {
    newSession(store, "s1");
    store.appendDecision(decision());
    store.deleteSession("s1");
    assert.equal(store.session("s1"), undefined);
    assert.deepEqual(store.decisions({ session: "s1" }), [{ ...decision(), seq: 1 }]);
  });
});

Deno.test("SessionStore.decisions() is read while another connection writes", async () => {
  await withStore((store) => {
    store.appendDecision(decision());
    const reader = openSessionStore(store.path, { mode: "read" });
    try {
      store.transaction(() => {
        store.appendDecision(decision({ callId: "c2" }));
        assert.deepEqual(reader.decisions().map(({ callId }) => callId), ["c1"]);
      });
      assert.deepEqual(reader.decisions().map(({ callId }) => callId), ["c1", "c2"]);
    } finally {
      reader.close();
    }
  });
});
