import assert from "node:assert/strict";
import { join } from "node:path";
import { isLockHeld, tryLockFile } from "../../../core/session/lock_file.ts";
import { withTempDir } from "../../support/temp.ts";
import { startChild } from "./_support.ts";

Deno.test("tryLockFile() takes a lock once and leaves nothing behind", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "locks", "a.lock");
    assert.equal(isLockHeld(path), false);
    const lock = tryLockFile(path);
    assert.ok(lock);
    assert.equal(isLockHeld(path), true);
    assert.equal(tryLockFile(path), null);
    if (Deno.build.os !== "windows") {
      assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
      assert.equal((Deno.statSync(join(dir, "locks")).mode ?? 0) & 0o777, 0o700);
    }
    lock.release();
    lock.release();
    assert.equal(isLockHeld(path), false);
    assert.deepEqual([...Deno.readDirSync(join(dir, "locks"))], []);
  });
});

Deno.test("tryLockFile() takes a lock whose file was left behind", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "a.lock");
    Deno.writeTextFileSync(path, "");
    const lock = tryLockFile(path);
    assert.ok(lock);
    lock.release();
  });
});

Deno.test("tryLockFile() never gives one lock to two processes", async () => {
  await withTempDir(async (dir) => {
    const args = ["contend", join(dir, "a.lock"), join(dir, "marker"), "1500"];
    const children = Array.from({ length: 4 }, () => startChild(args));
    const ends = await Promise.all(children.map((child) => child.end()));
    assert.deepEqual(ends.map(({ code }) => code), [0, 0, 0, 0]);
  });
});
