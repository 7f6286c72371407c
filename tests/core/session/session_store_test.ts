import assert from "node:assert/strict";
import { join } from "node:path";
import type { Effect } from "@alisio/sdk";
import { openSessionStore } from "../../../core/session/session_store.ts";
import { type StoredMessage, textOf } from "../../../core/session/stored_message.ts";
import { blobPath, lockPath, outputsPath } from "../../../core/session/session_files.ts";
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

const HASH = "a".repeat(64);
const OTHER_HASH = "b".repeat(64);

Deno.test("SessionStore.createSession() stores a session with its workspace", async () => {
  await withStore((store) => {
    const session = {
      id: "s1",
      workspace: "/w",
      model: "m",
      provider: "p",
      createdAt: AT,
      title: "T",
    };
    const created = store.createSession(session);
    assert.deepEqual(created, { ...session, depth: 0, options: {} });
    assert.deepEqual(store.session("s1"), created);
    assert.throws(() => store.createSession(session), TypeError);
    assert.equal(store.session("s2"), undefined);
  });
});

Deno.test("SessionStore.createSession() refuses an id that could name other files", async () => {
  await withStore((store) => {
    const rest = { workspace: "/w", model: "m", provider: "p", createdAt: AT };
    for (const id of ["a-B_c.1", crypto.randomUUID()]) store.createSession({ ...rest, id });
    for (const id of ["", "../x", "a/b", "a\\b", ".hidden", "a b", "x".repeat(129)]) {
      assert.throws(() => store.createSession({ ...rest, id }), TypeError, id);
    }
  });
});

Deno.test("SessionStore.findSessions() takes an id or at least four characters of it", async () => {
  await withStore((store) => {
    for (const id of ["abcd-1", "abcd-2", "abce-1", "abcd"]) newSession(store, id);
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ["abcd", ["abcd"]],
      ["abcd-", ["abcd-1", "abcd-2"]],
      ["abce", ["abce-1"]],
      ["abc", []],
      ["", []],
      ["%bcd", []],
      ["abcd-1x", []],
    ];
    for (const [prefix, ids] of rows) {
      assert.deepEqual(store.findSessions(prefix).map(({ id }) => id).sort(), ids, prefix);
    }
  });
});

Deno.test("SessionStore.listSessions() shows the last used first", async () => {
  await withStore((store) => {
    for (const id of ["s1", "s2", "s3"]) newSession(store, id);
    runSql(store.path, "UPDATE sessions SET parent_id = 's1' WHERE id = 's3'");
    store.appendMessage("s2", user("Two"), AT + 1);
    store.appendMessage("s1", user("One"), AT + 2);
    store.appendMessage("s1", assistant("Yes"), AT + 3);
    const [first, second] = store.listSessions({ limit: 9 });
    assert.deepEqual(first, {
      id: "s1",
      workspace: "/work",
      model: "m",
      provider: "p",
      title: "One",
      createdAt: AT,
      lastActivityAt: AT + 3,
      messages: 2,
      state: "idle",
    });
    assert.equal(second?.id, "s2");
    assert.deepEqual(store.listSessions({ limit: 1 }).map(({ id }) => id), ["s1"]);
    assert.deepEqual(store.listSessions({ limit: 9, workspace: "/other" }), []);
    assert.equal(store.listSessions({ limit: 9, workspace: "/work" }).length, 2);
  });
});

Deno.test("SessionStore.listSessions() derives a title of one line", async () => {
  const rows: readonly (readonly [string, StoredMessage, string])[] = [
    ["short", user("Fix the total"), "Fix the total"],
    ["lines", user("  Fix\n\n the\ttotal \n"), "Fix the total"],
    ["60 characters", user("x".repeat(60)), "x".repeat(60)],
    ["61 characters", user("x".repeat(61)), `${"x".repeat(59)}…`],
    ["no half character", user("🙂".repeat(70)), `${"🙂".repeat(59)}…`],
    ["as typed", { ...user("long text"), display: "/fix total" }, "/fix total"],
    ["an image", {
      role: "user",
      content: [{ type: "image", mimeType: "image/png", data: "" }, { type: "text", text: "See" }],
    }, "See"],
  ];
  await withStore((store) => {
    for (const [index, [name, message, title]] of rows.entries()) {
      newSession(store, `s${index}`);
      store.appendMessage(`s${index}`, assistant("before"), AT);
      store.appendMessage(`s${index}`, message, AT);
      const [session] = store.listSessions({ limit: 99 }).filter(({ id }) => id === `s${index}`);
      assert.equal(session?.title, title, name);
    }
  });
});

Deno.test("SessionStore.updateSession() merges options and keeps the rest", async () => {
  await withStore((store) => {
    newSession(store);
    store.updateSession("s1", { options: { effort: "high", agent: "plan" } });
    const changed = store.updateSession("s1", { model: "m2", options: { agent: null, preset: 1 } });
    assert.deepEqual(changed.options, { effort: "high", preset: 1 });
    assert.deepEqual(store.session("s1"), changed);
    assert.equal(changed.model, "m2");
    assert.equal(changed.provider, "p");
    assertFails("session_not_found", () => store.updateSession("none", { model: "m" }));
  });
});

Deno.test("SessionStore.loadMessages() returns what was stored, in order", async () => {
  await withStore((store) => {
    newSession(store);
    newSession(store, "s2");
    const messages: readonly StoredMessage[] = [
      { ...user("Go \u0000 \ud800 'quoted' \u{1f642}"), display: "/go" },
      { ...assistant("", "c1"), reasoning: "", partial: true },
      {
        role: "tool",
        callId: "c1",
        name: "edit_file",
        isError: false,
        content: [
          { type: "text", text: "ok" },
          {
            type: "ui",
            block: { kind: "diff", path: "a.ts", unifiedDiff: "@@", truncated: false },
          },
        ],
      } as StoredMessage,
      {
        ...assistant("Done"),
        continuation: { provider: "p", items: [{ type: "reasoning", encrypted: "x" }] },
      },
    ];
    assert.deepEqual(messages.map((message) => store.appendMessage("s1", message, AT)), [
      1,
      2,
      3,
      4,
    ]);
    assert.equal(store.appendMessage("s2", user("Other"), AT), 1);
    assert.deepEqual(store.loadMessages("s1"), messages);
    assert.deepEqual(store.loadMessages("none"), []);
    assert.deepEqual(store.messagesPage("s1", { afterSeq: 2, limit: 1 }), [
      { seq: 3, message: messages[2], createdAt: AT, compacted: false },
    ]);
  });
});

Deno.test("SessionStore.replaceMessages() puts messages in the place of others, which are kept", async () => {
  await withStore((store) => {
    newSession(store);
    newSession(store, "s2");
    store.appendMessage("s2", user("Other"), AT);
    for (const text of ["a", "b", "c", "d"]) store.appendMessage("s1", user(text), AT);
    store.replaceMessages("s1", {
      through: 2,
      seqs: [4],
      added: [
        { place: 2, message: { ...user("sum"), summary: true } },
        { place: 4, message: user("short d") },
        { place: 2, message: { ...user("more"), summary: true } },
      ],
    }, AT);
    store.appendMessage("s1", user("e"), AT);
    const texts = (id: string, includeCompacted = false) =>
      store.loadMessages(id, { includeCompacted })
        .map((message) => message.role === "user" ? textOf(message.content) : "");
    assert.deepEqual(texts("s1"), ["sum", "more", "c", "short d", "e"]);
    assert.deepEqual(
      store.activeMessages("s1").map(({ seq, place }) => [seq, place]),
      [[5, 2], [7, 2], [3, 3], [6, 4], [8, 8]],
    );
    // A summary of a summary takes the place of both.
    store.replaceMessages("s1", {
      through: 3,
      seqs: [],
      added: [{ place: 3, message: user("all") }],
    }, AT);
    assert.deepEqual(texts("s1"), ["all", "short d", "e"]);
    const all = ["a", "b", "c", "d", "sum", "short d", "more", "e", "all"];
    assert.deepEqual(texts("s1", true), all);
    assert.deepEqual(texts("s2"), ["Other"]);
  });
});

Deno.test("SessionStore.replaceMessages() changes nothing if it fails", async () => {
  await withStore((store) => {
    newSession(store);
    for (const text of ["a", "b"]) store.appendMessage("s1", user(text), AT);
    const broken = { ...user("x"), role: null } as unknown as StoredMessage;
    const added = [{ place: 1, message: user("sum") }, { place: 1, message: broken }];
    assert.throws(
      () => store.replaceMessages("s1", { through: 1, seqs: [], added }, AT),
      /NOT NULL constraint failed/,
    );
    assert.equal(store.loadMessages("s1").length, 2);
    assert.equal(store.messagesPage("s1").some(({ compacted }) => compacted), false);
  });
});

Deno.test("SessionStore.loadMessages() reads the active messages of a long session alone", async () => {
  await withStore((store) => {
    newSession(store);
    store.transaction(() => {
      for (let at = 0; at < 20_000; at++) store.appendMessage("s1", user("x".repeat(2_000)), AT);
      const summary = [{ place: 19_990, message: user("sum") }];
      store.replaceMessages("s1", { through: 19_990, seqs: [], added: summary }, AT);
    });
    const timed = (includeCompacted: boolean, count: number): number => {
      const startedAt = performance.now();
      assert.equal(store.loadMessages("s1", { includeCompacted }).length, count);
      return performance.now() - startedAt;
    };
    const [all, active] = [timed(true, 20_001), timed(false, 11)];
    assert.ok(active < all / 5, `${active} ms, and ${all} ms for 40 MB more`);
  });
});

Deno.test("SessionStore.loadMessages() leaves damaged rows out and says so", async () => {
  await withStore((store, _folder, notices) => {
    newSession(store);
    const damage = [
      '{"role":"user","content":[{"ty',
      '{"role":"user"}',
      '{"role":"system","content":[]}',
      '{"role":"assistant","text":"x","calls":[{"id":1}]}',
      '{"role":"tool","callId":"c","name":"n","isError":false,"content":[{"type":"text"}]}',
      "null",
      "",
    ];
    for (const json of damage) {
      const seq = store.appendMessage("s1", user("x"), AT);
      runSql(store.path, `UPDATE messages SET message = '${json}' WHERE seq = ${seq}`);
    }
    store.appendMessage("s1", user("Whole"), AT);
    assert.deepEqual(store.loadMessages("s1"), [user("Whole")]);
    assert.deepEqual(notices, [{
      code: "message_unreadable",
      message: 'Session "s1" holds 7 unreadable messages (number 1, 2, 3, 4, 5, …), left out',
    }]);
    assert.equal(store.messagesPage("s1").filter((row) => row.message === undefined).length, 7);
  });
});

Deno.test("SessionStore.appendMessage() fails for a session that was deleted meanwhile", async () => {
  await withStore((store) => {
    assertFails("session_not_found", () => store.appendMessage("s1", user("x"), AT));
  });
});

Deno.test("SessionStore journals calls with their results", async () => {
  await withStore((store) => {
    newSession(store);
    const call = {
      sessionId: "s1",
      callId: "c1",
      runId: "r1",
      name: "shell",
      effect: "process",
      arguments: '{"command":"make"}',
      startedAt: AT,
    } as const;
    store.beginCall(call);
    assert.throws(() => store.beginCall(call), TypeError);
    assert.deepEqual(store.pendingCalls("s1"), [{ ...call, status: "pending", isError: false }]);
    const { content, isError } = result("c1", "failed", true);
    const end = { sessionId: "s1", callId: "c1", content, isError, endedAt: AT + 1 };
    assert.equal(store.endCall(end), true);
    assert.equal(store.endCall({ ...end, isError: false }), false);
    assert.equal(store.endCall({ ...end, callId: "none" }), false);
    assert.deepEqual(store.pendingCalls("s1"), []);
    assert.deepEqual(store.calls("s1"), [
      { ...call, status: "completed", content, isError: true, endedAt: AT + 1 },
    ]);
    assert.deepEqual(store.call("s1", "c1"), store.calls("s1")[0]);
    assert.equal(store.call("s1", "c2"), undefined);
  });
});

Deno.test("SessionStore.uncertainCalls() names pending calls that may have changed something", async () => {
  await withStore((store) => {
    newSession(store);
    const rows = [
      ["read", false],
      ["internal", false],
      ["write", true],
      ["process", true],
      ["external", true],
    ] as const;
    const call = { sessionId: "s1", runId: "r", name: "t", arguments: "{}", startedAt: AT };
    for (const [effect] of rows) store.beginCall({ ...call, callId: effect, effect });
    assert.deepEqual(
      store.uncertainCalls("s1").map(({ callId }) => callId),
      rows.filter(([, isUncertain]) => isUncertain).map(([effect]) => effect),
    );
    assert.equal(store.listSessions({ limit: 1 })[0]?.state, "needs_recovery");
    store.appendMessage("s1", result("write", "done"), AT);
    assert.deepEqual(store.uncertainCalls("s1").map(({ callId }) => callId), [
      "process",
      "external",
    ]);
  });
});

Deno.test("SessionStore.beginRun() returns the run that has the request id", async () => {
  await withStore((store) => {
    newSession(store);
    newSession(store, "s2");
    const run = {
      id: "r1",
      sessionId: "s1",
      requestId: "q",
      correlationId: "k",
      model: "m",
      startedAt: AT,
      ownerPid: 9,
    };
    const first = store.beginRun(run);
    assert.deepEqual(first, { ...run, status: "running" });
    assert.deepEqual(store.beginRun({ ...run, id: "r2" }), first);
    assert.equal(store.beginRun({ ...run, id: "r3", sessionId: "s2" }).id, "r3");
    const { requestId: _, ...anonymous } = run;
    assert.equal(store.beginRun({ ...anonymous, id: "r4" }).id, "r4");
    assert.equal(store.beginRun({ ...anonymous, id: "r5" }).id, "r5");
    assert.deepEqual(store.runs("s1").map(({ id }) => id), ["r1", "r4", "r5"]);
  });
});

Deno.test("SessionStore.endRun() never overwrites a terminal state", async () => {
  await withStore((store) => {
    newSession(store);
    const run = { id: "r1", sessionId: "s1", model: "m", startedAt: AT, ownerPid: 9 };
    store.beginRun(run);
    const usage = { input: 5, output: 6 };
    const end = { id: "r1", endedAt: AT + 1 };
    assert.equal(store.endRun({ ...end, status: "failed", error: "x", usage }), true);
    assert.equal(store.endRun({ ...end, status: "completed" }), false);
    assert.equal(store.interruptRuns("s1"), 0);
    assert.deepEqual(store.runs("s1"), [
      { ...run, status: "failed", error: "x", usage, endedAt: AT + 1 },
    ]);
    store.beginRun({ ...run, id: "r2" });
    assert.equal(store.interruptRuns("s1", AT + 2), 1);
    assert.equal(store.endRun({ ...end, id: "r2", status: "completed" }), false);
    assert.equal(store.runs("s1")[1]?.status, "interrupted");
  });
});

Deno.test("SessionStore.appendEvent() counts over all sessions", async () => {
  await withStore((store) => {
    newSession(store);
    newSession(store, "s2");
    const event = {
      runId: "r1",
      sessionId: "s1",
      seq: 1,
      type: "run_started",
      timestamp: "2026-01-01T00:00:00.000Z",
      data: { model: "m" },
    };
    assert.equal(store.appendEvent(event), 1);
    assert.equal(store.appendEvent({ ...event, sessionId: "s2" }), 2);
    assert.equal(store.appendEvent({ ...event, seq: 2, correlationId: "k" }), 3);
    assert.deepEqual(store.eventsOf("s1"), [
      { ...event, schemaVersion: 1, eventId: "1" },
      { ...event, schemaVersion: 1, eventId: "3", seq: 2, correlationId: "k" },
    ]);
    assert.deepEqual(store.eventsOf("s1", { afterSeq: 1 }).map(({ eventId }) => eventId), ["3"]);
    assert.deepEqual(store.eventsOf("s1", { limit: 1 }).map(({ eventId }) => eventId), ["1"]);
  });
});

Deno.test("SessionStore keeps state of plugins", async () => {
  await withStore((store) => {
    assert.equal(store.pluginState("p", "k"), undefined);
    store.setPluginState("p", "k", { a: [1, null] });
    store.setPluginState("q", "k", "other");
    assert.deepEqual(store.pluginState("p", "k"), { a: [1, null] });
    store.setPluginState("p", "k", null);
    assert.equal(store.pluginState("p", "k"), null);
    store.setPluginState("p", "k", undefined);
    assert.equal(store.pluginState("p", "k"), undefined);
    assert.equal(store.pluginState("q", "k"), "other");
  });
});

Deno.test("SessionStore.hideSecrets() keeps secrets out of the files (field case 117)", async () => {
  await withStore((store, folder) => {
    const secret = 'sentinel-"key"-12345678';
    store.hideSecrets([secret]);
    newSession(store);
    const args = JSON.stringify({ command: `curl -H ${secret}` });
    store.appendMessage("s1", user(`Use ${secret}`), AT);
    store.appendMessage("s1", {
      ...assistant("", "c1"),
      calls: [{ id: "c1", name: "shell", arguments: args }],
    }, AT);
    const call = { sessionId: "s1", callId: "c1", runId: "r1", name: "shell", startedAt: AT };
    store.beginCall({ ...call, effect: "process", arguments: args });
    const { content } = result("c1", secret);
    store.endCall({ sessionId: "s1", callId: "c1", content, isError: false, endedAt: AT });
    store.beginRun({ id: "r1", sessionId: "s1", model: "m", startedAt: AT, ownerPid: 1 });
    store.endRun({ id: "r1", status: "failed", error: `401 ${secret}`, endedAt: AT });
    const timestamp = "2026-01-01T00:00:00.000Z";
    const event = { runId: "r1", sessionId: "s1", seq: 1, type: "run_failed", timestamp };
    store.appendEvent({ ...event, data: { error: secret } });
    store.setPluginState("p", "k", secret);
    store.updateSession("s1", { options: { note: secret } });
    assert.deepEqual(store.loadMessages("s1")[0], user("Use [redacted]"));
    for (const { name, isFile } of Deno.readDirSync(folder)) {
      if (!isFile) continue;
      const text = Deno.readTextFileSync(join(folder, name));
      assert.ok(!text.includes("sentinel"), name);
    }
  });
});

Deno.test("SessionStore.deleteSession() leaves nothing of a session behind", async () => {
  await withStore((store, folder) => {
    for (const id of ["s1", "s2", "s3"]) newSession(store, id);
    fillSession(store, "s1", "sentinel-one");
    fillSession(store, "s2", "sentinel-two");
    runSql(
      store.path,
      `UPDATE sessions SET parent_id = 's1', depth = 1 WHERE id = 's2';
       INSERT INTO blobs VALUES ('${HASH}', 'image/png', 1, 0), ('${OTHER_HASH}', 'image/png', 1, 0);
       INSERT INTO session_blobs VALUES ('s1', '${HASH}'), ('s2', '${OTHER_HASH}'),
         ('s3', '${OTHER_HASH}')`,
    );
    for (const hash of [HASH, OTHER_HASH]) write(blobPath(folder, hash), "blob");
    for (const id of ["s1", "s2", "s3"]) write(join(outputsPath(folder, id), "c1.txt"), "log");

    store.deleteSession("s1");

    assert.deepEqual(store.listSessions({ limit: 9 }).map(({ id }) => id), ["s3"]);
    assert.equal(store.session("s2"), undefined);
    assert.deepEqual([...Deno.readDirSync(join(folder, "outputs"))].map(({ name }) => name), [
      "s3",
    ]);
    assert.throws(() => Deno.statSync(blobPath(folder, HASH)), Deno.errors.NotFound);
    assert.equal(Deno.readTextFileSync(blobPath(folder, OTHER_HASH)), "blob");
    for (const name of ["sessions.sqlite", "sessions.sqlite-wal"]) {
      assert.ok(!Deno.readTextFileSync(join(folder, name)).includes("sentinel"), name);
    }
    assert.deepEqual([...Deno.readDirSync(join(folder, "locks"))], []);
    assertFails("session_not_found", () => store.deleteSession("s1"));
  });
});

Deno.test("SessionStore.deleteSession() refuses a session that is in use", async () => {
  await withStore(async (store, folder) => {
    const child = startChild(["lease", store.path]);
    assert.equal(await child.line(), "held");
    write(join(outputsPath(folder, "s1"), "c1.txt"), "log");
    const error = assertFails("session_locked", () => store.deleteSession("s1"));
    assert.match(error.message, /"s1": it is in use. End the process that uses it/);
    assert.equal(await Deno.readTextFile(join(outputsPath(folder, "s1"), "c1.txt")), "log");
    await child.kill();
    store.deleteSession("s1");
    assert.throws(() => Deno.statSync(lockPath(folder, "s1")), Deno.errors.NotFound);
  });
});

Deno.test("SessionStore.loadMessages() reads 2,000 messages quickly", async () => {
  await withStore((store) => {
    newSession(store);
    store.transaction(() => {
      for (let i = 0; i < 1_000; i++) {
        store.appendMessage("s1", assistant("", `c${i}`), AT);
        store.appendMessage("s1", result(`c${i}`, 'a line of "text"\n'.repeat(60)), AT);
      }
    });
    const startedAt = performance.now();
    assert.equal(store.loadMessages("s1").length, 2_000);
    const ms = performance.now() - startedAt;
    Deno.stderr.writeSync(new TextEncoder().encode(`2,000 messages: ${ms.toFixed(1)} ms\n`));
    assert.ok(ms < 250, `${ms} ms`);
  });
});

Deno.test("openSessionStore() works on another path that leads to the same file", async () => {
  await withStore((store, folder) => {
    newSession(store);
    const link = join(folder, "link.sqlite");
    Deno.symlinkSync(store.path, link);
    const other = openSessionStore(link);
    assert.equal(other.stateRoot, store.stateRoot);
    assert.equal(other.path, store.path);
    other.close();
    assert.equal(store.session("s1")?.id, "s1");
  });
});

function fillSession(
  store: Parameters<typeof newSession>[0],
  sessionId: string,
  text: string,
): void {
  store.appendMessage(sessionId, user(text.repeat(500)), AT);
  const call = { sessionId, callId: "c1", runId: "r", name: "n", startedAt: AT };
  store.beginCall({ ...call, effect: "write", arguments: text });
  const timestamp = "2026-01-01T00:00:00.000Z";
  store.appendEvent({ sessionId, runId: "r", seq: 1, type: "t", timestamp, data: { text } });
  const id = `run-${sessionId}`;
  store.beginRun({ id, sessionId, model: text, startedAt: AT, ownerPid: 1 });
}

function write(path: string, text: string): void {
  Deno.mkdirSync(join(path, ".."), { recursive: true });
  Deno.writeTextFileSync(path, text);
}

Deno.test("SessionStore.recentCalls() finds the calls of every session that began after a time", async () => {
  await withStore((store) => {
    for (const id of ["s1", "s2"]) newSession(store, id);
    const begin = (sessionId: string, callId: string, effect: Effect, startedAt: number): void =>
      store.beginCall({
        sessionId,
        callId,
        runId: "r",
        name: `tool_${callId}`,
        effect,
        arguments: "{}",
        startedAt,
      });
    begin("s1", "a", "write", 100);
    begin("s2", "b", "read", 200);
    begin("s1", "c", "process", 300);
    assert.deepEqual(store.recentCalls(400), []);
    const byTime = store.recentCalls(199).toSorted((one, two) => one.startedAt - two.startedAt);
    assert.deepEqual(byTime, [
      { name: "tool_b", effect: "read", startedAt: 200 },
      { name: "tool_c", effect: "process", startedAt: 300 },
    ]);
  });
});
