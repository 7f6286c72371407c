import assert from "node:assert/strict";
import { dirname } from "node:path";
import { AlisioError } from "../../../core/errors.ts";
import { acquireLease } from "../../../core/session/lease.ts";
import { tryLockFile } from "../../../core/session/lock_file.ts";
import { lockPath } from "../../../core/session/session_files.ts";
import type { SessionStore } from "../../../core/session/session_store.ts";
import { newSession, startChild, withStore } from "./_support.ts";

Deno.test("acquireLease() gives a session to one process at a time (field case 146)", async () => {
  await withStore(async (store) => {
    const child = startChild(["lease", store.path]);
    assert.equal(await child.line(), "held");
    assert.equal(store.isLeased("s1"), true);
    assert.equal(store.listSessions({ limit: 1 })[0]?.state, "running");
    const message = await refusal(store);
    assert.match(message, /^Session is already in use by process \d+ since 20\d\d-.*Z\. End/);
    assert.ok(message.includes(`process ${child.pid} `), message);
    assert.deepEqual(store.loadMessages("s1"), []);
    await child.kill();
    assert.equal(store.isLeased("s1"), false);
    assert.equal(store.listSessions({ limit: 1 })[0]?.state, "idle");
    (await acquireLease(store, "s1")).release();
  });
});

Deno.test("acquireLease() is not held by a child of a dead owner (field case 146)", async () => {
  await withStore(async (store) => {
    const owner = startChild(["lease", store.path, "with-child"]);
    const grandchild = Number(await owner.line());
    Deno.kill(owner.pid, "SIGKILL");
    await owner.end();
    try {
      Deno.kill(grandchild, "SIGCONT");
      (await acquireLease(store, "s1")).release();
    } finally {
      Deno.kill(grandchild, "SIGKILL");
    }
  });
});

Deno.test("acquireLease() is not held by a process that was given the same id", async () => {
  await withStore(async (store) => {
    newSession(store);
    // What a dead owner leaves: its note, and a lock file that nobody holds.
    store.recordOwner("s1", { pid: Deno.ppid, since: 1, token: "1" });
    createLockFile(store);
    assert.equal(store.listSessions({ limit: 1 })[0]?.state, "idle");
    (await acquireLease(store, "s1")).release();
  });
});

Deno.test("acquireLease() does not blame a process that was given the id of a dead owner", async () => {
  await withStore(async (store) => {
    newSession(store);
    const lock = tryLockFile(lockPath(store.stateRoot, "s1"));
    store.recordOwner("s1", { pid: Deno.ppid, since: 1, token: "1" });
    const message = await refusal(store);
    if (Deno.build.os === "linux") assert.match(message, /^Session is already in use\. End/);
    lock?.release();
  });
});

Deno.test("acquireLease() refuses a second lease in the same process", async () => {
  await withStore(async (store) => {
    newSession(store);
    newSession(store, "s2");
    const lease = await acquireLease(store, "s1");
    assert.match(await refusal(store), /^Session is already in use by this process since /);
    const other = await acquireLease(store, "s2");
    assert.equal(store.session("s1")?.owner?.pid, Deno.pid);
    lease.release();
    lease.release();
    assert.equal(store.session("s1")?.owner, undefined);
    (await acquireLease(store, "s1")).release();
    other.release();
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${store.stateRoot}/locks`)), []);
  });
});

Deno.test("acquireLease() is not disturbed by those who look whether it is held", async () => {
  await withStore(async (store) => {
    newSession(store);
    for (let i = 0; i < 20; i++) {
      createLockFile(store);
      const probe = await Deno.open(lockPath(store.stateRoot, "s1"));
      assert.equal(await probe.tryLock(true), true);
      const wanted = acquireLease(store, "s1");
      await new Promise((resolve) => setTimeout(resolve, 1));
      probe.close();
      (await wanted).release();
    }
  });
});

Deno.test("acquireLease() fails for a session that does not exist", async () => {
  await withStore(async (store) => {
    await assert.rejects(acquireLease(store, "s1"), { code: "session_not_found" });
  });
});

function createLockFile(store: SessionStore): void {
  const path = lockPath(store.stateRoot, "s1");
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, "");
}

async function refusal(store: SessionStore): Promise<string> {
  const error = await acquireLease(store, "s1").then(() => null, (error) => error);
  assert.ok(error instanceof AlisioError && error.code === "session_locked", String(error));
  return error.message;
}
