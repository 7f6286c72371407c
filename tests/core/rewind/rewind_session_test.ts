import assert from "node:assert/strict";
import { AlisioError } from "../../../core/errors.ts";
import { GoalStore } from "../../../core/goals/goal_store.ts";
import { PlanStore } from "../../../core/plan/plan_store.ts";
import { forkSession } from "../../../core/rewind/fork_session.ts";
import { planRewind, rewindSession } from "../../../core/rewind/rewind_session.ts";
import { findPoint, sessionPoints } from "../../../core/rewind/session_points.ts";
import { acquireLease } from "../../../core/session/lease.ts";
import { TaskOwner } from "../../../core/tasks/task_owner.ts";
import { blobPath } from "../../../core/session/session_files.ts";
import { aGoal } from "../goals/_goal.ts";
import { AT, type RewindScene, withRewind } from "./_scene.ts";

const refusedAs = (code: string, pattern = /./) => (error: unknown) =>
  error instanceof AlisioError && error.code === code && pattern.test(error.message);

const points = ({ store, id }: RewindScene) => sessionPoints(store, id).map((it) => it.message);

/** Stands for everything up to a message, as a checkpoint does. */
function summarise({ store, id }: RewindScene, through: number, text: string): void {
  const content = [{ type: "text", text }] as const;
  const message = { role: "user", content, summary: true } as const;
  store.replaceMessages(id, { through, seqs: [], added: [{ place: through, message }] }, 1);
}

async function fork(scene: RewindScene, id: string, named?: string): Promise<string> {
  const source = scene.store.session(id);
  assert.ok(source);
  const point = named === undefined ? undefined : findPoint(scene.store, id, named);
  return (await forkSession(scene.store, source, point, Date.now())).id;
}

Deno.test("rewindSession() puts the conversation back, keeps what it puts aside, and undoes it", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    for (const prompt of ["one", "two", "three"]) scene.say(prompt);
    assert.deepEqual(points(scene), [1, 3, 5]);
    const done = await scene.rewindAlone("3");
    assert.deepEqual({ before: done.before, messages: done.messages }, { before: 3, messages: 4 });
    assert.deepEqual(scene.texts(), ["one", "to one"]);
    assert.deepEqual(points(scene), [1]);
    const rows = store.messagesPage(id);
    assert.deepEqual(rows.map((row) => row.rewound === true), [
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
    await scene.rewindAlone("undo");
    assert.deepEqual(scene.texts(), ["one", "to one", "two", "to two", "three", "to three"]);
    await assert.rejects(scene.rewindAlone("undo"), refusedAs("usage", /none to undo/));
    await scene.rewindAlone("last");
    await scene.rewindAlone("3");
    scene.say("four");
    assert.deepEqual(scene.texts(), ["one", "to one", "four", "to four"]);
    assert.deepEqual(points(scene), [1, 7]);
    await assert.rejects(scene.rewindAlone("undo"), refusedAs("usage", /went on after it/));
    const events = store.eventsOf(id).filter(({ type }) => type === "session_rewound");
    assert.deepEqual(events.map(({ data }) => data), [
      { before: 3, messages: 4, restored: [], removed: [] },
      { before: 3, messages: 4, restored: [], removed: [], undone: true },
      { before: 5, messages: 2, restored: [], removed: [] },
      { before: 3, messages: 2, restored: [], removed: [] },
    ]);
  });
});

Deno.test("rewindSession() undoes one rewind after the other", async () => {
  await withRewind(async (scene) => {
    for (const prompt of ["one", "two", "three"]) scene.say(prompt);
    const all = scene.texts();
    await scene.rewindAlone("5");
    await scene.rewindAlone("1");
    assert.deepEqual(scene.texts(), []);
    await scene.rewindAlone("undo");
    assert.deepEqual(scene.texts(), all.slice(0, 4));
    await scene.rewindAlone("undo");
    assert.deepEqual(scene.texts(), all);
  });
});

Deno.test("rewindSession() brings back what a later checkpoint stood for, and no earlier one", async () => {
  await withRewind(async (scene) => {
    for (const prompt of ["one", "two", "three"]) scene.say(prompt);
    summarise(scene, 2, "first checkpoint"); // message 7
    scene.say("four"); // 8, 9
    summarise(scene, 6, "second checkpoint"); // 10
    scene.say("five"); // 11, 12
    const before = ["second checkpoint", "four", "to four", "five", "to five"];
    assert.deepEqual(scene.texts(), before);
    assert.deepEqual(points(scene), [1, 3, 5, 8, 11]);

    await scene.rewindAlone("8");
    const atEight = ["first checkpoint", "two", "to two", "three", "to three"];
    assert.deepEqual(scene.texts(), atEight);
    await scene.rewindAlone("undo");
    assert.deepEqual(scene.texts(), before);

    await scene.rewindAlone("3");
    assert.deepEqual(scene.texts(), ["one", "to one"]);
    await scene.rewindAlone("undo");
    assert.deepEqual(scene.texts(), before);

    const copy = await fork(scene, scene.id, "8");
    assert.deepEqual(scene.texts(copy), atEight);
    assert.deepEqual(scene.texts(), before, "the original stays");
  });
});

Deno.test("rewindSession() is refused while the session is in use, and while calls are uncertain", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    scene.say("one");
    const lease = await acquireLease(store, id);
    await assert.rejects(scene.rewindAlone("1"), refusedAs("session_locked"));
    await assert.rejects(fork(scene, id), refusedAs("session_locked"));
    lease.release();
    const call = { sessionId: id, callId: "c9", runId: "r", name: "shell", arguments: "{}" };
    store.beginCall({ ...call, effect: "process", startedAt: Date.now() });
    await assert.rejects(scene.rewindAlone("1"), refusedAs("session_needs_recovery"));
    await assert.rejects(fork(scene, id), refusedAs("session_needs_recovery"));
    assert.deepEqual(scene.texts(), ["one", "to one"]);
  });
});

Deno.test("rewindSession() is refused while a session works for it, and not once that is gone", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    scene.say("one");
    const owner = new TaskOwner(store.stateRoot);
    owner.hold();
    store.createSession({ id: "c1", workspace: "/w", model: "m", provider: "p", createdAt: AT });
    store.updateSession("c1", { options: { childState: { owner: owner.token, updatedAt: AT } } });
    const sql = "UPDATE sessions SET parent_id = ?, status = 'running' WHERE id = 'c1'";
    store.database.run(sql, id);
    await assert.rejects(scene.rewind("1"), refusedAs("session_locked", /"c1" works for it/));
    assert.deepEqual(scene.texts(), ["one", "to one"]);
    owner.release();
    await scene.rewind("1");
    assert.deepEqual(scene.texts(), []);
  });
});

Deno.test("rewindSession() refuses a prompt that was put aside since it was chosen", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    for (const prompt of ["one", "two"]) scene.say(prompt);
    const all = scene.texts();
    const chosen = findPoint(store, id, "3");
    await scene.rewindAlone("3");
    await assert.rejects(
      rewindSession(store, id, chosen, { signal: new AbortController().signal }),
      refusedAs("usage", /Cannot find message "3"/),
    );
    await scene.rewindAlone("undo");
    assert.deepEqual(scene.texts(), all, "the one rewind is the one to undo");
  });
});

Deno.test("findPoint() names what it does not find", async () => {
  await withRewind((scene) => {
    scene.say("one");
    for (const named of ["2", "0", "1.0", "one", "9".repeat(100)]) {
      assert.throws(
        () => findPoint(scene.store, scene.id, named),
        refusedAs("usage", /Cannot find/),
      );
    }
    assert.equal(findPoint(scene.store, scene.id, "last").text, "one");
    return Promise.resolve();
  });
});

Deno.test("forkSession() copies a conversation, and a fork of the fork goes its own way", async () => {
  await withRewind(async (scene) => {
    await scene.write("a.txt", "before all");
    scene.say("one");
    await scene.write("a.txt", "of one");
    scene.say("two");
    const copy = await fork(scene, scene.id);
    assert.deepEqual(scene.texts(copy), ["one", "to one", "two", "to two"]);
    const second = await fork(scene, copy, "3");
    assert.deepEqual(scene.texts(second), ["one", "to one"]);
    assert.deepEqual(scene.store.session(second)?.options, {
      forkedFrom: { session: copy, before: 3 },
    });
    scene.say("other", second);
    assert.deepEqual(scene.texts(copy).length, 4);
    assert.deepEqual(scene.store.runs(copy), [], "what was used is counted once");
    // What was kept of files outlasts the session that it came from.
    scene.store.deleteSession(scene.id);
    scene.store.deleteSession(copy);
    const { n } = scene.store.database.get(
      "SELECT count(*) AS n FROM session_blobs WHERE session_id = ?",
      second,
    ) ?? {};
    assert.equal(n, 1);
  });
});

Deno.test("rewindSession() and forkSession() leave no plan to be implemented twice", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    const plans = new PlanStore(store);
    const draft = { hash: "h", title: "Plan", diagrams: [], callId: "c1" };
    scene.say("one");
    scene.say("two");
    const [first, , second] = store.messagesPage(id);
    plans.propose(id, { ...draft, updatedAt: first?.createdAt ?? 0 });
    await scene.rewindAlone("3");
    assert.equal(plans.read(id)?.title, "Plan", "it was there before");
    await scene.rewindAlone("undo");
    assert.equal(plans.read(await fork(scene, id)), null);
    plans.propose(id, { ...draft, updatedAt: second?.createdAt ?? 0 });
    const state = plans.read(id);
    await scene.rewindAlone("3");
    assert.equal(plans.read(id), null);
    await scene.rewindAlone("undo");
    assert.deepEqual(plans.read(id), state);
  });
});

Deno.test("rewindSession() puts 10,000 messages aside quickly", async () => {
  await withRewind(async (scene) => {
    scene.store.transaction(() => {
      for (let index = 0; index < 5_000; index++) scene.say(`prompt ${index}`);
    });
    summarise(scene, 9_000, "checkpoint");
    const startedAt = performance.now();
    await scene.rewindAlone("101");
    const tookMs = performance.now() - startedAt;
    assert.equal(scene.texts().length, 100);
    assert.ok(tookMs < 5_000, `${tookMs} ms`);
    await scene.rewindAlone("undo");
    assert.equal(scene.texts().length, 1_001);
  });
});

Deno.test("deleteSession() removes what was kept of files", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    await scene.write("a.txt", "old");
    await scene.write("a.txt", "new");
    const hash = String(store.database.get("SELECT hash FROM blobs")?.hash);
    const path = blobPath(store.stateRoot, hash);
    assert.equal(await Deno.readTextFile(path), "old");
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
      assert.equal(((await Deno.stat(`${store.stateRoot}/blobs`)).mode ?? 0) & 0o777, 0o700);
    }
    store.deleteSession(id);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    assert.equal(store.database.get("SELECT count(*) AS n FROM file_changes")?.n, 0);
  });
});

Deno.test("rewindSession() does what was shown, or nothing", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    scene.say("one");
    scene.say("two");
    const signal = new AbortController().signal;
    const point = findPoint(store, id, "3");
    const shown = await planRewind(store, id, point, scene.rules);
    await scene.write("late.txt", "made meanwhile");
    const before = [scene.texts(), await scene.files()];
    await assert.rejects(
      rewindSession(store, id, point, { rules: scene.rules, shown, signal }),
      refusedAs("rewind_refused", /what would be done changed since it was shown/),
    );
    assert.deepEqual([scene.texts(), await scene.files()], before);
    const seen = await planRewind(store, id, point, scene.rules);
    await rewindSession(store, id, point, { rules: scene.rules, shown: seen, signal });
    assert.deepEqual([scene.texts(), await scene.files()], [["one", "to one"], {}]);
  });
});

Deno.test("rewindSession() undoes one rewind where two undo it at once", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    for (const prompt of ["one", "two", "three"]) scene.say(prompt);
    await scene.rewindAlone("5");
    await scene.rewindAlone("3");
    const signal = new AbortController().signal;
    const shown = await planRewind(store, id, "undo");
    assert.deepEqual(shown, await planRewind(store, id, "undo"));
    await rewindSession(store, id, "undo", { shown, signal });
    await assert.rejects(
      rewindSession(store, id, "undo", { shown, signal }),
      refusedAs("rewind_refused"),
    );
    assert.deepEqual(scene.texts(), ["one", "to one", "two", "to two"]);
    assert.equal((await scene.rewindAlone("undo")).before, 5, "that one is undone on its own");
  });
});

Deno.test("rewindSession() names the session that changed a file, and no stranger", async () => {
  await withRewind(async (scene) => {
    const { store } = scene;
    scene.say("one");
    await scene.write("a.txt", "of both");
    await scene.write("b.txt", "of both");
    const copy = await fork(scene, scene.id);
    await scene.write("a.txt", "of the original");
    const conflicts = async () => {
      const plan = await planRewind(store, copy, findPoint(store, copy, "1"), scene.rules);
      return plan.files?.conflicts.map(({ reason }) => reason);
    };
    const named = `it was changed in session ${scene.id.slice(0, 8)} since`;
    assert.deepEqual(await conflicts(), [named]);
    await Deno.writeTextFile(`${scene.workspace}/b.txt`, "of a person");
    const strange = "it was changed by other hands than Alisio's";
    assert.deepEqual(new Set(await conflicts()), new Set([named, strange]));
  });
});

Deno.test("rewindSession() pauses a goal that was worked on since, and leaves others", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    const goals = new GoalStore(store.database);
    for (const prompt of ["one", "two"]) scene.say(prompt);
    const [first, , second] = store.messagesPage(id);
    const done = aGoal({
      sessionId: id,
      status: "complete",
      reason: "model_complete",
      summary: "Done",
      evidence: [{ kind: "test", detail: "test", verified: true }],
      isContractSent: true,
      turnsUsed: 3,
      completedAt: AT,
    });
    goals.put({ ...done, updatedAt: first?.createdAt ?? 0 });
    await scene.rewindAlone("3");
    assert.equal(goals.find(id)?.status, "complete", "it was so before");
    await scene.rewindAlone("undo");
    goals.put({ ...done, updatedAt: second?.createdAt ?? 0 });
    await scene.rewindAlone("3");
    const { updatedAt: _, ...goal } = goals.find(id) ?? done;
    const { updatedAt: __, ...paused } = {
      ...done,
      status: "paused",
      reason: "user_paused",
      detail: "the conversation was put back",
      summary: "",
      evidence: [],
      isContractSent: false,
      completedAt: null,
      epoch: 2,
    };
    assert.deepEqual(goal, paused);
    const copy = await fork(scene, id);
    assert.equal(goals.find(copy), undefined, "a copy begins without one");
    assert.equal(store.session(copy)?.options["rewound"], undefined);
    await scene.rewindAlone("undo");
    const { updatedAt: _at, ...again } = goals.find(id) ?? done;
    const { updatedAt: _was, ...whole } = done;
    assert.deepEqual(again, { ...whole, epoch: 3 }, "undoing brings it back");
    assert.equal(store.session(id)?.options["rewound"], undefined);

    goals.put(done);
    goals.change(id, (each) => each);
    for (const point of ["3", "1", "undo", "undo"]) await scene.rewindAlone(point);
    assert.equal(goals.find(id)?.status, "complete", "through two rewinds");

    goals.put({ ...done, status: "active", reason: "created", completedAt: null });
    goals.change(id, (each) => each);
    await scene.rewindAlone("3");
    await scene.rewindAlone("undo");
    const { status, isContractSent } = goals.find(id) ?? done;
    assert.deepEqual([status, isContractSent], ["paused", true], "it does not go on by itself");
    await scene.rewindAlone("3");
    goals.put({ ...done, id: "g2", objective: "Another" });
    await scene.rewindAlone("undo");
    assert.equal(goals.find(id)?.id, "g2", "one that was set since stays");
  });
});

Deno.test("GoalStore.ranCommands() knows nothing of what was put aside", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    const goals = new GoalStore(store.database);
    scene.say("one");
    scene.say("two");
    const at = store.messagesPage(id).at(-1)?.createdAt ?? 0;
    const call = { sessionId: id, callId: "c1", name: "shell", effect: "process" } as const;
    store.beginCall({ ...call, arguments: '{"command":"make"}', runId: "r", startedAt: at });
    const content = [{ type: "text", text: '{"exitCode":0}' }] as const;
    store.endCall({ sessionId: id, callId: "c1", content, isError: false, endedAt: at + 1 });
    const ran = () => goals.ranCommands({ sessionId: id, createdAt: AT }).length;
    assert.equal(ran(), 1);
    await scene.rewindAlone("3");
    assert.equal(ran(), 0);
    await scene.rewindAlone("undo");
    assert.equal(ran(), 1);
  });
});
