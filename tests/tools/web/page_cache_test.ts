import assert from "node:assert/strict";
import { join } from "node:path";
import { storePage } from "../../../tools/web/page_cache.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const PAGE = { url: "https://example.com/", text: "text", extension: "md" } as const;

Deno.test("storePage() stores a text for its owner alone, under a name of its own", async () => {
  await withTempDir(async (dir) => {
    const path = await storePage(dir, PAGE);
    assert.match(path, /^\.alisio\/cache\/webfetch\/[0-9a-f]{32}\.md$/);
    assert.equal(await Deno.readTextFile(join(dir, path)), "text");
    const { mode } = await Deno.stat(join(dir, path));
    if (Deno.build.os !== "windows") assert.equal((mode ?? 0) & 0o777, 0o600);
    assert.equal(await storePage(dir, PAGE), path);
    assert.notEqual(await storePage(dir, { ...PAGE, text: "other" }), path);
    assert.notEqual(await storePage(dir, { ...PAGE, url: "https://example.org/" }), path);
    assert.equal(await Deno.readTextFile(join(dir, ".alisio/cache/.gitignore")), "*\n");
    const names = await Array.fromAsync(Deno.readDir(join(dir, ".alisio/cache/webfetch")));
    assert.equal(names.length, 3, "no temporary file is left");
  });
});

Deno.test({
  name: "storePage() writes through no link",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const link of [".alisio", ".alisio/cache", ".alisio/cache/webfetch"]) {
      await withTempDir(async (dir) => {
        await writeTree(dir, { "work/a.txt": "a", "outside/b.txt": "b" });
        const workspace = join(dir, "work");
        await Deno.mkdir(join(workspace, link, ".."), { recursive: true });
        await Deno.symlink(join(dir, "outside"), join(workspace, link));
        await assert.rejects(() => storePage(workspace, PAGE), /Not a folder of its own/, link);
        assert.deepEqual(
          (await Array.fromAsync(Deno.readDir(join(dir, "outside")))).map(({ name }) => name),
          [
            "b.txt",
          ],
        );
      });
    }
  },
});

Deno.test("storePage() removes the oldest pages and nothing else", async () => {
  await withTempDir(async (dir) => {
    const folder = ".alisio/cache/webfetch";
    const name = (index: number) => `${index.toString(16).padStart(32, "0")}.md`;
    await writeTree(dir, {
      ...Object.fromEntries(Array.from({ length: 120 }, (_, index) => [
        `${folder}/${name(index)}`,
        "x",
      ])),
      [`${folder}/mine.md`]: "x",
    });
    for (let index = 0; index < 120; index++) {
      await Deno.utime(join(dir, folder, name(index)), 1_000 + index, 1_000 + index);
    }
    const path = await storePage(dir, PAGE);
    const names = (await Array.fromAsync(Deno.readDir(join(dir, folder)))).map((entry) =>
      entry.name
    );
    assert.equal(names.length, 101);
    for (const kept of ["mine.md", name(119), name(21), path.split("/").at(-1) ?? ""]) {
      assert.ok(names.includes(kept), kept);
    }
    assert.ok(!names.includes(name(20)));
  });
});
