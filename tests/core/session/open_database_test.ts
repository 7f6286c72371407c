import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { OpenDatabaseOptions, StoreNotice } from "../../../core/session/open_database.ts";
import { MIGRATIONS, NEWEST_VERSION } from "../../../core/session/migrations.ts";
import { openSessionStore } from "../../../core/session/session_store.ts";
import { textOf } from "../../../core/session/stored_message.ts";
import { ROOT } from "../../support/paths.ts";
import { withTempDir } from "../../support/temp.ts";
import { assertFails, AT, newSession, runSql, startChild, user } from "./_support.ts";

/** What a schema dump of ours holds. */
const OUR_WORDS = MIGRATIONS.flatMap(({ statements }) => statements).join(";\n");

const FIRST = "5e551011-0000-4000-8000-000000000001";
const SECOND = "5e551011-0000-4000-8000-000000000002";

/** Whether this machine lets a test mount something that nobody else sees. */
const MOUNT = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
const CAN_MOUNT = await canRun([...MOUNT, "mount -t tmpfs tmpfs /mnt"]);

Deno.test("openSessionStore() creates private files in a private folder", async () => {
  await withTempDir((dir) => {
    const folder = join(dir, "a", "state");
    const store = openSessionStore(join(folder, "sessions.sqlite"));
    newSession(store);
    const names = [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
    assert.deepEqual(names, ["sessions.sqlite", "sessions.sqlite-shm", "sessions.sqlite-wal"]);
    for (const name of names) assert.equal(modeOf(join(folder, name)), 0o600, name);
    assert.equal(modeOf(folder), 0o700);
    store.close();
  });
});

Deno.test("openSessionStore() makes a file private that others could read (field case 117)", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    openSessionStore(path).close();
    Deno.chmodSync(path, 0o644);
    openSessionStore(path).close();
    assert.equal(modeOf(path), 0o600);
  });
});

for (const { version, name } of MIGRATIONS) {
  Deno.test(`openSessionStore() brings version ${version} (${name}) to the newest schema`, async () => {
    await withTempDir((dir) => {
      const path = join(dir, "sessions.sqlite");
      runSql(path, readFixture(version));
      const store = openSessionStore(path);
      assert.equal(store.session(FIRST)?.workspace, "/work/shop");
      assert.deepEqual(
        store.listSessions({ limit: 9 }).find((session) => session.id === FIRST)?.title,
        "Fix the 'total'",
      );
      assert.deepEqual(store.loadMessages(FIRST).map((message) => message.role), [
        "user",
        "assistant",
        "tool",
      ]);
      assert.equal(store.listSessions({ limit: 9 }).length, 2);
      assert.deepEqual(store.uncertainCalls(FIRST).map(({ callId, effect }) => [callId, effect]), [
        ["c2", "external"],
      ]);
      assert.equal(store.eventsOf(FIRST)[0]?.eventId, "7");
      assert.deepEqual(store.pluginState("core:btw", "answers"), ["yes"]);
      const texts = (includeCompacted: boolean) =>
        store.loadMessages(SECOND, { includeCompacted })
          .map((message) => message.role === "user" ? textOf(message.content) : "");
      const summary = version >= 6 ? ["What was old"] : [];
      assert.deepEqual(texts(false), version >= 2 ? [...summary, "New"] : []);
      const rewound = version >= 8 ? ["Undone"] : [];
      assert.deepEqual(texts(true), version >= 2 ? ["Old", "New", ...summary, ...rewound] : []);
      assert.equal(store.runs(FIRST)[0]?.requestId, version >= 4 ? "q1" : undefined);
      assert.deepEqual(
        store.decisions().map(({ seq, tool, outcome }) => [seq, tool, outcome]),
        version >= 5 ? [[1, "write_file", "granted"], [2, "shell", "blocked"]] : [],
      );
      store.close();
      assert.deepEqual(readSchema(path), freshSchema(dir));
    });
  });
}

Deno.test("openSessionStore() reads an older file that it may not change", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    runSql(path, readFixture(1));
    const store = openSessionStore(path, { mode: "read" });
    assert.equal(store.loadMessages(FIRST).length, 3);
    store.close();
  });
});

Deno.test("openSessionStore() leaves the versions of plugins to them", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    openSessionStore(path).close();
    runSql(path, "INSERT INTO schema_migrations VALUES (101, 'memory', 0)");
    openSessionStore(path).close();
  });
});

Deno.test("openSessionStore() refuses what it cannot use and says what to do", async (t) => {
  const rows: readonly {
    readonly name: string;
    readonly prepare: (path: string) => void;
    readonly code: Parameters<typeof assertFails>[0];
    readonly message: RegExp;
  }[] = [
    {
      name: "a newer schema",
      prepare: (path) => {
        openSessionStore(path).close();
        runSql(path, `INSERT INTO schema_migrations VALUES (${NEWEST_VERSION + 3}, 'x', 0)`);
      },
      code: "database_newer",
      message: /schema is version 13, this program knows up to 10. Update Alisio/,
    },
    {
      name: "a database of another program",
      prepare: (path) => runSql(path, "CREATE TABLE songs (id)"),
      code: "database_unusable",
      message: /holds tables of another program. Choose another file with "--db"/,
    },
    {
      name: "a folder",
      prepare: (path) => Deno.mkdirSync(path),
      code: "database_unusable",
      message: /it is not a file/,
    },
  ];
  for (const { name, prepare, code, message } of rows) {
    for (const mode of ["write", "read"] as const) {
      await t.step(`${name}, ${mode}`, () =>
        withTempDir((dir) => {
          const path = join(dir, "sessions.sqlite");
          prepare(path);
          const before = listFiles(dir);
          const error = assertFails(code, () => openSessionStore(path, { mode }));
          if (mode === "write") assert.match(error.message, message);
          assert.ok(error.message.includes(path), error.message);
          const after = listFiles(dir).filter((file) => !/-(?:wal|shm)$/.test(file));
          assert.deepEqual(after, before);
        }));
    }
  }
});

Deno.test("openSessionStore() reads a missing file as an empty one and creates nothing", async () => {
  await withTempDir((dir) => {
    const store = openSessionStore(join(dir, "none.sqlite"), { mode: "read" });
    assert.deepEqual(store.listSessions({ limit: 5 }), []);
    store.close();
    assert.deepEqual(listFiles(dir), []);
  });
});

Deno.test("openSessionStore() moves a damaged file aside unchanged (field case 147)", async (t) => {
  const rows: readonly {
    readonly name: string;
    readonly damage: (file: Uint8Array) => Uint8Array;
  }[] = [
    { name: "text", damage: () => new TextEncoder().encode("not a database\n".repeat(50)) },
    { name: "cut in the middle", damage: (file) => file.subarray(0, file.length / 2) },
    { name: "cut in the first page", damage: (file) => file.subarray(0, 700) },
    { name: "pages overwritten", damage: (file) => file.fill(0xa5, 40_960, 81_920) },
    { name: "pages blank", damage: (file) => file.fill(0, 40_960, 81_920) },
    { name: "header blank", damage: (file) => file.fill(0, 0, 100) },
    { name: "schema overwritten", damage: (file) => file.fill(0x41, 100, 4_096) },
  ];
  for (const { name, damage } of rows) {
    await t.step(name, () =>
      withTempDir((dir) => {
        const path = join(dir, "sessions.sqlite");
        writeSessions(path, 60);
        const damaged = damage(Deno.readFileSync(path)).slice();
        Deno.writeFileSync(path, damaged);

        const notices: StoreNotice[] = [];
        const store = openSessionStore(path, { onNotice: (notice) => notices.push(notice) });
        newSession(store, "new");
        store.appendMessage("new", user("Works"), AT);
        assert.equal(store.listSessions({ limit: 5 })[0]?.title, "Works");
        store.close();

        const moved = listFiles(dir).filter((file) => file.includes(".damaged-"));
        assert.deepEqual(moved.filter((file) => !/-(?:wal|shm)$/.test(file)).length, 1);
        assert.deepEqual(Deno.readFileSync(join(dir, moved[0] ?? "")), damaged);
        assert.deepEqual(notices.map((notice) => notice.code), ["database_replaced"]);
        assert.ok(notices[0]?.message.includes(path), notices[0]?.message);
        assert.ok(notices[0]?.message.includes(moved[0] ?? "?"), notices[0]?.message);
        openSessionStore(path, { onNotice: () => assert.fail() }).close();
      }));
  }
});

Deno.test("openSessionStore() leaves a file alone that a person named by mistake", async (t) => {
  const rows: readonly {
    readonly name: string;
    readonly prepare: (path: string) => void;
    readonly message: RegExp;
  }[] = [
    {
      name: "notes",
      prepare: (path) => Deno.writeTextFileSync(path, "x\n"),
      message: /it is another kind of file, or damaged beyond recognition/,
    },
    {
      name: "a text about our tables",
      prepare: (path) => Deno.writeTextFileSync(path, OUR_WORDS.padEnd(8_192, "-")),
      message: /it is another kind of file/,
    },
    {
      name: "a picture",
      prepare: (path) => Deno.writeFileSync(path, new Uint8Array(100_000).map((_, i) => i % 251)),
      message: /it is another kind of file/,
    },
    {
      name: "a file of blanks",
      prepare: (path) => Deno.writeFileSync(path, new Uint8Array(8_192)),
      message: /it is another kind of file/,
    },
    {
      name: "notes beside a log that is no log",
      prepare: (path) => {
        Deno.writeTextFileSync(path, "x\n");
        Deno.writeTextFileSync(`${path}-wal`, "y\n");
      },
      message: /it is another kind of file/,
    },
    {
      name: "a database of another program",
      prepare: (path) => runSql(path, "CREATE TABLE songs (id)"),
      message: /holds tables of another program/,
    },
    {
      name: "a damaged database of another program",
      prepare: (path) => {
        runSql(path, "CREATE TABLE songs (id); CREATE TABLE tool_calls (id)");
        Deno.writeFileSync(path, Deno.readFileSync(path).subarray(0, 5_000));
      },
      message: /it is another kind of file, or damaged beyond recognition/,
    },
    {
      name: "a damaged database of another program, with its log",
      prepare: (path) => {
        const live = new DatabaseSync(`${path}-live`);
        live.exec("PRAGMA journal_mode = WAL; CREATE TABLE songs (id)");
        const bytes = Deno.readFileSync(`${path}-live`).fill(0, 0, 100);
        Deno.writeFileSync(path, bytes);
        Deno.copyFileSync(`${path}-live-wal`, `${path}-wal`);
        live.close();
        Deno.removeSync(`${path}-live`);
      },
      message: /holds tables of another program|it is another kind of file/,
    },
  ];
  for (const { name, prepare, message } of rows) {
    for (const mode of ["write", "read"] as const) {
      await t.step(`${name}, ${mode}`, () =>
        withTempDir((dir) => {
          const path = join(dir, "notes.txt");
          prepare(path);
          Deno.chmodSync(path, 0o644);
          const before = contents(dir);
          const options = { mode, isChosen: true, onNotice: () => assert.fail() };
          const error = assertFails("database_unusable", () => openSessionStore(path, options));
          if (mode === "write") assert.match(error.message, message);
          assert.ok(error.message.includes(path), error.message);
          const after = contents(dir);
          after.delete("notes.txt-shm");
          if (mode === "read" && !before.has("notes.txt-wal")) after.delete("notes.txt-wal");
          assert.deepEqual(after, before);
          assert.equal(modeOf(path), 0o644);
        }));
    }
  }
});

Deno.test("openSessionStore() takes a file that a person named where it is ours or empty", async (t) => {
  const rows: readonly {
    readonly name: string;
    readonly prepare: (path: string) => void;
    readonly isMoved: boolean;
  }[] = [
    { name: "none", prepare: () => {}, isMoved: false },
    { name: "an empty one", prepare: (path) => Deno.writeTextFileSync(path, ""), isMoved: false },
    { name: "an older one", prepare: (path) => runSql(path, readFixture(1)), isMoved: false },
    { name: "a whole one", prepare: (path) => writeSessions(path, 60), isMoved: false },
    {
      name: "one without a header",
      prepare: (path) => damageSessions(path, (file) => file.fill(0, 0, 100)),
      isMoved: true,
    },
    {
      name: "one that is cut",
      prepare: (path) => damageSessions(path, (file) => file.subarray(0, file.length / 2)),
      isMoved: true,
    },
    {
      name: "one whose pages are overwritten",
      prepare: (path) => damageSessions(path, (file) => file.fill(0xa5, 40_960, 81_920)),
      isMoved: true,
    },
    {
      name: "one that is text by now, beside a log that holds all of it",
      prepare: (path) => {
        const store = openSessionStore(`${path}-live`);
        newSession(store);
        Deno.copyFileSync(`${path}-live-wal`, `${path}-wal`);
        Deno.writeTextFileSync(path, "x\n");
        store.close();
      },
      isMoved: false,
    },
  ];
  for (const { name, prepare, isMoved } of rows) {
    await t.step(name, () =>
      withTempDir((dir) => {
        const path = join(dir, "mine.sqlite");
        prepare(path);
        if (name !== "none") Deno.chmodSync(path, 0o644);
        const old = name === "none" ? undefined : Deno.readFileSync(path);
        const notices: StoreNotice[] = [];
        const onNotice = (notice: StoreNotice) => void notices.push(notice);
        const store = openSessionStore(path, { isChosen: true, onNotice });
        newSession(store, "new");
        store.close();
        assert.equal(notices.length, isMoved ? 1 : 0);
        assert.equal(modeOf(path), 0o600);
        const moved = listFiles(dir).find((file) => /damaged-[^-]*$/.test(file));
        assert.equal(moved !== undefined, isMoved);
        if (moved === undefined) return;
        assert.deepEqual(Deno.readFileSync(join(dir, moved)), old);
        assert.equal(modeOf(join(dir, moved)), 0o600);
      }));
  }
});

Deno.test("openSessionStore() for reading reports damage and moves nothing (field case 147)", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    writeSessions(path, 60);
    Deno.writeFileSync(path, Deno.readFileSync(path).fill(0, 0, 100));
    const before = Deno.readFileSync(path);
    const error = assertFails("database_corrupt", () => openSessionStore(path, { mode: "read" }));
    assert.match(error.message, /the file is damaged .* The next "alisio run" moves it aside/);
    assert.ok(error.message.includes(path));
    assert.deepEqual(listFiles(dir), ["sessions.sqlite"]);
    assert.deepEqual(Deno.readFileSync(path), before);
  });
});

Deno.test("SessionStore stops at damage that it meets later (field case 147)", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    // Too large to be checked whole when it is opened.
    writeSessions(path, 2_000);
    const file = Deno.readFileSync(path);
    file.fill(0xa5, file.length / 2 - 81_920, file.length / 2 + 81_920);
    Deno.writeFileSync(path, file);
    const store = openSessionStore(path);
    const read = () => store.loadMessages("s1");
    const first = assertFails("database_corrupt", read);
    assert.match(first.message, /is damaged and was moved to ".*damaged-.*". Start Alisio again/);
    const second = assertFails("database_corrupt", () => store.appendMessage("s1", user("x"), AT));
    assert.equal(second, first);
    store.close();
    const moved = listFiles(dir).find((name) => /damaged-[^-]*$/.test(name)) ?? "";
    assert.deepEqual(Deno.readFileSync(join(dir, moved)), file);
    const next = openSessionStore(path);
    newSession(next);
    next.close();
  });
});

Deno.test("openSessionStore() gives up on a database that stays locked", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "sessions.sqlite");
    const gate = join(dir, "gate");
    await new Deno.Command("mkfifo", { args: [gate] }).output();
    const child = startChild(["lock", path, gate]);
    assert.equal(await child.line(), "ready");
    const options: OpenDatabaseOptions = { busyTimeoutMs: 50 };
    const error = assertFails("database_locked", () => openSessionStore(path, options));
    assert.match(error.message, /another process keeps it locked. Wait for it or end it/);
    openSessionStore(path, { ...options, mode: "read" }).close();
    await child.kill();
    openSessionStore(path, options).close();
  });
});

Deno.test("openSessionStore() lets several processes create one database at once", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "sessions.sqlite");
    const children = Array.from({ length: 4 }, () => startChild(["create", path, "20"]));
    const ends = await Promise.all(children.map((child) => child.end()));
    assert.deepEqual(ends.map(({ code }) => code), [0, 0, 0, 0]);
    const store = openSessionStore(path);
    assert.equal(store.listSessions({ limit: 1_000 }).length, 80);
    store.close();
  });
});

Deno.test("openSessionStore() waits for readers of a file that has no log yet", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "sessions.sqlite");
    runSql(path, readFixture(NEWEST_VERSION));
    const child = startChild(["share", path]);
    assert.equal(await child.line(), "ready");
    openSessionStore(path).close();
    assert.equal((await child.end()).code, 0);
  });
});

Deno.test({
  name: "SessionStore.beginCall() waits for the disk before a call with an effect",
  ignore: !await canRun(["strace", "-V"]),
  fn: async () => {
    for (const effect of ["read", "write"]) {
      await withTempDir(async (dir) => {
        const path = join(dir, "sessions.sqlite");
        const log = join(dir, "trace");
        const trace = ["strace", "-f", "-y", "-e", "trace=fdatasync,fsync,write", "-o", log];
        const child = startChild(["journal", path, effect], trace);
        await child.end();
        const [, during = ""] = (await Deno.readTextFile(log)).split(/write\(.*"marker\\n"/);
        const isSynced = /f(?:data)?sync\(\d+<.*sessions\.sqlite-wal>\)/.test(during);
        assert.equal(isSynced, effect === "write", during);
      });
    }
  },
});

Deno.test("openSessionStore() replaces a damaged file once for several processes", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "sessions.sqlite");
    for (let round = 0; round < 3; round++) {
      await Deno.writeTextFile(path, "not a database\n".repeat(1_000));
      const children = Array.from({ length: 4 }, () => startChild(["create", path, "5"]));
      const ends = await Promise.all(children.map((child) => child.end()));
      assert.deepEqual(ends.map(({ code }) => code), [0, 0, 0, 0]);
      const store = openSessionStore(path);
      assert.equal(store.listSessions({ limit: 1_000 }).length, 20);
      store.close();
      const moved = listFiles(dir).filter((file) => /damaged-[^-]*(?:-\d+)?$/.test(file));
      assert.equal(moved.length, round + 1, moved.join());
    }
  });
});

Deno.test({
  name: "SessionStore survives a full disk without a restart (field case 149)",
  ignore: !CAN_MOUNT,
  fn: () =>
    withTempDir(async (dir) => {
      const mount = `mount -t tmpfs -o size=512k tmpfs '${dir}' && exec "$@"`;
      const child = startChild(["full", join(dir, "sessions.sqlite"), dir], [
        ...MOUNT,
        mount,
        "sh",
      ]);
      const { pending, ...rest } = JSON.parse(await child.line());
      const code = "database_full";
      assert.deepEqual(rest, {
        attempts: { message: code, call: code, transaction: code },
        texts: 1,
        after: 2,
      });
      assert.ok(pending < 200, `${pending} calls of 200 fit`);
      assert.equal((await child.end()).code, 0);
    }),
});

Deno.test({
  name: "SessionStore reports a limit on the size of its file (field case 149)",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      const limit = `ulimit -f 4000; trap "" XFSZ; exec "$@"`;
      const wrapper = ["sh", "-c", limit, "sh"];
      const child = startChild(["limit", join(dir, "sessions.sqlite")], wrapper);
      assert.deepEqual(JSON.parse(await child.line()), { code: "database_full", isReadable: true });
      await child.end();
    }),
});

Deno.test({
  name: "openSessionStore() reads on a read-only file system (field case 149)",
  ignore: !CAN_MOUNT,
  fn: async (t) => {
    const rows = [
      { name: "closed well", isOpen: false, version: NEWEST_VERSION },
      { name: "with a log", isOpen: true, version: NEWEST_VERSION },
      { name: "of an older version", isOpen: false, version: 1 },
    ];
    for (const { name, isOpen, version } of rows) {
      await t.step(name, () =>
        withTempDir(async (dir) => {
          const path = join(dir, "sessions.sqlite");
          if (version < NEWEST_VERSION) {
            runSql(path, readFixture(version).replaceAll(FIRST, "s1").replaceAll(SECOND, "s2"));
            runSql(
              path,
              "DELETE FROM sessions WHERE id = 's2'; DELETE FROM messages WHERE seq > 1",
            );
          }
          const store = openForTest(path, version);
          const mount = `mount --bind '${dir}' '${dir}' && mount -o remount,bind,ro '${dir}' && ` +
            'exec "$@"';
          if (!isOpen) store?.close();
          const child = startChild(["read-only", path], [...MOUNT, mount, "sh"]);
          const title = version === 1 ? "Fix the 'total'" : "Before";
          assert.deepEqual(JSON.parse(await child.line()), {
            write: "database_read_only",
            titles: [title],
            messages: 1,
            append: version === 1 || !isOpen ? "none" : "database_read_only",
          });
          assert.equal((await child.end()).code, 0);
          store?.close();
        }));
    }
  },
});

Deno.test("openSessionStore() opens quickly", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    writeSessions(path, 2_000);
    openSessionStore(path).close();
    const startedAt = performance.now();
    openSessionStore(path).close();
    assert.ok(performance.now() - startedAt < 250);
  });
});

function openForTest(
  path: string,
  version: number,
): ReturnType<typeof openSessionStore> | undefined {
  if (version < NEWEST_VERSION) return undefined;
  const store = openSessionStore(path);
  newSession(store);
  store.appendMessage("s1", user("Before"), AT);
  return store;
}

function writeSessions(path: string, messages: number): void {
  const store = openSessionStore(path);
  newSession(store);
  store.transaction(() => {
    for (let i = 0; i < messages; i++) {
      store.appendMessage("s1", user(`${i} `.padEnd(1_500, "text ")), AT);
    }
  });
  store.close();
}

function damageSessions(path: string, damage: (file: Uint8Array) => Uint8Array): void {
  writeSessions(path, 60);
  Deno.writeFileSync(path, damage(Deno.readFileSync(path)).slice());
}

function contents(dir: string): Map<string, Uint8Array> {
  return new Map(listFiles(dir).map((name) => [name, Deno.readFileSync(join(dir, name))]));
}

function readFixture(version: number): string {
  return Deno.readTextFileSync(join(ROOT, "tests", "fixtures", "db", `v${version}.sql`));
}

function readSchema(path: string): readonly unknown[] {
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    return connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
  } finally {
    connection.close();
  }
}

function freshSchema(dir: string): readonly unknown[] {
  const path = join(dir, "fresh.sqlite");
  openSessionStore(path).close();
  return readSchema(path);
}

function listFiles(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map((entry) => entry.name)
    .filter((name) => name !== "locks").sort();
}

function modeOf(path: string): number {
  return (Deno.statSync(path).mode ?? 0) & 0o777;
}

async function canRun([program = "", ...args]: readonly string[]): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const run = new Deno.Command(program, { args, stdout: "null", stderr: "null" });
  return await run.output().then(({ success }) => success, () => false);
}
