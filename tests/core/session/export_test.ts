import assert from "node:assert/strict";
import { exportSession } from "../../../core/session/export.ts";
import { assistant, AT, newSession, runSql, user, withStore } from "./_support.ts";

Deno.test("exportSession() writes events in order, then every message", async () => {
  await withStore((store) => {
    newSession(store);
    newSession(store, "s2");
    const timestamp = "2026-01-01T00:00:00.000Z";
    const event = { runId: "r1", type: "turn_completed", timestamp };
    // More than a page of each, between those of another session.
    for (let seq = 1; seq <= 450; seq++) {
      for (const sessionId of ["s1", "s2"]) {
        store.appendEvent({ ...event, sessionId, seq, data: { turn: seq } });
      }
      store.appendMessage("s1", user(`m${seq}`), AT);
    }
    runSql(
      store.path,
      "UPDATE messages SET compacted = 1 WHERE seq <= 3; " +
        "UPDATE messages SET message = '{' WHERE seq = 4",
    );
    const lines = [...exportSession(store, "s1", [])].map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.slice(0, 450).map(({ seq, data, eventId }) => [seq, data.turn, eventId]),
      Array.from({ length: 450 }, (_, i) => [i + 1, i + 1, String(2 * i + 1)]),
    );
    assert.deepEqual(lines[450], {
      type: "message",
      seq: 1,
      createdAt: timestamp,
      compacted: true,
      message: user("m1"),
    });
    assert.deepEqual(lines[453], {
      type: "message",
      seq: 4,
      createdAt: timestamp,
      compacted: false,
      unreadable: true,
    });
    assert.equal(lines.length, 900);
    assert.equal(lines[899].message.content[0].text, "m450");
  });
});

Deno.test("exportSession() of an empty session is empty", async () => {
  await withStore((store) => {
    newSession(store);
    assert.deepEqual([...exportSession(store, "s1", [])], []);
  });
});

Deno.test("exportSession() takes secrets out (field case 117)", async () => {
  await withStore((store) => {
    newSession(store);
    const configured = 'my "quoted" secret';
    const key = "sk-proj-AbCdEf0123456789AbCdEf01";
    const args = JSON.stringify({ command: `curl -H '${configured}' ${key}` });
    store.appendMessage("s1", {
      ...assistant(`Your key is ${key}`, "c1"),
      calls: [{ id: "c1", name: "shell", arguments: args }],
    }, AT);
    const timestamp = "2026-01-01T00:00:00.000Z";
    const event = { sessionId: "s1", runId: "r1", seq: 1, type: "run_failed", timestamp };
    store.appendEvent({ ...event, data: { error: `401 for ${key}`, [configured]: 1 } });
    const lines = [...exportSession(store, "s1", [configured])];
    for (const secret of [key, "quoted"]) assert.ok(!lines.join("").includes(secret), secret);
    const [failed, message] = lines.map((line) => JSON.parse(line));
    assert.deepEqual(failed.data, { error: "401 for [redacted]", "[redacted]": 1 });
    assert.equal(
      JSON.parse(message.message.calls[0].arguments).command,
      "curl -H '[redacted]' [redacted]",
    );
  });
});
