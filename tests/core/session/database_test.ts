import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../core/session/open_database.ts";
import { withTempDir } from "../../support/temp.ts";
import { assertFails } from "./_support.ts";

type OpenDatabase = ReturnType<typeof openDatabase>;

Deno.test("Database.transaction() stores all or nothing", async () => {
  await withDatabase((db) => {
    assert.throws(() =>
      db.transaction(() => {
        put(db, "a");
        throw new RangeError("stop");
      }), RangeError);
    assert.deepEqual(keys(db), []);
    assert.equal(
      db.transaction(() => {
        put(db, "b");
        return "done";
      }),
      "done",
    );
    assert.deepEqual(keys(db), ["b"]);
  });
});

Deno.test("Database waits for another process once, and again after a success", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "sessions.sqlite");
    const db = openDatabase(path, { busyTimeoutMs: 400 });
    const other = new DatabaseSync(path);
    const waits = () => {
      const startedAt = performance.now();
      assertFails("database_locked", () => put(db, "a"));
      return performance.now() - startedAt;
    };
    for (let round = 0; round < 2; round++) {
      other.exec("BEGIN IMMEDIATE");
      assert.ok(waits() >= 380, "the first wait is as long as it was set");
      assert.ok(waits() < 380, "the second one is short");
      other.exec("ROLLBACK");
      put(db, `${round}`);
    }
    other.close();
    db.close();
  });
});

Deno.test("Database.transaction() joins the one that it is in", async () => {
  await withDatabase((db) => {
    assert.throws(() =>
      db.transaction(() => {
        db.transaction(() => put(db, "inner"));
        db.durableTransaction(() => put(db, "durable"));
        throw new RangeError("stop");
      }), RangeError);
    assert.deepEqual(keys(db), []);
    db.transaction(() => db.durableTransaction(() => put(db, "kept")));
    assert.deepEqual(keys(db), ["kept"]);
  });
});

Deno.test("Database.transaction() refuses an asynchronous function", async () => {
  await withDatabase((db) => {
    const later = () => {
      put(db, "a");
      return Promise.reject(new Error("late"));
    };
    assert.throws(() => db.transaction(later), /asynchronous function in a transaction/);
    assert.deepEqual(keys(db), []);
  });
});

Deno.test("Database goes on after a statement that failed", async () => {
  await withDatabase((db) => {
    put(db, "a");
    assert.throws(() => db.run("INSERT INTO plugin_state VALUES ('p', 'a', '1')"), TypeError);
    assertFails("database_unusable", () => db.get("SELECT nothing FROM nowhere"));
    put(db, "b");
    assert.deepEqual(keys(db), ["a", "b"]);
  });
});

Deno.test("Database.close() may be called twice, and nothing works after it", async () => {
  await withDatabase((db) => {
    db.close();
    db.close();
    assert.throws(() => keys(db), /it is closed/);
  });
});

async function withDatabase(fn: (db: OpenDatabase) => void): Promise<void> {
  await withTempDir((dir) => {
    const db = openDatabase(join(dir, "sessions.sqlite"));
    try {
      fn(db);
    } finally {
      db.close();
    }
  });
}

function put(db: OpenDatabase, key: string): void {
  db.run("INSERT INTO plugin_state VALUES ('p', ?, '1')", key);
}

function keys(db: OpenDatabase): readonly unknown[] {
  return db.all("SELECT key FROM plugin_state ORDER BY key").map((row) => row.key);
}
