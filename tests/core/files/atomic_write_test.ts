import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "../../../core/files/atomic_write.ts";
import { sha256Hex } from "../../../core/files/sha256.ts";
import { DENO } from "../../support/paths.ts";
import { withTempDir } from "../../support/temp.ts";

const CHILD = fileURLToPath(new URL("./_replace_file_child.ts", import.meta.url));
const signal = new AbortController().signal;

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

async function hashOf(path: string): Promise<string> {
  return await sha256Hex(await Deno.readFile(path));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) names.push(entry.name);
  return names.sort();
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.lstat(path)).mode ?? 0) & 0o7777;
}

Deno.test("replaceFile() replaces content and returns the hash that the next call uses (field case 67)", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    await Deno.writeTextFile(path, "one");
    const first = await replaceFile(path, encode("two"), {
      expectedHash: await hashOf(path),
      signal,
    });
    await Deno.utime(path, 1, 1);
    const second = await replaceFile(path, encode("three"), { expectedHash: first.sha256, signal });
    strictEqual(second.sha256, await hashOf(path));
    strictEqual(await Deno.readTextFile(path), "three");
    deepStrictEqual(await namesIn(dir), ["a.txt"]);
  });
});

Deno.test("replaceFile() creates a file and its folders, once", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "new/deep/a.txt");
    await replaceFile(path, encode("one"), { expectedHash: null, signal });
    strictEqual(await Deno.readTextFile(path), "one");
    strictEqual(await modeOf(path), 0o666 & ~Deno.umask());
    await rejects(replaceFile(path, encode("two"), { expectedHash: null, signal }), {
      name: "FileError",
      code: "already_exists",
    });
    strictEqual(await Deno.readTextFile(path), "one");
    deepStrictEqual(await namesIn(join(dir, "new/deep")), ["a.txt"]);
  });
});

Deno.test("replaceFile() refuses content that has changed (field case 68)", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    await Deno.writeTextFile(path, "one");
    const expectedHash = await hashOf(path);
    await Deno.writeTextFile(path, "changed meanwhile");
    await rejects(replaceFile(path, encode("two"), { expectedHash, signal }), { code: "changed" });
    strictEqual(await Deno.readTextFile(path), "changed meanwhile");
    await Deno.remove(path);
    await rejects(replaceFile(path, encode("two"), { expectedHash, signal }), {
      code: "not_found",
    });
    deepStrictEqual(await namesIn(dir), []);
  });
});

Deno.test("replaceFile() sees a change that comes while it waits for the lock (field case 68)", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    await Deno.writeTextFile(path, "one");
    const expectedHash = await hashOf(path);
    using holder = await Deno.open(path, { read: true, write: true });
    await holder.lock(true);
    const written = replaceFile(path, encode("two"), { expectedHash, signal });
    const refused = rejects(written, { code: "changed" });
    await Deno.writeTextFile(join(dir, "b.txt"), "replaced by another program");
    await Deno.rename(join(dir, "b.txt"), path);
    await holder.unlock();
    await refused;
    strictEqual(await Deno.readTextFile(path), "replaced by another program");
  });
});

Deno.test("replaceFile() gives up on a lock that is never released, and on cancellation", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    await Deno.writeTextFile(path, "one");
    const expectedHash = await hashOf(path);
    using holder = await Deno.open(path, { read: true, write: true });
    await holder.lock(true);
    const impatient = replaceFile(path, encode("two"), { expectedHash, signal, lockTimeoutMs: 30 });
    await rejects(impatient, { name: "FileError", code: "locked" });
    const controller = new AbortController();
    const cancelled = replaceFile(path, encode("two"), { expectedHash, signal: controller.signal });
    controller.abort(new Error("cancelled by the test"));
    await rejects(cancelled, { message: "cancelled by the test" });
    strictEqual(await Deno.readTextFile(path), "one");
    deepStrictEqual(await namesIn(dir), ["a.txt"]);
  });
});

for (const mode of [0o755, 0o600, 0o664, 0o4755]) {
  Deno.test({
    name: `replaceFile() keeps mode ${mode.toString(8)} (field case 71)`,
    ignore: Deno.build.os === "windows",
    fn: async () => {
      await withTempDir(async (dir) => {
        const path = join(dir, "a.sh");
        await Deno.writeTextFile(path, "one");
        await Deno.chmod(path, mode);
        await replaceFile(path, encode("two"), { expectedHash: await hashOf(path), signal });
        strictEqual(await modeOf(path), mode);
      });
    },
  });
}

Deno.test({
  name: "replaceFile() never shows content to more readers than before (field case 71)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      const path = join(dir, "secret.txt");
      await Deno.writeTextFile(path, "one");
      await Deno.chmod(path, 0o600);
      const watcher = Deno.watchFs(dir);
      const options = { expectedHash: await hashOf(path), signal };
      const done = replaceFile(path, new Uint8Array(64_000_000), options)
        .finally(() => watcher.close());
      const modes: number[] = [];
      for await (const event of watcher) {
        const temp = event.paths.find((changed) => changed.endsWith(".tmp"));
        if (temp !== undefined) modes.push(await modeOf(temp).catch(() => 0));
      }
      await done;
      ok(modes.some((mode) => mode !== 0), "the temporary file was never seen");
      deepStrictEqual(modes.filter((mode) => (mode & 0o077) !== 0), []);
      strictEqual(await modeOf(path), 0o600);
    });
  },
});

Deno.test({
  name: "replaceFile() refuses a read-only file (field case 73)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      const path = join(dir, "a.txt");
      await Deno.writeTextFile(path, "one");
      await Deno.chmod(path, 0o444);
      const expectedHash = await hashOf(path);
      await rejects(replaceFile(path, encode("two"), { expectedHash, signal }), {
        code: "read_only",
      });
      strictEqual(await Deno.readTextFile(path), "one");
      await Deno.chmod(path, 0o644);
      await replaceFile(path, encode("two"), { expectedHash, signal });
      strictEqual(await Deno.readTextFile(path), "two");
    });
  },
});

Deno.test({
  name: "replaceFile() refuses what is no regular file",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      const fifo = join(dir, "fifo");
      await new Deno.Command("mkfifo", { args: [fifo] }).output();
      await Deno.writeTextFile(join(dir, "file"), "");
      await Deno.symlink("file", join(dir, "link"));
      await Deno.symlink(dir, join(dir, "folder-link"));
      const rows: readonly (readonly [string, string])[] = [
        [dir, "is_folder"],
        [fifo, "not_a_file"],
        ["/dev/null", "not_a_file"],
        [join(dir, "link"), "path_changed"],
        [join(dir, "folder-link/file"), "path_changed"],
        [join(dir, "folder-link/new"), "path_changed"],
        [join(dir, "file/x"), "not_a_file"],
        [join(dir, "file/x/y"), "not_found"],
      ];
      for (const [path, code] of rows) {
        const written = replaceFile(path, encode("x"), { expectedHash: null, signal });
        await rejects(written, { name: "FileError", code }, path);
      }
      deepStrictEqual(await namesIn(dir), ["fifo", "file", "folder-link", "link"]);
    });
  },
});

interface ChildResult {
  readonly outcome: string;
  readonly message?: string;
}

async function runChild(command: Deno.Command): Promise<ChildResult> {
  const { stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout);
  ok(text !== "", new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

Deno.test({
  name: "replaceFile() leaves the old content and no remains when the disk is full (field case 74)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      const path = join(dir, "a.txt");
      await Deno.writeTextFile(path, "old");
      // A limit on the size of files needs no privilege and stops a write half way for real.
      const limited = 'trap "" XFSZ; ulimit -f 1024; exec "$@"';
      const run = ["-c", limited, "sh", DENO, "run", "-A", "--no-check", "--cached-only", CHILD];
      for (const [file, hash] of [[path, await hashOf(path)], [join(dir, "new.txt"), "null"]]) {
        const args = [...run, file ?? "", hash ?? "", "8000000"];
        const result = await runChild(new Deno.Command("sh", { args, stdout: "piped" }));
        strictEqual(result.outcome, "no_space");
        match(result.message ?? "", /the limit on the size of files is reached/);
      }
      strictEqual(await Deno.readTextFile(path), "old");
      deepStrictEqual(await namesIn(dir), ["a.txt"]);
    });
  },
});

Deno.test("replaceFile() killed half way leaves the old content, and the next write tidies up (field case 74)", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    await Deno.writeTextFile(path, "old");
    const expectedHash = await hashOf(path);
    const watcher = Deno.watchFs(dir);
    const child = new Deno.Command(DENO, {
      args: ["run", "-A", "--no-check", CHILD, path, expectedHash, "400000000"],
      stdout: "null",
      stderr: "null",
    }).spawn();
    const ended = child.status.finally(() => watcher.close());
    let killed = false;
    for await (const event of watcher) {
      const isWriting = event.paths.some((changed) => changed.endsWith(".tmp"));
      if (killed || !isWriting || event.kind !== "modify") continue;
      killed = true;
      child.kill("SIGKILL");
    }
    strictEqual((await ended).signal, "SIGKILL");
    strictEqual(await Deno.readTextFile(path), "old");
    const leftover = (await namesIn(dir)).find((name) => name.endsWith(".tmp"));
    match(leftover ?? "", new RegExp(`^\\.alisio-${child.pid}-`));
    await replaceFile(path, encode("new"), { expectedHash, signal });
    strictEqual(await Deno.readTextFile(path), "new");
    deepStrictEqual(await namesIn(dir), ["a.txt"]);
  });
});

Deno.test("replaceFile() leaves alone the temporary file of a writer that lives (field case 74)", async () => {
  await withTempDir(async (dir) => {
    const names = [".alisio-1-0123456789abcdef.tmp", ".alisio-notes.tmp"];
    for (const name of names) await Deno.writeTextFile(join(dir, name), "");
    using living = await Deno.open(join(dir, names[0] ?? ""), { read: true, write: true });
    await living.lock(true);
    await replaceFile(join(dir, "a"), encode("x"), { expectedHash: null, signal });
    deepStrictEqual(await namesIn(dir), [...names, "a"]);
    await living.unlock();
    await replaceFile(join(dir, "b"), encode("x"), { expectedHash: null, signal });
    deepStrictEqual(await namesIn(dir), [".alisio-notes.tmp", "a", "b"]);
  });
});

Deno.test("replaceFile() lets exactly one of many writers win (field case 70)", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    for (const start of [null, "old"]) {
      if (start !== null) await Deno.writeTextFile(path, start);
      const expectedHash = start === null ? null : await hashOf(path);
      const results = await Promise.allSettled(
        Array.from(
          { length: 12 },
          (_, index) => replaceFile(path, encode(`writer ${index}`), { expectedHash, signal }),
        ),
      );
      const winners = results.flatMap((result, index) =>
        result.status === "fulfilled" ? [index] : []
      );
      strictEqual(winners.length, 1);
      strictEqual(await Deno.readTextFile(path), `writer ${winners[0]}`);
      deepStrictEqual(await namesIn(dir), ["a.txt"]);
      await Deno.remove(path);
    }
  });
});

Deno.test("replaceFile() reports a refusal of the runtime as such", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a.txt");
    await Deno.writeTextFile(path, "one");
    const source = fileURLToPath(new URL("../../../", import.meta.url));
    const result = await runChild(
      new Deno.Command(DENO, {
        args: [
          "run",
          "--no-prompt",
          "--no-check",
          `--allow-read=${dir},${source}`,
          CHILD,
          path,
          await hashOf(path),
          "1",
        ],
      }),
    );
    strictEqual(result.outcome, "not_capable");
    strictEqual(await Deno.readTextFile(path), "one");
  });
});
