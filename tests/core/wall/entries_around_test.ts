import assert from "node:assert/strict";
import { join } from "node:path";
import { entriesAround } from "../../../core/wall/entries_around.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test("entriesAround() names what lies beside what stays open, on every level of the way", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "shelf/key": "",
      "shelf/other/deep/x": "",
      "shelf/way/beside": "",
      "shelf/way/open/note": "",
      "shelf/way/open/more/note": "",
    });
    const shelf = join(dir, "shelf");
    const names = entriesAround(shelf, [join(shelf, "way/open"), join(dir, "elsewhere")]);
    assert.deepEqual(
      names.toSorted(),
      ["key", "other", "way/beside"].map((name) => join(shelf, name)),
    );
  });
});

Deno.test("entriesAround() names nothing of a folder that is not there, or holds too much", async () => {
  await withTempDir(async (dir) => {
    assert.deepEqual(entriesAround(join(dir, "gone"), [join(dir, "gone/open")]), []);
    const few = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`few/${n}`, ""]));
    await writeTree(dir, { ...few, "few/open/x": "" });
    assert.equal(entriesAround(join(dir, "few"), [join(dir, "few/open")]).length, 200);
    await writeTree(dir, { "few/200": "" });
    assert.deepEqual(entriesAround(join(dir, "few"), [join(dir, "few/open")]), []);
  });
});
