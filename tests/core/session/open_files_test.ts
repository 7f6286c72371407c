import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { dirname, join } from "node:path";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { withTempDir } from "../../support/temp.ts";
import { assertFails, AT, newSession, runSql, user } from "./_support.ts";

const UNIX = Deno.build.os !== "windows";

interface Loss {
  readonly name: string;
  readonly lose: (path: string) => void;
  readonly message: RegExp;
}

const LOSSES: readonly Loss[] = [
  {
    name: "deleted",
    lose: (path) => Deno.removeSync(path),
    message: /the file was deleted or moved while it was in use/,
  },
  {
    name: "deleted with its log",
    lose: (path) => ["", "-wal", "-shm"].forEach((ending) => Deno.removeSync(path + ending)),
    message: /the file was deleted or moved while it was in use/,
  },
  {
    name: "deleted with its folder",
    lose: (path) => Deno.removeSync(dirname(path), { recursive: true }),
    message: /the file was deleted or moved while it was in use/,
  },
  {
    name: "moved with its folder, and a file put there",
    lose: (path) => {
      Deno.renameSync(dirname(path), `${dirname(path)}-moved`);
      Deno.writeTextFileSync(dirname(path), "");
    },
    message: /the file was deleted or moved while it was in use/,
  },
  {
    name: "moved",
    lose: (path) => Deno.renameSync(path, `${path}.old`),
    message: /the file was deleted or moved while it was in use/,
  },
  {
    name: "replaced by a copy of itself",
    lose: (path) => {
      Deno.copyFileSync(path, `${path}.copy`);
      Deno.renameSync(`${path}.copy`, path);
    },
    message: /another file took its place while it was in use/,
  },
  {
    name: "replaced by a link to itself",
    lose: (path) => {
      Deno.renameSync(path, `${path}.old`);
      Deno.symlinkSync(`${path}.old`, path);
    },
    message: /another file took its place while it was in use/,
  },
  {
    name: "emptied",
    lose: (path) => Deno.truncateSync(path),
    message: /the file was cut from \d+ to 0 bytes while it was in use/,
  },
  {
    name: "cut",
    lose: (path) => Deno.truncateSync(path, Deno.statSync(path).size - 4_096),
    message: /the file was cut from \d+ to \d+ bytes while it was in use/,
  },
  {
    name: "left without its log",
    lose: (path) => Deno.removeSync(`${path}-wal`),
    message: /the file that ends in -wal beside it was deleted or replaced/,
  },
  {
    name: "given another log",
    lose: (path) => {
      Deno.renameSync(`${path}-wal`, `${path}-wal.old`);
      Deno.writeTextFileSync(`${path}-wal`, "");
    },
    message: /the file that ends in -wal beside it was deleted or replaced/,
  },
];

/** What must not be mistaken for a loss. */
const CHANGES: readonly (readonly [string, (path: string, round: number) => void])[] = [
  ["nothing", () => {}],
  ["a move of the log into the file", (path) => runSql(path, "PRAGMA wal_checkpoint(TRUNCATE)")],
  ["what another program stored", (path, round) => {
    const other = openSessionStore(path);
    fill(other, `other-${round}`);
    other.close();
  }],
  ["what another program deleted", (path, round) => {
    const other = openSessionStore(path);
    other.deleteSession(`old-${round}`);
    other.close();
  }],
  [
    "what another program tidied up",
    (path, round) => {
      const before = Deno.statSync(path).size;
      const where = `session_id = '${round === 0 ? "s1" : "old-1"}'`;
      const steps = [
        `DELETE FROM messages WHERE ${where}`,
        "VACUUM",
        "PRAGMA wal_checkpoint(TRUNCATE)",
      ];
      runSql(path, steps.join("; "));
      assert.ok(Deno.statSync(path).size < before, "the file has shrunk");
    },
  ],
  ["another mode", (path) => Deno.chmodSync(path, 0o640)],
];

/** Each of the moments at which a run looks. */
const MOMENTS: readonly (readonly [string, (store: SessionStore) => unknown])[] = [
  ["beginRun", (store) => store.beginRun(run("r2"))],
  ["beginCall", (store) => store.beginCall(call("write"))],
  ["beginCall of a read", (store) => store.beginCall(call("read"))],
  ["endRun", (store) => store.endRun({ id: "r1", status: "completed", endedAt: AT })],
];

for (const { name, lose, message } of LOSSES) {
  Deno.test({
    name: `SessionStore stores no run in a file that was ${name}`,
    ignore: !UNIX,
    fn: async () => {
      for (const [moment, look] of MOMENTS) {
        await withFilledStore((store, path) => {
          lose(path);
          const first = assertFails("database_lost", () => look(store));
          assert.match(first.message, message, moment);
          assert.ok(first.message.includes(path), moment);
          const again = assertFails("database_lost", () => store.session("s1"));
          assert.equal(again, first, "nothing more is done with it");
        });
      }
    },
  });
}

for (const [name, change] of CHANGES) {
  Deno.test(`SessionStore goes on after ${name}`, async () => {
    await withFilledStore((store, path) => {
      for (let round = 0; round < 2; round++) {
        change(path, round);
        store.beginRun(run(`again-${round}`));
        store.beginCall({ ...call("write"), callId: `c${round}` });
        store.endRun({ id: `again-${round}`, status: "completed", endedAt: AT });
      }
      assert.equal(store.runs("s1").length, 3, name);
    });
  });
}

Deno.test("SessionStore takes no other database's log away when it closes after a loss", async () => {
  await withFilledStore((store, path) => {
    for (const ending of ["", "-wal", "-shm"]) {
      Deno.renameSync(path + ending, `${path}.old${ending}`);
    }
    const other = new DatabaseSync(path);
    other.exec("PRAGMA journal_mode = WAL; CREATE TABLE songs (id); INSERT INTO songs VALUES (1)");
    assertFails("database_lost", () => store.beginRun(run("r2")));
    store.close();
    assert.ok(Deno.statSync(`${path}-wal`).size > 0);
    assert.deepEqual(other.prepare("SELECT count(*) AS n FROM songs").get()?.n, 1);
    other.close();
  });
});

Deno.test("openSessionStore() moves a file aside that was emptied beside its log", async () => {
  await withTempDir((dir) => {
    for (const isChosen of [false, true]) {
      const path = join(dir, `${isChosen}`, "sessions.sqlite");
      leaveLog(path);
      const log = Deno.readFileSync(`${path}-wal`);
      const read = () => openSessionStore(path, { mode: "read", isChosen });
      assert.match(assertFails("database_corrupt", read).message, /is empty, but its log is not/);
      const notices: string[] = [];
      const store = openSessionStore(path, {
        isChosen,
        onNotice: ({ message }) => notices.push(message),
      });
      assert.deepEqual(store.listSessions({ limit: 5 }), []);
      store.close();
      const [, moved = ""] = /It was moved to "(.*)"; /.exec(notices.join()) ?? [];
      assert.deepEqual(Deno.readFileSync(`${moved}-wal`), log);
    }
  });
});

/** Leaves what a program leaves that is killed after its database was emptied. */
function leaveLog(path: string): void {
  const store = openSessionStore(`${path}.live`);
  fill(store, "s1");
  Deno.copyFileSync(`${path}.live-wal`, `${path}-wal`);
  Deno.writeFileSync(path, new Uint8Array());
  store.close();
}

async function withFilledStore(fn: (store: SessionStore, path: string) => void): Promise<void> {
  await withTempDir(async (dir) => {
    const path = join(await Deno.realPath(dir), "state", "sessions.sqlite");
    const before = openSessionStore(path);
    fill(before, "s1");
    fill(before, "old-0");
    fill(before, "old-1");
    before.close();
    const store = openSessionStore(path);
    store.beginRun(run("r1"));
    try {
      fn(store, path);
    } finally {
      store.close();
    }
  });
}

function fill(store: SessionStore, id: string): void {
  newSession(store, id);
  store.transaction(() => {
    for (let count = 0; count < 60; count++) {
      store.appendMessage(id, user("text ".repeat(300)), AT);
    }
  });
}

function run(id: string) {
  return { id, sessionId: "s1", model: "m", startedAt: AT, ownerPid: Deno.pid };
}

function call(effect: "read" | "write") {
  return {
    sessionId: "s1",
    runId: "r1",
    callId: "c",
    name: "tool",
    effect,
    arguments: "{}",
    startedAt: AT,
  };
}
