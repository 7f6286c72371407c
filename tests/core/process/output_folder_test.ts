import assert from "node:assert/strict";
import { join } from "node:path";
import { createOutputLog, outputLogName } from "../../../core/process/output_folder.ts";
import { DENO, ROOT } from "../../support/paths.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };
const MAX_BYTES = 10 * 1024 * 1024;

const names = async (folder: string) =>
  (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();

function create(workspace: string, name = outputLogName("call")): void {
  createOutputLog({ workspace, name }, MAX_BYTES).close();
}

Deno.test("createOutputLog() creates a folder that Git does not see", async () => {
  await withTempDir(async (workspace) => {
    const git = async (...args: readonly string[]) => {
      const { success, stdout, stderr } = await new Deno.Command("git", {
        args: [...args],
        cwd: workspace,
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout);
    };
    await git("init", "-q");
    await writeTree(workspace, { "mine.txt": "x" });
    create(workspace);
    await git("add", "-A");
    assert.equal(await git("status", "--porcelain"), "A  mine.txt\n");
  });
});

Deno.test("createOutputLog() leaves a .gitignore alone that is there", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { ".alisio/cache/.gitignore": "mine\n" });
    create(workspace);
    const path = join(workspace, ".alisio", "cache", ".gitignore");
    assert.equal(await Deno.readTextFile(path), "mine\n");
  });
});

Deno.test("createOutputLog() keeps the newest logs and whatever is no log", async () => {
  await withTempDir(async (workspace) => {
    const folder = join(workspace, ".alisio", "cache", "output");
    const log = (index: number) => `call-${String(index).padStart(8, "0")}.log`;
    const others = ["call.log", "notes-0123abcd.txt", ".hidden"];
    await writeTree(
      folder,
      Object.fromEntries([...Array.from({ length: 60 }, (_, i) => log(i)), ...others].map(
        (name) => [name, "x"],
      )),
    );
    for (let index = 0; index < 60; index++) {
      // The order of the names is not that of the times.
      await Deno.utime(join(folder, log(index)), 1_000_000, 1_000_000 + (index * 7) % 60);
    }
    create(workspace, "new-0123abcd.log");
    const kept = Array.from({ length: 60 }, (_, i) => i).filter((i) => (i * 7) % 60 >= 11).map(log);
    assert.equal(kept.length, 49);
    assert.deepEqual(await names(folder), [...kept, ...others, "new-0123abcd.log"].sort());
  });
});

Deno.test("createOutputLog() bounds the bytes of all logs together", async () => {
  await withTempDir(async (workspace) => {
    const folder = join(workspace, ".alisio", "cache", "output");
    const MiB = 1024 * 1024;
    for (const [index, size] of [100 * MiB, 100 * MiB, 80 * MiB, 10 * MiB].entries()) {
      const path = join(folder, `call-0000000${index}.log`);
      await writeTree(folder, { [`call-0000000${index}.log`]: "" });
      await Deno.truncate(path, size);
      await Deno.utime(path, 1_000_000, 1_000_000 + index);
    }
    create(workspace, "new-0123abcd.log");
    // 10 + 80 + 100, and 10 for the new one.
    assert.deepEqual(await names(folder), [
      "call-00000001.log",
      "call-00000002.log",
      "call-00000003.log",
      "new-0123abcd.log",
    ]);
  });
});

Deno.test("createOutputLog() follows no link that a repository brings", unixOnly, async () => {
  for (const link of [".alisio", ".alisio/cache", ".alisio/cache/output"]) {
    await withTempDir(async (dir) => {
      const workspace = join(dir, "work");
      const outside = join(dir, "outside");
      await writeTree(outside, { "cache/output/old-0123abcd.log": "x", "old-0123abcd.log": "x" });
      await Deno.mkdir(join(workspace, link, ".."), { recursive: true });
      await Deno.symlink(outside, join(workspace, link));
      assert.throws(() => create(workspace), Deno.errors.NotADirectory);
      assert.deepEqual(await names(outside), ["cache", "old-0123abcd.log"]);
      assert.deepEqual(await names(join(outside, "cache")), ["output"]);
      assert.deepEqual(await names(join(outside, "cache", "output")), ["old-0123abcd.log"]);
    });
  }
});

Deno.test("createOutputLog() works where the cache alone may be written to", async () => {
  await withTempDir(async (workspace) => {
    const cache = join(workspace, ".alisio", "cache");
    const run = async () => {
      const module = JSON.stringify(`file://${ROOT}/core/process/output_folder.ts`);
      const script = `
        import { createOutputLog } from ${module};
        const log = { workspace: ${JSON.stringify(workspace)}, name: "call-0123abcd.log" };
        try {
          createOutputLog(log, 1).close();
          console.log("created");
        } catch (error) {
          console.log(error.name);
        }`;
      const { stdout, stderr } = await new Deno.Command(DENO, {
        args: [
          "run",
          "--no-prompt",
          "--no-check",
          `--allow-read=${workspace}`,
          `--allow-write=${cache}`,
          `data:application/typescript,${encodeURIComponent(script)}`,
        ],
        cwd: ROOT,
      }).output();
      return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    };
    assert.equal(await run(), "created\n");
    assert.deepEqual(await names(workspace), [".alisio"]);
    assert.deepEqual(await names(join(workspace, ".alisio")), ["cache"]);
    assert.deepEqual(await names(cache), [".gitignore", "output"]);
    await Deno.remove(join(cache, "output"), { recursive: true });
    assert.equal(await run(), "created\n");
  });
});

Deno.test("outputLogName() takes plain characters only, and never the same name", () => {
  for (const callId of ["call_1", "../../etc/passwd", "a/b\\c\0d", "ü".repeat(500), ""]) {
    const name = outputLogName(callId);
    assert.match(name, /^[A-Za-z0-9_-]{1,60}-[0-9a-f]{8}\.log$/);
    assert.notEqual(name, outputLogName(callId));
  }
});
