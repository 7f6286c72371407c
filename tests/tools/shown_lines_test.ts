import assert from "node:assert/strict";
import { join } from "node:path";
import { confirmShown } from "../../tools/_shown_lines.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const piece = (offset: number, text: string) => ({
  offset,
  bytes: new TextEncoder().encode(text),
});

Deno.test("confirmShown() confirms what is in the file, at its place", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "f.txt": "one\ntwo\n", "marked.txt": "\ufeffone\n" });
    const pieces = [
      piece(0, "one"),
      piece(4, "two"),
      piece(4, "one"),
      piece(7, "\nmore"),
      piece(0, ""),
    ];
    assert.deepEqual(
      await confirmShown(join(dir, "f.txt"), pieces),
      [true, true, false, false, true],
    );
    assert.deepEqual(await confirmShown(join(dir, "marked.txt"), [piece(0, "one")]), [true]);
  });
});

Deno.test("confirmShown() confirms nothing of what is not there, no file, or behind a link", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "out/f.txt": "one\n" });
    await Deno.symlink("out", join(dir, "link"));
    await Deno.symlink("out/f.txt", join(dir, "file"));
    for (const name of ["missing", "out", "link/f.txt", "file"]) {
      assert.deepEqual(await confirmShown(join(dir, name), [piece(0, ""), piece(0, "one")]), [
        false,
        false,
      ], name);
    }
  });
});
