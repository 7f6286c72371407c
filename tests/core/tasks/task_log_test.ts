import assert from "node:assert/strict";
import { join } from "node:path";
import { readTaskLog } from "../../../core/tasks/read_task_log.ts";
import { LOG_TAIL_BYTES, TaskLog } from "../../../core/tasks/task_log.ts";
import { withTempDir } from "../../support/temp.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Writes pieces into a log of 10 bytes, and returns what is in it before and after its end. */
async function logOf(
  pieces: readonly Uint8Array[],
): Promise<{ readonly before: string; readonly after: string; readonly isTruncated: boolean }> {
  const result = { before: "", after: "", isTruncated: false };
  await withTempDir(async (dir) => {
    const path = join(dir, "tasks", "a.log");
    const log = new TaskLog(path, 10);
    for (const piece of pieces) log.write(piece);
    result.before = await Deno.readTextFile(path);
    log.close();
    result.after = await Deno.readTextFile(path);
    result.isTruncated = log.isTruncated;
    assert.equal(log.bytes, (await Deno.stat(path)).size);
  });
  return result;
}

Deno.test("TaskLog keeps the beginning to the end of its last character, and the end", async (t) => {
  const rest = "x".repeat(LOG_TAIL_BYTES);
  const rows: readonly {
    readonly name: string;
    readonly pieces: readonly string[];
    readonly before: string;
    readonly after: string;
    readonly isTruncated?: boolean;
  }[] = [
    { name: "little", pieces: ["abc", "def"], before: "abcdef", after: "abcdef" },
    { name: "as much as fits", pieces: ["0123456789"], before: "0123456789", after: "0123456789" },
    {
      name: "no more than the end holds",
      pieces: ["0123456789", "abc"],
      before: "0123456789",
      after: "0123456789abc",
    },
    {
      name: "a character across the limit",
      pieces: ["012345678é", "z"],
      before: "012345678é",
      after: "012345678éz",
    },
    {
      name: "too much",
      pieces: ["0123456789", "lost", rest],
      before: "0123456789",
      after:
        `0123456789\n[output cut: 4 bytes are left out here; the last ${LOG_TAIL_BYTES} bytes follow]\n${rest}`,
      isTruncated: true,
    },
    {
      name: "an end that would begin inside a character",
      pieces: ["0123456789", `é${rest.slice(1)}`],
      before: "0123456789",
      after: `0123456789\n[output cut: 2 bytes are left out here; the last ${
        LOG_TAIL_BYTES - 1
      } bytes follow]\n${rest.slice(1)}`,
      isTruncated: true,
    },
  ];
  for (const { name, pieces, isTruncated = false, ...texts } of rows) {
    await t.step(name, async () => {
      assert.deepEqual(await logOf(pieces.map(encode)), { ...texts, isTruncated });
    });
  }
  await t.step("a character in pieces across the limit", async () => {
    const [first = 0, second = 0, third = 0] = encode("€");
    const pieces = [
      encode("012345678"),
      ...[first, second, third].map((byte) => Uint8Array.of(byte)),
    ];
    assert.deepEqual(await logOf([...pieces, encode("z")]), {
      before: "012345678€",
      after: "012345678€z",
      isTruncated: false,
    });
  });
});

Deno.test("TaskLog creates a private file in private folders", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "tasks", "s", "a.log");
    new TaskLog(path, 10).close();
    assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    assert.equal((Deno.statSync(join(dir, "tasks", "s")).mode ?? 0) & 0o777, 0o700);
    assert.throws(() => new TaskLog(path, 10), Deno.errors.AlreadyExists);
  });
});

Deno.test("readTaskLog() pages through a log without splitting a character or losing a byte", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.log");
    const text = "a€é😀b".repeat(40);
    await Deno.writeTextFile(path, text);
    for (const limit of [1, 2, 3, 4, 5, 7, 64, 1_000]) {
      let read = "";
      let offset = 0;
      for (let isAtEnd = false; !isAtEnd;) {
        const page = await readTaskLog(path, { offset, limit, isEnded: true });
        assert.ok(page.nextOffset > offset, `limit ${limit} goes on`);
        read += page.text;
        ({ nextOffset: offset, isAtEnd } = page);
      }
      assert.equal(read, text, `limit ${limit}`);
    }
  });
});

Deno.test("readTaskLog() waits for the rest of a character while the task runs", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.log");
    await Deno.writeFile(path, Uint8Array.of(0x61, 0xe2, 0x82));
    const running = await readTaskLog(path, { offset: 0, limit: 100, isEnded: false });
    assert.deepEqual(running, { text: "a", nextOffset: 1, isAtEnd: false });
    const half = await readTaskLog(path, { offset: 1, limit: 100, isEnded: false });
    assert.deepEqual(half, { text: "", nextOffset: 1, isAtEnd: false });
    const ended = await readTaskLog(path, { offset: 0, limit: 100, isEnded: true });
    assert.deepEqual(ended, { text: "a\\xe2\\x82", nextOffset: 3, isAtEnd: true });
  });
});

Deno.test("readTaskLog() gets over what is no text, and a log that is not there", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.log");
    await Deno.writeFile(path, new Uint8Array(100_000));
    const page = await readTaskLog(path, { offset: 0, limit: 65_536, isEnded: true });
    assert.ok(JSON.stringify(page.text).length <= 44_000);
    assert.equal(page.text, "\\x00".repeat(page.nextOffset));
    const past = await readTaskLog(path, { offset: 200_000, limit: 10, isEnded: true });
    assert.deepEqual(past, { text: "", nextOffset: 200_000, isAtEnd: true });
    const missing = await readTaskLog(join(dir, "b"), { offset: 0, limit: 10, isEnded: true });
    assert.deepEqual(missing, { text: "", nextOffset: 0, isAtEnd: true });
  });
});
